"""Columns that grow value by value. A column keeps what was said; it holds numbers only where that loses nothing."""

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


def numbers_of(values: Values) -> NDArray[np.float64] | None:
    """A column as numbers, for those who ask for numbers; None where some value is none.

    In a column of texts `1.10` is the number 1.1, and `NA` or `null` a gap.
    """
    if not isinstance(values, Strings):
        return values
    texts = values.to_list()
    if not all(text == "" or looks_like_number(text) for text in texts):
        return None
    return np.array([nan if text == "" or text in _GAPS else float(text) for text in texts], np.float64)


def written_number(value: float) -> str:
    """A number as a cell: whole ones without a point (but for -0.0), so that it is read as the same number."""
    return str(int(value)) if is_whole(value) else repr(value)


def is_whole(value: float) -> bool:
    """Say whether a number is written without a point: a whole one, but for -0.0 and those too large to be exact."""
    return value.is_integer() and abs(value) < MOST_EXACT and (value != 0 or copysign(1, value) > 0)


def decided(cells: Strings) -> Values:
    """Read cells as numbers where each is written just as its number would be, so that nothing is lost; else as texts.

    `1.10` or `1234567890123456789` is not, and `NA` is no number: such columns stay as they are.
    """
    texts = cells.to_list()
    given = [text for text in texts if text]
    if all(map(_is_as_written, given)):
        return np.array([float(text) if text else nan for text in texts], np.float64)
    inner = _unmarked(given)
    return cells if inner is None else Strings.of(json.loads(text) if text else "" for text in texts)


def needs_mark(column: Strings) -> bool:
    """Say whether texts, written as they are, would be read as numbers: then each is written as a JSON string."""
    given = [text for text in column if text]
    return bool(given) and _would_change(given)


def _would_change(given: list[str]) -> bool:
    return all(map(_is_as_written, given)) or _unmarked(given) is not None


def _is_as_written(cell: str) -> bool:
    return looks_like_number(cell) and cell not in _GAPS and written_number(float(cell)) == cell


def _unmarked(given: list[str]) -> list[str] | None:
    """The texts inside cells that were all marked as texts; None where they were not."""
    inner = []
    for cell in given:
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
    Strings.of(names)  # refuses what no file can hold


def typed(values: Sequence[Any]) -> Values:
    """Make a column: numbers where all values are true, false, gaps or numbers that a float holds; else texts."""
    if all(value is None or isinstance(value, Real) for value in values):
        with suppress(OverflowError):  # a whole number that no float can hold stays a text
            numbers = np.array([nan if value is None else float(value) for value in values], np.float64)
            if not any(is_rounded(value) for value in values):
                return numbers
    return Strings.of(as_text(value) for value in values)


def _is_open(values: Sequence[Any]) -> bool:
    """Say whether some value is a number whose text a float does not tell: true, false, a very large whole number."""
    return any(isinstance(value, bool) or (isinstance(value, int) and abs(value) > MOST_EXACT) for value in values)


def as_text(value: Any) -> str:
    """Write a value as a text: a text as it is, a gap as nothing, a date in ISO 8601, anything else as JSON."""
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
    """Values that JSON does not know: dates and exact decimals as texts, scalars of numpy as Python's."""
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
    found = [typed(values) if isinstance(values, list) else values for _, values in parts]
    if any(isinstance(values, Strings) for values in found):
        return take_values(Strings.concatenate([_texts(values) for _, values in parts]), source)
    return take_values(np.concatenate([values for values in found if not isinstance(values, Strings)]), source)


def _texts(values: Values | list[Any]) -> Strings:
    if isinstance(values, Strings):
        return values
    return Strings.of(as_text(value) for value in (values if isinstance(values, list) else values.tolist()))
