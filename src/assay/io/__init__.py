"""The only package that opens files: readers, writers, the data catalogue, caches."""

from assay.io.files import load, save

__all__ = ["load", "save"]
