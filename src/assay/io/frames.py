"""Data frames of pandas, polars and pyarrow as datasets, without importing any of them."""

from __future__ import annotations

from typing import Any

from assay.errors import DataError
from assay.framed import Framed
from assay.io.arrow import arrow
from assay.io.mapping.cells import is_gap
from assay.io.mapping.columns import read_column_map
from assay.io.mapping.read import mapped_dataset
from assay.io.tabular.kinds import KNOWN, decode
from assay.records import Dataset

# How each library returns rows as dictionaries.
_ROWS: dict[str, Any] = {
    # A named index is a column.
    "pandas": lambda frame: (frame.reset_index() if any(frame.index.names) else frame).to_dict("records"),
    "polars": lambda frame: frame.to_dicts(),
    "pyarrow": lambda frame: frame.to_pylist(),
}


def is_frame(value: object) -> bool:
    """Whether this is a DataFrame or Table of a supported library, or one that Arrow can read."""
    is_known = type(value).__module__.partition(".")[0] in _ROWS and type(value).__name__ in ("DataFrame", "Table")
    return is_known or (hasattr(value, "__arrow_c_stream__") and not isinstance(value, Framed))


def from_frame(frame: Any, mapping: Any = None) -> Dataset:
    """Convert a frame with a row per output and the columns of a flat file, or of `mapping`; gaps are dropped."""
    if type(frame).__module__.partition(".")[0] not in _ROWS:
        frame = arrow().table(frame)
    names = list(frame.column_names if hasattr(frame, "column_names") else frame.columns)
    repeated = sorted({str(name) for name in names if names.count(name) > 1})
    if repeated:
        raise DataError(f"{type(frame).__name__}: the column {repeated[0]!r} appears twice. Rename one.")
    try:
        rows = _ROWS[type(frame).__module__.partition(".")[0]](frame)
    except (TypeError, ValueError) as error:
        raise DataError(f"the {type(frame).__name__} cannot be read row by row ({error}).") from None
    if mapping is not None:
        numbered = [(number, _whole_names(row)) for number, row in enumerate(rows, 1)]
        return mapped_dataset(numbered, read_column_map(mapping), type(frame).__name__, "system")
    records = [{name: _decoded(name, value) for name, value in row.items() if not _is_gap(value)} for row in rows]
    return Dataset.from_records(records, type(frame).__name__)


def _decoded(name: Any, value: Any) -> Any:
    """A value; objects may be JSON, as in a Parquet file."""
    return decode(value, "json") if isinstance(value, str) and KNOWN.get(name) == "json" else value


def _whole_names(row: dict[Any, Any]) -> dict[str, Any]:
    return {str(name): value for name, value in row.items()}


def _is_gap(value: Any) -> bool:
    """Whether a value is missing; an empty text is not."""
    return value != "" and is_gap(value)
