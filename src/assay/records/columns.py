"""Columns that grow value by value: numbers while they can, texts from the first value that is not a number."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from math import isnan, nan
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.records.tables import Values, take_values
from assay.text.strings import Strings

_Part = tuple[NDArray[np.int64], Values]


class ColumnCollector:
    """Collects further columns of a table. Rows that say nothing about a column are gaps."""

    def __init__(self) -> None:
        self._parts: dict[str, list[_Part]] = {}
        self._pending: dict[str, tuple[list[int], list[Any]]] = {}
        self._rows: list[int] = []

    def add(self, name: str, rows: NDArray[np.int64], values: Any) -> None:
        """Add many values of one column."""
        if not isinstance(values, Strings | np.ndarray):
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
        """Return each column with one value per row 0..n-1."""
        return {name: _spread(parts, n) for name, parts in self._all_parts().items()}

    def sparse(self) -> dict[str, Values]:
        """Return each column with one value per row of `rows`."""
        rows = self.rows
        n = int(rows.max()) + 1 if len(rows) else 0
        return {name: take_values(values, rows) for name, values in self.dense(n).items()}

    def _all_parts(self) -> dict[str, list[_Part]]:
        parts = {name: list(known) for name, known in self._parts.items()}
        for name, (rows, cells) in self._pending.items():
            parts.setdefault(name, []).append((np.array(rows, np.int64), typed(cells)))
        return parts


def typed(values: Sequence[Any]) -> Values:
    """Make a column: numbers where all values are numbers, true, false or gaps; else texts."""
    if all(value is None or isinstance(value, Real) for value in values):
        return np.array([nan if value is None else float(value) for value in values], np.float64)
    return Strings.of(as_text(value) for value in values)


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
    if any(isinstance(values, Strings) for _, values in parts):
        texts = [
            values if isinstance(values, Strings) else Strings.of(as_text(value) for value in values.tolist())
            for _, values in parts
        ]
        return take_values(Strings.concatenate(texts), source)
    return take_values(np.concatenate([values for _, values in parts if not isinstance(values, Strings)]), source)
