"""One published number, what we measure for it, and whether the two agree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from math import isnan
from typing import Any

from assay.errors import EvaluatorError, did_you_mean

# One line per paper: the function that measures its cells.
PAPERS = {
    "huse": "assay.reproduce.huse:cells",
    "neighbors": "assay.reproduce.neighbors:cells",
    "judges": "assay.reproduce.judges:cells",
    "diversity": "assay.reproduce.diversity:cells",
}


@dataclass(frozen=True)
class Cell:
    """A cell of a published table. `note` says why the two differ where they do, or how ours was measured."""

    paper: str
    table: str
    row: str
    column: str
    paper_value: float
    measured: float
    ok: bool
    note: str = ""

    @classmethod
    def of(
        cls,
        paper: str,
        table: str,
        row: str,
        column: str,
        published: float,
        measured: float,
        within: float,
        note: str = "",
    ) -> Cell:
        """Compare at a stated distance; half a unit of the last printed digit means: equal as printed."""
        ok = not isnan(measured) and abs(published - measured) <= within + 1e-9
        return cls(paper, table, row, column, published, float(measured), ok, note)


def reproduce(names: Sequence[str]) -> list[Cell]:
    """Measure the cells of the named papers; `all` means every one."""
    chosen: Iterable[str] = PAPERS if "all" in names else dict.fromkeys(names)
    cells: list[Cell] = []
    for name in chosen:
        if name not in PAPERS:
            raise EvaluatorError(f"no paper {name!r} to reproduce.{did_you_mean(name, [*PAPERS, 'all'])}")
        module, _, function = PAPERS[name].partition(":")
        measure: Any = getattr(import_module(module), function)
        cells += measure()
    return cells
