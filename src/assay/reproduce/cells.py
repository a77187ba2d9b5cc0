"""One published number, what we measure for it, and whether the two agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from assay.errors import EvaluatorError, did_you_mean

# One line per paper: the function that measures its cells.
PAPERS = {
    "huse": "assay.reproduce.huse:cells",
    "neighbors": "assay.reproduce.neighbors:cells",
    "judges": "assay.reproduce.judges:cells",
    "diversity": "assay.reproduce.diversity:cells",
}

# Decimal numbers such as .995 are not exact in binary; nothing is measured to this many digits.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Cell:
    """A cell of a published table. `note` says why the two differ where they do, or how ours was measured."""

    paper: str
    table: str
    row: str
    column: str
    printed: str
    measured: float
    within: float
    note: str = ""

    @property
    def paper_value(self) -> float:
        """The published number."""
        return float(self.printed)

    @property
    def ok(self) -> bool:
        """Whether the two agree at the stated distance; a gap never does."""
        return abs(self.paper_value - self.measured) <= self.within + ROUNDING

    @property
    def equal(self) -> bool:
        """Whether ours, with as many digits as are printed, is the published number."""
        half = 0.5 * 10.0 ** -len(self.printed.partition(".")[2])
        return abs(self.paper_value - self.measured) <= half + ROUNDING

    def as_json(self) -> dict[str, Any]:
        """Return the cell as JSON values."""
        about = {"paper": self.paper, "table": self.table, "row": self.row, "column": self.column}
        return about | {"paper_value": self.paper_value, "measured": self.measured, "ok": self.ok, "note": self.note}


def reproduce(names: Sequence[str]) -> list[Cell]:
    """Measure the cells of the named papers; `all` means every one."""
    for name in names:
        if name not in (*PAPERS, "all"):
            raise EvaluatorError(f"no paper {name!r} to reproduce.{did_you_mean(name, [*PAPERS, 'all'])}")
    cells: list[Cell] = []
    for name in PAPERS if "all" in names else dict.fromkeys(names):
        module, _, function = PAPERS[name].partition(":")
        measure: Any = getattr(import_module(module), function)
        cells += measure()
    return cells
