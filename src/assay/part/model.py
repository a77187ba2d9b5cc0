"""Building blocks of a result: numbers, tables and pictures, as plain data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from math import isfinite, isnan, nan
from typing import Any, NamedTuple

from assay.framed import Columns, Framed
from assay.plot import Drawing, Figure


class Bounded(NamedTuple):
    """A value with its interval in one cell: `0.335 [0.274, 0.404]`; three columns in CSV."""

    value: float
    low: float
    high: float


Cell = str | float | int | Bounded | None
# Width of a figure on a phone, in pixels.
PHONE = 350
OWN_KEYS = {"name", "value", "n", "n_missing", "interval", "reason", "signature", "seed"}


@dataclass(frozen=True)
class Number:
    """A number with its sample size, interval and signature.

    `about` says what it describes: a system, an evaluator, a level. `reason` says why there is no value, or no
    interval.
    """

    name: str
    value: float
    n: int
    signature: str
    n_missing: int = 0
    low: float = nan
    high: float = nan
    reason: str = ""
    about: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        taken = OWN_KEYS & self.about.keys()
        if taken:
            raise ValueError(f"reserved names in about: {', '.join(sorted(taken))}")

    @classmethod
    def of(cls, name: str, record: Any, value: str) -> Number:
        """Build a number from a record with matching fields; `value` names the field of the value."""
        about = {item.name: getattr(record, item.name) for item in fields(record)}
        own = {key: about.pop(key) for key in ("n", "n_missing", "low", "high", "reason", "signature") if key in about}
        about.pop("seed", None)
        if "interval" in about:
            about["interval_method"] = about.pop("interval")
        return cls(name, about.pop(value), about=about, **own)

    @property
    def cell(self) -> Bounded:
        """The number as a table cell."""
        return Bounded(self.value, self.low, self.high)

    def to_json(self, seed: int) -> dict[str, Any]:
        """Return the number as JSON values; a missing interval is null."""
        bare = isnan(self.low) or isnan(self.high)
        return {
            "name": self.name,
            **self.about,
            "value": self.value,
            "n": self.n,
            "n_missing": self.n_missing,
            "interval": None if bare else [self.low, self.high],
            "reason": self.reason,
            "signature": self.signature,
            "seed": seed,
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Number:
        """Rebuild a number from `to_json`; all other keys are `about`."""
        about = dict(stored)
        own = {key: about.pop(key) for key in ("name", "n", "n_missing", "reason", "signature")}
        low, high = map(_number, about.pop("interval") or (None, None))
        del about["seed"]
        return cls(value=_number(about.pop("value")), low=low, high=high, about=about, **own)


@dataclass(frozen=True)
class Table(Framed):
    """Rows under a header; `name` becomes a file name.

    A table with a row per unit of the data is `in_file`: written to a file, never displayed. A leaderboard has ranks in
    its first column, and says in `better` of each column whether higher (1) or lower (-1) is better, 0 if neither: a
    page can rank it by any of them.
    """

    name: str
    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""
    in_file: bool = False
    better: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if any(len(row) != len(self.header) for row in self.rows):
            raise ValueError(f"a row of the table {self.name!r} does not have a cell for every column")

    def flat(self) -> tuple[list[str], list[list[str | float | int | None]]]:
        """Header and rows for a file, with separate columns for a value and its interval."""
        bounded = {at for row in self.rows for at, cell in enumerate(row) if isinstance(cell, Bounded)}
        header = [
            name
            for at, own in enumerate(self.header)
            for name in ((own, f"{own} low", f"{own} high") if at in bounded else (own,))
        ]
        return header, [list(_flat(row, bounded)) for row in self.rows]

    def records(self) -> list[dict[str, str | float | int | None]]:
        """The rows as dictionaries."""
        header, rows = self.flat()
        return [dict(zip(header, row, strict=True)) for row in rows]

    def _heading(self) -> str:
        return self.title

    def frame_columns(self) -> Columns:
        """The columns, with separate ones for a value and its interval."""
        header, rows = self.flat()
        return {name: [row[at] for row in rows] for at, name in enumerate(header)}

    def to_json(self) -> dict[str, Any]:
        """Return the table as JSON values; a cell with an interval is an object."""
        rows = [[cell._asdict() if isinstance(cell, Bounded) else cell for cell in row] for row in self.rows]
        about = {"name": self.name, "title": self.title, "note": self.note, "in_file": self.in_file}
        better = {"better": list(self.better)} if self.better else {}
        return about | better | {"header": list(self.header), "rows": rows}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Table:
        """Rebuild a table from `to_json`."""
        rows = tuple(tuple(map(_cell, row)) for row in stored["rows"])
        better = tuple(stored.get("better", ()))
        return cls(**{**stored, "header": tuple(stored["header"]), "rows": rows, "better": better})


@dataclass(frozen=True)
class Picture:
    """A figure with a caption; `name` becomes a file name and an element id. A notebook shows it.

    `narrow` is the same figure for a phone; None if the drawing is narrow enough.
    """

    name: str
    drawing: Drawing
    caption: str
    narrow: Drawing | None = None

    @classmethod
    def of(cls, name: str, figure: Figure, caption: str) -> Picture:
        """Lay out a figure for a wide page and for a phone."""
        drawing = figure.draw()
        return cls(name, drawing, caption, figure.draw(PHONE) if drawing.width > PHONE else None)

    def svg(self) -> str:
        """The figure as an SVG document."""
        return self.drawing.svg(self.name)

    def _repr_html_(self) -> str:
        return f'<div style="overflow-x: auto; max-width: 100%">{self.svg()}</div>'

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Picture:
        """Rebuild a picture from its fields."""
        narrow = stored.get("narrow")
        drawings = {"drawing": Drawing.from_json(stored["drawing"]), "narrow": narrow and Drawing.from_json(narrow)}
        return cls(**{**stored, **drawings})


def plain_json(value: Any) -> Any:
    """Convert a value for JSON, which has neither NaN (null) nor infinities (strings)."""
    if isinstance(value, Mapping):
        return {key: plain_json(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain_json(part) for part in value]
    if isinstance(value, float) and not isfinite(value):
        return None if value != value else str(value)
    return value


def _number(stored: float | str | None) -> float:
    """Decode a JSON number: null is NaN, an infinity is a string; an integer stays one."""
    if stored is None:
        return nan
    return float(stored) if isinstance(stored, str) else stored


def _cell(stored: Any) -> Cell:
    return Bounded(*(_number(stored[key]) for key in Bounded._fields)) if isinstance(stored, dict) else stored


def _flat(row: tuple[Cell, ...], bounded: set[int]) -> Iterator[str | float | int | None]:
    for at, cell in enumerate(row):
        if isinstance(cell, Bounded):
            yield from cell
        elif at in bounded:
            yield from (cell, None, None)
        else:
            yield cell
