"""Data frames of other libraries as data sets: pandas, polars, pyarrow. None of them is imported here."""

from __future__ import annotations

from typing import Any

from assay.errors import DataError
from assay.records import Dataset

# The method that gives rows as dictionaries, by the library of a frame.
_ROWS: dict[str, Any] = {
    # An index with a name is a column that was set aside.
    "pandas": lambda frame: (frame.reset_index() if any(frame.index.names) else frame).to_dict("records"),
    "polars": lambda frame: frame.to_dicts(),
    "pyarrow": lambda frame: frame.to_pylist(),
}
# Gaps of pandas that are neither None nor NaN.
_GAPS = ("NAType", "NaTType")


def is_frame(given: object) -> bool:
    """Say whether this is a table of another library, whose rows can be asked for."""
    return type(given).__module__.partition(".")[0] in _ROWS and type(given).__name__ in ("DataFrame", "Table")


def from_frame(frame: Any) -> Dataset:
    """Make a data set of a frame with a row per output and columns as in a flat file; gaps say nothing."""
    names = list(frame.column_names if hasattr(frame, "column_names") else frame.columns)
    twice = sorted({str(name) for name in names if names.count(name) > 1})
    if twice:
        raise DataError(f"{type(frame).__name__}: the column {twice[0]!r} stands twice. Rename one.")
    try:
        rows = _ROWS[type(frame).__module__.partition(".")[0]](frame)
    except (TypeError, ValueError) as error:
        raise DataError(f"the {type(frame).__name__} cannot be read row by row ({error}).") from None
    records = [{name: value for name, value in row.items() if not _is_gap(value)} for row in rows]
    return Dataset.from_records(records, type(frame).__name__)


def _is_gap(value: Any) -> bool:
    return value is None or type(value).__name__ in _GAPS or (isinstance(value, float) and value != value)
