"""Columns that grow value by value: numbers while they can, texts from the first value that is not a number."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from math import isnan, nan
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.records.tables import Values, is_given, take_values
from assay.text.strings import Strings

# Values that would be written otherwise as numbers than as texts stay as they came until all of a column is known.
_Part = tuple[NDArray[np.int64], Values | list[Any]]

_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?|[+-]?inf|nan|NaN|NA|N/A|null|None")
_GAPS = {"nan", "NaN", "NA", "N/A", "null", "None"}


class RawCells(Strings):
    """Cells of a format without types. Whether they are numbers or texts is decided when all are known."""


def looks_like_number(cell: str) -> bool:
    """Say whether a cell could be read as a number or a gap among numbers."""
    return _NUMBER.fullmatch(cell) is not None


def number_in(cell: str) -> float | None:
    """The number that a cell holds, None where it holds none."""
    return float(cell) if looks_like_number(cell) and cell not in _GAPS else None


def decided(cells: Strings) -> Values:
    """Read cells as numbers where all that are not empty look like numbers, else as texts."""
    texts = cells.to_list()
    if all(text == "" or looks_like_number(text) for text in texts):
        return np.array([nan if text == "" or text in _GAPS else float(text) for text in texts], np.float64)
    return Strings.of(json.loads(text) if _is_quoted(text) else text for text in texts)


def _is_quoted(cell: str) -> bool:
    if not cell.startswith('"'):
        return False
    try:
        return isinstance(json.loads(cell), str)
    except ValueError:
        return False


class ColumnCollector:
    """Collects further columns of a table. Rows that say nothing about a column are gaps."""

    def __init__(self) -> None:
        self._parts: dict[str, list[_Part]] = {}
        self._pending: dict[str, tuple[list[int], list[Any]]] = {}
        self._rows: list[int] = []

    def add(self, name: str, rows: NDArray[np.int64], values: Any) -> None:
        """Add many values of one column. How they are cut into parts changes nothing."""
        if not isinstance(values, Strings | np.ndarray) and not _is_open(values):
            values = typed(values)
        self._parts.setdefault(name, []).append((rows, values))

    def add_row(self, row: int, values: Mapping[str, Any]) -> None:
        """Add what one row says about several columns."""
        if values:
            self._rows.append(row)
        for name, value in values.items():
            rows, cells = self._pending.setdefault(name, ([], []))
            rows.append(row)
            cells.append(value)

    @property
    def rows(self) -> NDArray[np.int64]:
        """The rows that were added one by one and said something."""
        return np.array(self._rows, np.int64)

    def dense(self, n: int) -> dict[str, Values]:
        """Return each column that has a value, with one value or gap per row 0..n-1."""
        columns = {name: _spread(parts, n) for name, parts in self._all_parts().items()}
        return {name: values for name, values in columns.items() if is_given(values).any()}

    def sparse(self) -> dict[str, Values]:
        """Return each column with one value per row of `rows`."""
        rows = self.rows
        n = int(rows.max()) + 1 if len(rows) else 0
        return {name: take_values(values, rows) for name, values in self.dense(n).items()}

    def _all_parts(self) -> dict[str, list[_Part]]:
        parts = {name: list(known) for name, known in self._parts.items()}
        for name, (rows, cells) in self._pending.items():
            parts.setdefault(name, []).append((np.array(rows, np.int64), cells))
        return parts


def typed(values: Sequence[Any]) -> Values:
    """Make a column: numbers where all values are numbers, true, false or gaps; else texts."""
    if all(value is None or isinstance(value, Real) for value in values):
        with suppress(OverflowError):  # a whole number that no float can hold stays a text
            return np.array([nan if value is None else float(value) for value in values], np.float64)
    return Strings.of(as_text(value) for value in values)


def _is_open(values: Sequence[Any]) -> bool:
    """Say whether some value is a number whose text a float does not tell: true, false, a very large whole number."""
    return any(isinstance(value, bool) or (isinstance(value, int) and abs(value) > 2**53) for value in values)


def as_text(value: Any) -> str:
    """Write a value as a text: a text as it is, a gap as nothing, anything else as JSON."""
    if value is None or (isinstance(value, float) and isnan(value)):
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return json.dumps(value, ensure_ascii=False)


def _spread(parts: list[_Part], n: int) -> Values:
    rows = np.concatenate([rows for rows, _ in parts])
    source = np.full(n, -1, np.int64)
    source[rows] = np.arange(len(rows))
    if all(isinstance(values, RawCells) for _, values in parts):
        return take_values(decided(Strings.concatenate([v for _, v in parts if isinstance(v, Strings)])), source)
    found = [typed(values) if isinstance(values, list) else values for _, values in parts]
    if any(isinstance(values, Strings) for values in found):
        return take_values(Strings.concatenate([_texts(values) for _, values in parts]), source)
    return take_values(np.concatenate([values for values in found if not isinstance(values, Strings)]), source)


def _texts(values: Values | list[Any]) -> Strings:
    if isinstance(values, Strings):
        return values
    return Strings.of(as_text(value) for value in (values if isinstance(values, list) else values.tolist()))
