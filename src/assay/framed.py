"""Tables for other libraries and for notebooks: pandas, polars, Arrow, HTML and plain text.

Nothing is imported before it is used. Arrow data is passed on by the PyCapsule interface, so that any library that
knows it takes our tables: `polars.DataFrame(table)`, `pyarrow.table(table)`, `duckdb.sql("... from table")`.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Mapping
from html import escape
from typing import Any

import numpy as np

from assay.errors import MissingExtra

# Rows and characters that a notebook or `print` shows.
ROWS_SHOWN = 10
MOST_CHARACTERS = 60

# A column is a list, an array, or a column of texts with `to_list`.
Columns = Mapping[str, Any]


class Framed:
    """A table of named columns, for other libraries and for reading."""

    @abstractmethod
    def frame_columns(self) -> Columns:
        """The columns by name, of equal length."""

    def to_pandas(self) -> Any:
        """The table as a pandas DataFrame."""
        try:
            import pandas
        except ImportError:
            raise MissingExtra("to_pandas", "pandas", "frames") from None
        # Lists stay objects: pandas would turn whole numbers beside a gap into floats.
        columns = {
            name: pandas.Series(values, dtype=object)
            if isinstance(values, list) and _has_gap(values)
            else _plain(values)
            for name, values in self.frame_columns().items()
        }
        return pandas.DataFrame(columns)

    def to_polars(self) -> Any:
        """The table as a polars DataFrame."""
        try:
            import polars
        except ImportError:
            raise MissingExtra("to_polars", "polars", "frames") from None
        return polars.DataFrame(self.to_arrow())

    def to_arrow(self) -> Any:
        """The table as a pyarrow Table; objects are JSON, as in a Parquet file."""
        try:
            import pyarrow
        except ImportError:
            raise MissingExtra("Arrow", "pyarrow", "parquet") from None
        return pyarrow.table({name: _arrow_ready(values) for name, values in self.frame_columns().items()})

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def _repr_html_(self) -> str:
        columns, n = self._shown()
        head = "".join(f"<th>{escape(name)}</th>" for name in columns)
        rows = zip(*columns.values(), strict=True)
        body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
        more = f"<p>{n} rows, of which {ROWS_SHOWN} are shown.</p>" if n > ROWS_SHOWN else ""
        title = f"<p>{escape(self._heading())}</p>"
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        return f'<div>{title}<div style="overflow-x: auto; max-width: 100%">{table}</div>{more}</div>'

    def __str__(self) -> str:
        columns, n = self._shown()
        widths = {name: max(len(name), *map(len, cells), 0) for name, cells in columns.items()}
        lines = ["  ".join(f"{name:{widths[name]}}" for name in columns).rstrip()]
        for row in zip(*columns.values(), strict=True):
            lines.append(
                "  ".join(f"{cell:{width}}" for cell, width in zip(row, widths.values(), strict=True)).rstrip()
            )
        return "\n".join([self._heading(), *lines, *(["..."] if n > ROWS_SHOWN else [])])

    def _heading(self) -> str:
        return repr(self)

    def _shown(self) -> tuple[dict[str, list[str]], int]:
        """The first rows as texts, and the number of rows."""
        columns = self.frame_columns()
        n = len(next(iter(columns.values()))) if columns else 0
        cells = {name: [_cell(values[row]) for row in range(min(n, ROWS_SHOWN))] for name, values in columns.items()}
        return cells, n


def _has_gap(values: list[Any]) -> bool:
    return any(value is None for value in values)


def _plain(values: Any) -> Any:
    return values if isinstance(values, list | np.ndarray) else values.to_list()


def _arrow_ready(values: Any) -> Any:
    """Values that Arrow has a type for: texts, numbers, lists of texts, and JSON for anything else."""
    if not isinstance(values, list):
        return _plain(values)
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {str} or kinds <= {bool} or kinds <= {int, float}:
        return values
    if kinds == {list} and all(isinstance(part, str) for value in values for part in value or ()):
        return values
    return [None if value is None else json.dumps(value, ensure_ascii=False) for value in values]


def _cell(value: Any) -> str:
    """A value in a line of text; a gap is empty."""
    if value is None or (isinstance(value, float | np.floating) and np.isnan(value)):
        return ""
    if isinstance(value, float | np.floating):
        return f"{float(value):.4g}"
    text = " ".join(
        str(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)).split()
    )
    printable = "".join(character if character.isprintable() else "�" for character in text)
    return printable if len(printable) <= MOST_CHARACTERS else printable[: MOST_CHARACTERS - 1] + "…"
