"""Reproduction of published tables. Called, it reproduces papers, as the command `assay reproduce` does."""

import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any

from assay.reproduce.cells import PAPERS, Cell, reproduce

__all__ = ["PAPERS", "Cell", "reproduce"]


class _Package(ModuleType):
    """The package under the name of the command: `assay.reproduce(["huse"])`."""

    def __call__(self, names: Sequence[str], **options: Any) -> list[Cell]:
        return reproduce(names, **options)


sys.modules[__name__].__class__ = _Package
