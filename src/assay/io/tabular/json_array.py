"""JSON arrays: a file that is one list of objects."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice
from pathlib import Path

from assay.io.tabular.json_lines import CHUNK, chunk_of
from assay.io.tabular.kinds import Chunk, Problem
from assay.io.tabular.rows import json_records


def read(path: Path, problem: Problem, known: Collection[str]) -> Iterator[Chunk]:
    """Read the objects in chunks; values keep their JSON types."""
    rows = json_records(path)
    while numbered := list(islice(rows, CHUNK)):
        yield chunk_of([record for _, record in numbered], [line for line, _ in numbered])
