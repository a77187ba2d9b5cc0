"""The reader and writer of each suffix."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from assay.errors import DataError
from assay.io.atomic import replacing
from assay.io.paths import existing_file
from assay.io.tabular import arrow_file, json_array, json_lines, parquet, separated
from assay.io.tabular.kinds import Chunk, Kinds, Problem

READERS = {
    ".jsonl": json_lines.read,
    ".ndjson": json_lines.read,
    ".csv": separated.read,
    ".tsv": separated.read,
    ".parquet": parquet.read,
    ".json": json_array.read,
    ".arrow": arrow_file.read,
}
WRITERS = {
    ".jsonl": json_lines.write,
    ".ndjson": json_lines.write,
    ".csv": separated.write,
    ".tsv": separated.write,
    ".parquet": parquet.write,
}
# What is written is read; what is only read is the format of other programs.
ENDINGS = tuple(WRITERS)
READABLE = tuple(READERS)


def read_chunks(path: Path, problem: Problem, known: Collection[str]) -> Iterator[Chunk]:
    """Read a table in chunks; `problem` is called for each bad line.

    The columns in `known` are defined for this table; any other is user-defined, whatever its name means elsewhere.
    """
    try:
        yield from READERS[path.suffix.lower()](existing_file(path), problem, known)
    except OSError as error:
        why = error.strerror or str(error)
        raise DataError(f"{path}: cannot be read ({why}). Check the name and its permissions.") from None


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]], kinds: Kinds) -> None:
    """Write rows to a table; the file appears whole or not at all."""
    with replacing(path) as temporary:
        WRITERS[path.suffix.lower()](temporary, rows, kinds, path.suffix.lower())
