"""Data frames of pandas, polars and pyarrow as datasets, without importing any of them."""

from __future__ import annotations

from typing import Any

from assay.errors import DataError
from assay.records import Dataset

# How each library returns rows as dictionaries.
_ROWS: dict[str, Any] = {
    # A named index is a column.
    "pandas": lambda frame: (frame.reset_index() if any(frame.index.names) else frame).to_dict("records"),
    "polars": lambda frame: frame.to_dicts(),
    "pyarrow": lambda frame: frame.to_pylist(),
}
# pandas' missing values that are neither None nor NaN.
_GAPS = ("NAType", "NaTType")


def is_frame(value: object) -> bool:
    """Whether this is a DataFrame or Table of a supported library."""
    return type(value).__module__.partition(".")[0] in _ROWS and type(value).__name__ in ("DataFrame", "Table")


def from_frame(frame: Any) -> Dataset:
    """Convert a frame with a row per output and the columns of a flat file; missing values are dropped."""
    names = list(frame.column_names if hasattr(frame, "column_names") else frame.columns)
    repeated = sorted({str(name) for name in names if names.count(name) > 1})
    if repeated:
        raise DataError(f"{type(frame).__name__}: the column {repeated[0]!r} appears twice. Rename one.")
    try:
        rows = _ROWS[type(frame).__module__.partition(".")[0]](frame)
    except (TypeError, ValueError) as error:
        raise DataError(f"the {type(frame).__name__} cannot be read row by row ({error}).") from None
    records = [{name: value for name, value in row.items() if not _is_gap(value)} for row in rows]
    return Dataset.from_records(records, type(frame).__name__)


def _is_gap(value: Any) -> bool:
    return value is None or type(value).__name__ in _GAPS or (isinstance(value, float) and value != value)
