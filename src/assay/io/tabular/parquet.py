"""Parquet: texts are exchanged with Arrow buffers without a Python object each."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from assay.errors import DataError
from assay.io.arrow import arrow
from assay.io.tabular.arrow_columns import column_from_arrow
from assay.io.tabular.class_labels import with_class_names
from assay.io.tabular.kinds import Chunk, Kinds, Problem, encode, kind_of
from assay.io.tabular.separated import unique_header
from assay.io.tabular.strict_json import Unusable
from assay.records.choices import choice_text

CHUNK = 50_000


def read(path: Path, problem: Problem, known: Collection[str]) -> Iterator[Chunk]:
    """Read row groups in chunks; row numbers serve as line numbers."""
    pa = arrow()
    import pyarrow.parquet as pq

    done = 0
    try:
        with pq.ParquetFile(path) as file:
            names = unique_header(path, file.schema_arrow.names)
            for batch in map(with_class_names, file.iter_batches(batch_size=CHUNK)):
                lines = list(range(done + 1, done + batch.num_rows + 1))
                columns = {
                    name: column_from_arrow(column, name, kind_of(name, known), lines, problem)
                    for name, column in zip(names, batch.columns, strict=True)
                }
                yield Chunk(columns, np.array(lines, np.int64))
                done += batch.num_rows
    except Unusable as error:
        raise DataError(f"{path.name}: {error}") from None
    except (pa.ArrowException, OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        why = (str(error).splitlines() or [type(error).__name__])[0]
        raise DataError(f"{path}: not a readable Parquet file ({why}). It may be damaged: make it again.") from None


def write(path: Path, rows: Iterable[Mapping[str, Any]], kinds: Kinds, ending: str) -> None:
    """Write rows; lists of texts and numbers keep their types, objects become JSON."""
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
        "marked": pa.large_string(),
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
    if value is None or kind in ("text", "flag", "marked"):
        return value
    if kind == "texts":
        return [choice_text(part) for part in value]
    return float(value) if kind == "number" else encode(value, kind)
