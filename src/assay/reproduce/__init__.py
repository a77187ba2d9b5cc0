"""The papers' tables beside ours: each published number that public data can give again."""

from assay.reproduce.cells import PAPERS, Cell, reproduce

__all__ = ["PAPERS", "Cell", "reproduce"]
