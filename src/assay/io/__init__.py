"""The only package that opens files: readers, writers, the catalogue, the cache."""

from assay.io.files import load, save

__all__ = ["load", "save"]
