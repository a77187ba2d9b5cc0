"""Extra columns, collected value by value. A column holds numbers only if that loses nothing, else texts."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime, time
from decimal import Decimal
from math import copysign, isnan, nan
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import DataError
from assay.records.fields import MOST_EXACT, is_rounded
from assay.records.tables import Values, is_given, take_values
from assay.text.strings import Strings

# Rows and values. Values stay Python objects while their text would depend on the type of the whole column.
_Part = tuple[NDArray[np.int64], Values | list[Any]]

_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?|[+-]?inf|nan|NaN|NA|N/A|null|None")
_GAPS = {"nan", "NaN", "NA", "N/A", "null", "None"}

IS_REFERENCE = "is_reference"
"""The column of outputs that serve as references for the other outputs of their item."""


class RawCells(Strings):
    """Cells of an untyped format: numbers or texts, decided for the whole column."""


def looks_like_number(cell: str) -> bool:
    """Whether a cell can be read as a number, or as a gap among numbers."""
    return _NUMBER.fullmatch(cell) is not None


def number_in(cell: str) -> float | None:
    """The number in a cell, None if there is none."""
    return float(cell) if looks_like_number(cell) and cell not in _GAPS else None


def numbers_of(values: Values) -> NDArray[np.float64] | None:
    """A column as numbers, None if some value is not one. `1.10` is 1.1, and `NA` or `null` a gap."""
    if not isinstance(values, Strings):
        return values
    texts = values.to_list()
    if not all(text == "" or looks_like_number(text) for text in texts):
        return None
    return np.array([nan if text == "" or text in _GAPS else float(text) for text in texts], np.float64)


def written_number(value: float) -> str:
    """A number as a cell that reads back as the same number: integral ones without a point, except -0.0."""
    return str(int(value)) if is_whole(value) else repr(value)


def is_whole(value: float) -> bool:
    """Whether a number is written without a point: integral, exact, and not -0.0."""
    return value.is_integer() and abs(value) < MOST_EXACT and (value != 0 or copysign(1, value) > 0)


def decided(cells: Strings) -> Values:
    """Read cells as numbers if each is in canonical form, so that nothing is lost; else as texts.

    `1.10`, `1234567890123456789` and `NA` are not: such columns stay texts.
    """
    texts = cells.to_list()
    nonempty = [text for text in texts if text]
    if all(map(_is_canonical, nonempty)):
        return np.array([float(text) if text else nan for text in texts], np.float64)
    if _unquoted(nonempty) is None:
        return cells
    return Strings.of(json.loads(text) if text else "" for text in texts)


def needs_mark(column: Strings) -> bool:
    """Whether texts would be read back as something else: then each is written as a JSON string."""
    nonempty = [text for text in column if text]
    return bool(nonempty) and _would_change(nonempty)


def _would_change(texts: list[str]) -> bool:
    return all(map(_is_canonical, texts)) or _unquoted(texts) is not None


def _is_canonical(cell: str) -> bool:
    return looks_like_number(cell) and cell not in _GAPS and written_number(float(cell)) == cell


def _unquoted(cells: list[str]) -> list[str] | None:
    """The texts of cells that are all JSON strings, as `needs_mark` demands; None if they are not."""
    inner = []
    for cell in cells:
        if not cell.startswith('"'):
            return None
        try:
            text = json.loads(cell)
        except ValueError:
            return None
        if not isinstance(text, str) or json.dumps(text, ensure_ascii=False) != cell:
            return None
        inner.append(text)
    return inner if inner and _would_change(inner) else None


class ColumnCollector:
    """Collects the extra columns of a table. Rows without a value are gaps."""

    def __init__(self) -> None:
        self._parts: dict[str, list[_Part]] = {}
        self._pending: dict[str, tuple[list[int], list[Any]]] = {}
        self._rows: list[int] = []

    def add(self, name: str, rows: NDArray[np.int64], values: Any) -> None:
        """Add a chunk of one column. The result does not depend on the chunks."""
        if not isinstance(values, Strings | np.ndarray) and not _is_open(values):
            values = typed(values)
        self._parts.setdefault(name, []).append((rows, values))

    def add_row(self, row: int, values: Mapping[str, Any]) -> None:
        """Add the values of one row."""
        if values:
            self._rows.append(row)
        for name, value in values.items():
            rows, cells = self._pending.setdefault(name, ([], []))
            rows.append(row)
            cells.append(value)

    @property
    def rows(self) -> NDArray[np.int64]:
        """The rows that `add_row` got values for."""
        return np.array(self._rows, np.int64)

    def dense(self, n: int) -> dict[str, Values]:
        """Return the columns that have any value, with one value or gap per row 0..n-1."""
        _check_names([*self._parts, *self._pending])
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


def _check_names(names: Sequence[Any]) -> None:
    for name in names:
        if not isinstance(name, str):
            raise DataError(f"a column is named {name!r}, which is not a text. Rename it.")
    Strings.of(names)  # raises on what no file can hold


def typed(values: Sequence[Any]) -> Values:
    """Make a column: numbers if every value is a boolean, a gap or a number that a float holds; else texts."""
    if all(value is None or isinstance(value, Real) for value in values):
        with suppress(OverflowError):  # an integer beyond floats stays a text
            numbers = np.array([nan if value is None else float(value) for value in values], np.float64)
            if not any(is_rounded(value) for value in values):
                return numbers
    return Strings.of(as_text(value) for value in values)


def _is_open(values: Sequence[Any]) -> bool:
    """Whether the text of some value is lost in a float: a boolean, or a very large integer."""
    return any(isinstance(value, bool) or (isinstance(value, int) and abs(value) > MOST_EXACT) for value in values)


def as_text(value: Any) -> str:
    """A value as text: a gap is empty, a date in ISO 8601, anything else but text in JSON."""
    if value is None or (isinstance(value, float) and isnan(value)):
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, float):
        return written_number(float(value))
    if isinstance(value, datetime | date | time | Decimal):
        return _plain(value)
    try:
        return json.dumps(value, ensure_ascii=False, default=_plain)
    except (TypeError, ValueError, RecursionError):
        raise DataError(
            f"a column holds a value of the type {type(value).__name__}, which no file can hold. "
            "Give numbers, texts, dates, or lists and objects of them."
        ) from None


def _plain(value: Any) -> Any:
    """Values that JSON does not know: dates and decimals as texts, numpy scalars as Python's."""
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(type(value).__name__)


def _spread(parts: list[_Part], n: int) -> Values:
    rows = np.concatenate([rows for rows, _ in parts])
    source = np.full(n, -1, np.int64)
    source[rows] = np.arange(len(rows))
    if all(isinstance(values, RawCells) for _, values in parts):
        return take_values(decided(Strings.concatenate([v for _, v in parts if isinstance(v, Strings)])), source)
    columns = [typed(values) if isinstance(values, list) else values for _, values in parts]
    if any(isinstance(values, Strings) for values in columns):
        return take_values(Strings.concatenate([_texts(values) for _, values in parts]), source)
    return take_values(np.concatenate([values for values in columns if not isinstance(values, Strings)]), source)


def _texts(values: Values | list[Any]) -> Strings:
    if isinstance(values, Strings):
        return values
    return Strings.of(as_text(value) for value in (values if isinstance(values, list) else values.tolist()))
