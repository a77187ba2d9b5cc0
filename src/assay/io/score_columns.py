"""Companion columns: the metadata of a score column in a table on disk, so that it round-trips.

A companion's name is `assay` and a JSON object that describes the scores: column, kind of unit, direction, signature,
seed, the list of reasons for gaps, and the number of statistics per unit. Its cells are a unit's statistics, separated
by spaces, or the reason for its gap. The texts of an evaluator that explains itself are one more column, named `assay
text of` and the scores' name. Everything is in names and cells, so nothing is lost when another program filters, sorts
or rewrites the table.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import DataError
from assay.io.tabular.strict_json import parse
from assay.scores import UNITS, Column, Gaps, ScoreTable
from assay.text.strings import Strings

MARK = "assay {"
TEXT_OF = "assay text of "
VERSION = 1
MOST_STATISTICS = 10_000
UNKNOWN = "missing"
"""The reason for a gap without a recorded reason."""

# Called with a row and a description of the problem.
RowProblem = Callable[[int, str], None]
_TYPES: dict[str, tuple[type, ...]] = {
    "column": (str,),
    "unit": (str,),
    "higher_is_better": (bool, type(None)),
    "signature": (str,),
    "seed": (int,),
    "reasons": (list,),
    "n_statistics": (int,),
    "notes": (list,),
    "version": (int,),
}


@dataclass(frozen=True)
class ColumnHeader:
    """The parsed name of a companion. `n_statistics` is None for scores without statistics."""

    column: str
    unit: str
    higher_is_better: bool | None
    signature: str = ""
    seed: int = 0
    reasons: tuple[str, ...] = ("",)
    n_statistics: int | None = None
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, table: ScoreTable, name: str) -> ColumnHeader:
        """Describe a column; the notes of the table go with its first."""
        column = table[name]
        width = None if column.statistics is None else column.statistics.shape[1]
        notes = table.notes if name == next(iter(table.columns)) else ()
        return cls(
            name, table.kind, column.higher_is_better, column.signature, table.seed, column.gaps.reasons, width, notes
        )

    @classmethod
    def parse(cls, name: str) -> ColumnHeader:
        """Parse the name of a companion."""
        try:
            return cls.from_json(parse(name.removeprefix("assay ")))
        except (ValueError, TypeError) as error:
            raise DataError(
                f"the column {name[:60]!r} should describe a column of scores but cannot be read ({error}). "
                "Write the table again with assay, or remove the column: its scores then have no known direction."
            ) from None

    @classmethod
    def from_json(cls, fields: Any) -> ColumnHeader:
        """Parse a description; TypeError or ValueError if it is invalid."""
        if not isinstance(fields, dict):
            raise TypeError("not an object")
        for key, kinds in _TYPES.items():
            if key in fields and not (
                isinstance(fields[key], kinds) and isinstance(fields[key], bool) == (bool in kinds)
            ):
                if not (fields[key] is None and type(None) in kinds):
                    raise TypeError(f"{key!r} is {fields[key]!r}")
        if fields.get("version", VERSION) > VERSION:
            raise ValueError("it was written by a later version of assay")
        missing = [key for key in ("column", "unit", "higher_is_better") if key not in fields]
        if missing:
            raise ValueError(f"it lacks {missing[0]!r}")
        if fields["unit"] not in UNITS:
            raise ValueError(f"no unit {fields['unit']!r}")
        if not 0 <= fields.get("n_statistics", 0) <= MOST_STATISTICS:
            raise ValueError(f"a unit cannot have {fields['n_statistics']} statistics")
        texts = [*fields.get("reasons", ()), *fields.get("notes", ())]
        if not all(isinstance(text, str) for text in texts):
            raise TypeError("reasons and notes must be texts")
        return cls(
            fields["column"],
            fields["unit"],
            fields["higher_is_better"],
            fields.get("signature", ""),
            fields.get("seed", 0),
            tuple(dict.fromkeys(("", *fields.get("reasons", ())))),
            fields.get("n_statistics"),
            tuple(fields.get("notes", ())),
        )

    def as_json(self) -> dict[str, Any]:
        """Return the description as JSON values, omitting empty ones."""
        fields: dict[str, Any] = {"column": self.column, "unit": self.unit, "higher_is_better": self.higher_is_better}
        more = {"signature": self.signature, "reasons": list(self.reasons[1:]), "notes": list(self.notes)}
        fields |= {key: value for key, value in more.items() if value}
        if self.n_statistics is not None:
            fields["n_statistics"] = self.n_statistics
        return {**fields, "seed": self.seed, "version": VERSION}

    @property
    def name(self) -> str:
        """The name of the companion."""
        return f"assay {json.dumps(self.as_json(), ensure_ascii=False)}"

    def made(
        self,
        values: NDArray[np.float64],
        gaps: Gaps,
        statistics: NDArray[np.float64] | None,
        texts: Strings | None = None,
    ) -> Column:
        """The column with this description."""
        return Column(self.column, values, gaps, self.signature, self.higher_is_better, statistics, texts=texts)


def companion_cells(column: Column) -> list[str] | None:
    """The cells of a companion; None if all are empty."""
    gap = (column.gaps.codes != 0) & np.isnan(column.values)
    if column.statistics is None and not gap.any():
        return None
    cells = np.array(column.gaps.reasons, object)[np.where(gap, column.gaps.codes, 0)].tolist()
    if column.statistics is not None:
        rows = np.flatnonzero(~gap)
        for row, cell in zip(rows.tolist(), _as_cells(column.statistics[rows]), strict=True):
            cells[row] = cell
    return cells


def from_companion(
    about: ColumnHeader, values: NDArray[np.float64], cells: Sequence[str], problem: RowProblem
) -> Column:
    """Restore a column from its numbers and the cells of its companion."""
    number = {reason: code for code, reason in enumerate(about.reasons)}
    codes = np.zeros(len(values), np.int32)
    filled = np.array([bool(cell) for cell in cells], bool) if cells else np.zeros(len(values), bool)
    undefined = np.isnan(values)
    for row in np.flatnonzero(undefined & filled).tolist():
        codes[row] = number.get(cells[row], 0)
    unexplained = undefined & ~filled
    if unexplained.any():
        codes[unexplained] = number.setdefault(UNKNOWN, len(number))
    rows = np.flatnonzero(filled & (codes == 0))
    if about.n_statistics is None:
        for row in rows.tolist():
            problem(row, f"{cells[row][:60]!r} is given for a score of {about.column!r}, which has no statistics")
        return about.made(values, Gaps(codes, tuple(number)), None)
    statistics = np.full((len(values), about.n_statistics), np.nan)
    bare = np.flatnonzero(~undefined & ~filled).tolist() if about.n_statistics else []
    for row in bare:
        problem(row, f"the score of {about.column!r} lacks its statistics")
    sound = [row for row in rows.tolist() if cells[row].count(" ") + 1 == about.n_statistics]
    tokens = " ".join([cells[row] for row in sound]).split(" ") if sound else []
    try:
        if len(sound) < len(rows):
            raise ValueError
        statistics[rows] = np.array(list(map(float, tokens)), np.float64).reshape(len(sound), about.n_statistics)
    except ValueError:
        for row in rows.tolist():
            if not _are_numbers(cells[row], about.n_statistics):
                expected = f"{about.n_statistics} statistics of {about.column!r}"
                problem(row, f"{cells[row][:60]!r} is neither {expected} nor a known reason")
    return about.made(values, Gaps(codes, tuple(number)), statistics)


def _are_numbers(cell: str, n: int) -> bool:
    try:
        return len(list(map(float, cell.split(" ")))) == n
    except ValueError:
        return False


def _as_cells(statistics: NDArray[np.float64]) -> list[str]:
    """Rows of numbers as texts; integers without a decimal point, because most statistics are counts."""
    exact = np.isfinite(statistics).all() and (np.abs(statistics) < 2**53).all()
    if exact and (statistics == np.floor(statistics)).all() and not (np.signbit(statistics) & (statistics == 0)).any():
        return [" ".join(map(str, row)) for row in statistics.astype(np.int64).tolist()]
    return [" ".join(map(repr, row)) for row in statistics.tolist()]
