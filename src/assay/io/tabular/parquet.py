"""Parquet: texts go between Arrow's buffers and ours without a Python object each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from assay.errors import DataError
from assay.io.arrow import arrow, strings_from_arrow
from assay.io.tabular.kinds import Chunk, Kinds, Problem, decode, encode, kind_of
from assay.text.lists import StringLists

CHUNK = 50_000


def read(path: Path, problem: Problem) -> Iterator[Chunk]:
    """Read row groups in chunks; the number of a row stands for its line."""
    pa = arrow()
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(path)
        done = 0
        for batch in file.iter_batches(batch_size=CHUNK):
            columns = {name: _column(batch.column(name), name) for name in batch.schema.names}
            yield Chunk(columns, np.arange(done + 1, done + batch.num_rows + 1))
            done += batch.num_rows
    except pa.ArrowException as error:
        raise DataError(f"{path}: not a readable Parquet file ({str(error).splitlines()[0]}).") from None


def write(path: Path, rows: Iterable[Mapping[str, Any]], kinds: Kinds, ending: str) -> None:
    """Write rows; lists of texts and numbers keep their type, objects are JSON."""
    pa = arrow()
    import pyarrow.parquet as pq

    rows = iter(rows)
    first = list(islice(rows, CHUNK))
    types = {
        "text": pa.large_string(),
        "json": pa.large_string(),
        "texts": pa.list_(pa.large_string()),
        "number": pa.float64(),
        "flag": pa.bool_(),
        "answer": pa.large_string(),
        "mixed": pa.large_string(),
    }
    schema = pa.schema([(name, types[kind]) for name, kind in kinds.items()])
    with pq.ParquetWriter(path, schema) as writer:
        chunk = first
        while chunk:
            arrays = [
                pa.array([_value(row.get(name), kind) for row in chunk], types[kind]) for name, kind in kinds.items()
            ]
            writer.write_table(pa.table(arrays, schema=schema))
            chunk = list(islice(rows, CHUNK))


def _value(value: Any, kind: Any) -> Any:
    if value is None or kind in ("text", "texts", "flag", "mixed"):
        return value
    return float(value) if kind == "number" else encode(value, kind)


def _column(column: Any, name: str) -> Any:
    pa = arrow()
    kind = kind_of(name)
    kept = column.type
    is_text = pa.types.is_string(kept) or pa.types.is_large_string(kept) or pa.types.is_dictionary(kept)
    if kind == "text":
        if is_text or pa.types.is_integer(kept):
            # A null text must be reported, so it stays a Python value; any other null is an empty name.
            return column.to_pylist() if name == "text" and column.null_count else strings_from_arrow(column)
        return column.to_pylist()
    if kind == "texts" and (pa.types.is_list(kept) or pa.types.is_large_list(kept)):
        return _string_lists(column)
    if kind == "mixed" and (pa.types.is_integer(kept) or pa.types.is_floating(kept)):
        return column.cast(pa.float64()).fill_null(np.nan).to_numpy(zero_copy_only=False)
    if kind == "mixed" and is_text:
        return strings_from_arrow(column)
    values = column.to_pylist()
    return [decode(value, kind) if isinstance(value, str) and kind != "mixed" else value for value in values]


def _string_lists(column: Any) -> Any:
    pa = arrow()
    if column.flatten().null_count or not (
        pa.types.is_string(column.type.value_type) or pa.types.is_large_string(column.type.value_type)
    ):
        return column.to_pylist()
    lengths = column.value_lengths().fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return StringLists(strings_from_arrow(column.flatten()), offsets)
