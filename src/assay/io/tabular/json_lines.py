"""JSON lines: one object per line."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np

from assay.io.tabular.kinds import Chunk, Kinds, Problem
from assay.io.tabular.strict_json import Unusable, parse

CHUNK = 2_000  # lines per chunk, so that its objects fit the CPU cache


def read(path: Path, problem: Problem, known: Collection[str]) -> Iterator[Chunk]:
    """Read objects line by line; values keep their JSON types."""
    numbered_objects = objects(path, problem)
    while True:
        numbered = list(islice(numbered_objects, CHUNK))
        yield chunk_of([record for _, record in numbered], [line for line, _ in numbered])
        if len(numbered) < CHUNK:
            return


def write(path: Path, rows: Iterable[Mapping[str, Any]], kinds: Kinds, ending: str) -> None:
    """Write one object per line, without its gaps. Infinity in a user-defined column is written `Infinity`."""
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        for row in rows:
            present = {name: value for name, value in row.items() if value is not None}
            file.write(json.dumps(present, ensure_ascii=False) + "\n")


def objects(path: Path, problem: Problem) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a file with their line numbers; blank lines are skipped."""
    with open(path, "rb") as file:
        for line, data in enumerate(file, 1):
            if line == 1:
                data = data.removeprefix(b"\xef\xbb\xbf")
            if not data.strip():
                continue
            try:
                record = parse(data.decode("utf-8"))
            except UnicodeDecodeError as error:
                problem(line, f"not UTF-8 (at byte {error.start + 1} of the line). Save the file as UTF-8.")
            except Unusable as error:
                problem(line, str(error))
            except json.JSONDecodeError as error:
                what = error.msg.removesuffix(" at").removesuffix(" starting")
                problem(line, f"not JSON ({what}, column {error.colno}). Write one JSON object per line.")
            except ValueError as error:
                problem(line, f"not JSON ({error}). Write one JSON object per line.")
            else:
                if isinstance(record, dict):
                    yield line, record
                else:
                    problem(line, 'not a JSON object. Write {"text": ...}.')


def chunk_of(records: Sequence[Mapping[str, Any]], lines: Sequence[int]) -> Chunk:
    """Records as a chunk of columns."""
    names = dict.fromkeys(chain.from_iterable(records))
    columns = {name: [record.get(name) for record in records] for name in names}
    return Chunk(columns, np.array(lines, np.int64))
