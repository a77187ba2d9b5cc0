"""Reproduction of published tables: each number that public data allows to be recomputed."""

from assay.reproduce.cells import PAPERS, Cell, reproduce

__all__ = ["PAPERS", "Cell", "reproduce"]
