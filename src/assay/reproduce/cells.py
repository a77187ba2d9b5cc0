"""A published number, our measurement of it, and whether the two agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import isnan, nan
from typing import Any, Literal

from assay.errors import EvaluatorError, did_you_mean
from assay.io.cache import ScoreCache
from assay.named import load_named

# The function that measures the cells of each paper.
PAPERS = {
    "huse": "assay.reproduce.huse:cells",
    "neighbors": "assay.reproduce.neighbors:cells",
    "judges": "assay.reproduce.judges:cells",
    "diversity": "assay.reproduce.diversity:cells",
    "communication": "assay.reproduce.communication:cells",
}

# Decimals such as .995 are not exact in binary: relative tolerance at the edge of a rounding interval.
ROUNDING = 1e-6
SIGNIFICANT = 0.05


Cause = Literal["", "measured", "guess"]


@dataclass(frozen=True)
class Cell:
    """A cell of a published table.

    `printed` is empty if the published value was not available: such a cell is shown but not counted as published.
    If the two numbers differ, `note` says why, and `cause` whether that was measured or is a guess. A correlation has
    an interval of 95% and the p-value of no correlation.
    """

    paper: str
    table: str
    row: str
    column: str
    printed: str
    measured: float
    note: str = ""
    cause: Cause = ""
    low: float = nan
    high: float = nan
    p_value: float = nan

    @property
    def interval(self) -> str:
        """The interval as text, with a star where p <= .05; empty without one."""
        star = " *" if self.p_value <= SIGNIFICANT else ""
        return "" if isnan(self.low) else f"[{self.low:.2f}, {self.high:.2f}]{star}"

    @property
    def paper_value(self) -> float | None:
        """The published number; None if it was not available."""
        return float(self.printed) if self.printed else None

    @property
    def distance(self) -> float:
        """Absolute difference from the published number; NaN if either is missing."""
        return nan if self.paper_value is None else abs(self.paper_value - self.measured)

    @property
    def equal(self) -> bool:
        """Whether ours, rounded to the printed digits, is the published number; False for a gap."""
        half = 0.5 * 10.0 ** -len(self.printed.partition(".")[2])
        return self.distance <= half + ROUNDING * half

    def as_json(self) -> dict[str, Any]:
        """Return the cell as JSON-serializable values."""
        own = {name: value for name, value in asdict(self).items() if name not in ("low", "high", "p_value")}
        tested = {
            "interval": None if isnan(self.low) else [self.low, self.high],
            "p_value": None if isnan(self.p_value) else self.p_value,
        }
        return own | tested | {"paper_value": self.paper_value, "distance": self.distance, "equal": self.equal}


def summary(cells: Sequence[Cell]) -> str:
    """Summarize in a sentence how many numbers equal the published ones."""
    published = [cell for cell in cells if cell.printed]
    differing = [cell for cell in published if not cell.equal]
    measured = sum(cell.cause == "measured" for cell in differing)
    sentence = f"{len(published) - len(differing)} of {len(published)} published numbers match as printed; "
    sentence += (
        f"for the {len(differing)} others, the cause of the difference was measured for {measured} and is a guess for "
    )
    sentence += f"{len(differing) - measured}."
    n_unpublished = len(cells) - len(published)
    return (
        f"{sentence} {n_unpublished} more were measured without a published value to compare with."
        if n_unpublished
        else sentence
    )


def reproduce(names: Sequence[str], *, neural: bool = False, cache: ScoreCache | None = None) -> list[Cell]:
    """Measure the cells of the named papers; `all` selects every paper.

    Args:
        names: papers.
        neural: for judges, also the neural discriminators: ten minutes of training, unless they are in the cache.
        cache: where the scores of judges are kept between runs; None for no cache.
    """
    for name in names:
        if name not in (*PAPERS, "all"):
            raise EvaluatorError(f"no paper {name!r} to reproduce.{did_you_mean(name, [*PAPERS, 'all'])}")
    if neural and not {"judges", "all"} & set(names):
        raise EvaluatorError("neural discriminators belong to judges alone. Leave them out for other papers.")
    cells: list[Cell] = []
    for name in PAPERS if "all" in names else dict.fromkeys(names):
        options = {"neural": neural, "cache": cache} if name == "judges" else {}
        cells += load_named(PAPERS[name])(**options)
    return cells
