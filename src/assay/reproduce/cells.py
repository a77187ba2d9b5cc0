"""One published number, what we measure for it, and whether the two agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import nan
from typing import Any, Literal

from assay.errors import EvaluatorError, did_you_mean
from assay.named import load_named

# One line per paper: the function that measures its cells.
PAPERS = {
    "huse": "assay.reproduce.huse:cells",
    "neighbors": "assay.reproduce.neighbors:cells",
    "judges": "assay.reproduce.judges:cells",
    "diversity": "assay.reproduce.diversity:cells",
    "communication": "assay.reproduce.communication:cells",
}

# Decimal numbers such as .995 are not exact in binary: what lies this close to the middle, as a share, is in it.
ROUNDING = 1e-6


Cause = Literal["", "measured", "guess"]


@dataclass(frozen=True)
class Cell:
    """A cell of a published table.

    `printed` is empty where no text of the paper was at hand: such a cell is shown, and not counted as published.
    Where the two numbers differ `note` says why, and `cause` whether that was measured or is a guess.
    """

    paper: str
    table: str
    row: str
    column: str
    printed: str
    measured: float
    note: str = ""
    cause: Cause = ""

    @property
    def paper_value(self) -> float | None:
        """The published number, None where it was not at hand."""
        return float(self.printed) if self.printed else None

    @property
    def distance(self) -> float:
        """How far ours is from the published number; NaN for a gap or where that number was not at hand."""
        return nan if self.paper_value is None else abs(self.paper_value - self.measured)

    @property
    def equal(self) -> bool:
        """Whether ours, with as many digits as are printed, is the published number; a gap never is."""
        half = 0.5 * 10.0 ** -len(self.printed.partition(".")[2])
        return self.distance <= half + ROUNDING * half

    def as_json(self) -> dict[str, Any]:
        """Return the cell as JSON values."""
        return asdict(self) | {"paper_value": self.paper_value, "distance": self.distance, "equal": self.equal}


def summary(cells: Sequence[Cell]) -> str:
    """Say in a sentence how many numbers are the published ones."""
    published = [cell for cell in cells if cell.printed]
    differing = [cell for cell in published if not cell.equal]
    measured = sum(cell.cause == "measured" for cell in differing)
    said = f"{len(published) - len(differing)} of {len(published)} published numbers are equal as printed; "
    said += f"of the {len(differing)} others the cause was measured for {measured} and is a guess for "
    said += f"{len(differing) - measured}."
    rest = len(cells) - len(published)
    return f"{said} {rest} more are measured, with no printed value at hand to compare." if rest else said


def reproduce(names: Sequence[str]) -> list[Cell]:
    """Measure the cells of the named papers; `all` means every one."""
    for name in names:
        if name not in (*PAPERS, "all"):
            raise EvaluatorError(f"no paper {name!r} to reproduce.{did_you_mean(name, [*PAPERS, 'all'])}")
    cells: list[Cell] = []
    for name in PAPERS if "all" in names else dict.fromkeys(names):
        cells += load_named(PAPERS[name])()
    return cells
