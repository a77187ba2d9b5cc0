"""Score tables in Parquet, with page checksums so that damage is detected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import DataError
from assay.io.arrow import arrow, strings_from_arrow, strings_to_arrow
from assay.io.score_columns import TEXT_OF, ColumnHeader, companion_cells
from assay.scores import Column, ScoreTable


def write(table: ScoreTable, path: Path, about: Mapping[str, str] | None = None) -> None:
    """Write names as texts, scores as numbers with nulls for gaps, companions as texts; `about` is kept beside them."""
    pa = arrow()
    import pyarrow.parquet as pq

    arrays = {name: strings_to_arrow(getattr(table, name)) for name in ("unit", "item", "system")}
    for name, column in table.columns.items():
        arrays[name] = pa.array(column.values, mask=np.isnan(column.values))
    arrays |= {TEXT_OF + name: strings_to_arrow(c.texts) for name, c in table.columns.items() if c.texts is not None}
    for name, column in table.columns.items():
        arrays[ColumnHeader.of(table, name).name] = _companion(column)
    # Scores rarely repeat, so dictionary encoding would cost more than it saves.
    repeating = [name for name in arrays if name not in ("unit", *table.columns)]
    content = pa.table(arrays).replace_schema_metadata(dict(about or {}))
    pq.write_table(content, path, use_dictionary=repeating, write_page_checksum=True)


def _companion(column: Column) -> Any:
    pa = arrow()
    if column.statistics is not None:
        whole = _whole_number_cells(column)
        return pa.array(companion_cells(column), pa.large_string()) if whole is None else whole
    codes = np.where(np.isnan(column.values), column.gaps.codes, 0)
    if not codes.any():
        return pa.nulls(len(column), pa.large_string())
    return pa.array([None, *column.gaps.reasons[1:]], pa.large_string()).take(pa.array(codes))


def _whole_number_cells(column: Column) -> Any:
    """The cells of statistics that are whole numbers, as `companion_cells` has them but made by Arrow; else None."""
    pa = arrow()
    import pyarrow.compute as pc

    statistics = column.statistics
    assert statistics is not None
    if np.isnan(column.values).any() or not statistics.size or not np.isfinite(statistics).all():
        return None
    if (np.abs(statistics) >= 2**53).any() or (statistics != np.floor(statistics)).any():
        return None
    if (np.signbit(statistics) & (statistics == 0)).any():
        return None
    texts = [pc.cast(pa.array(number), pa.large_string()) for number in statistics.T.astype(np.int64)]
    return pc.binary_join_element_wise(*texts, pa.scalar(" ", pa.large_string()))


def about(path: Path) -> dict[str, str]:
    """What was kept beside the scores; nothing if the file is not there or is damaged."""
    pa = arrow()
    import pyarrow.parquet as pq

    try:
        metadata = pq.read_schema(path).metadata or {}
    except (pa.ArrowException, OSError):
        return {}
    return {key.decode(): value.decode() for key, value in metadata.items() if not key.startswith(b"ARROW")}


def header(path: Path) -> list[str]:
    """The names of the columns."""
    with _readable(path):
        import pyarrow.parquet as pq

        return [str(name) for name in pq.read_schema(path).names]


def read(path: Path) -> tuple[list[str], list[list[str] | NDArray[np.float64]], list[int]]:
    """Column names, columns (numbers where numeric, else cells), and row numbers."""
    with _readable(path):
        import pyarrow.parquet as pq

        table = pq.ParquetFile(path, page_checksum_verification=True).read()
        columns = [_cells(column) for column in table.columns]
        return [str(name) for name in table.column_names], columns, list(range(1, table.num_rows + 1))


def _cells(column: Any) -> list[str] | NDArray[np.float64]:
    pa = arrow()
    kind = column.type
    if pa.types.is_floating(kind) or (pa.types.is_integer(kind) and kind.bit_width <= 32):
        return np.asarray(column.cast(pa.float64()).fill_null(np.nan).to_numpy(), np.float64)
    if pa.types.is_null(kind):
        return [""] * len(column)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return strings_from_arrow(column).to_list()
    return ["" if cell is None else str(cell) for cell in column.to_pylist()]


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Turn Arrow's many exceptions into one DataError."""
    pa = arrow()
    try:
        yield
    except (pa.ArrowException, OSError, ValueError, OverflowError, MemoryError) as error:
        why = str(error).strip().split("\n")[0][:200] or type(error).__name__
        raise DataError(f"{path}: not a readable Parquet file ({why}). Write it again.") from None
