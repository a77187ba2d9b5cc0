"""JSON lines: one flat record per line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from assay.errors import DataError
from assay.io.atomic import replacing
from assay.records import Dataset
from assay.records.flat import FlatReader
from assay.records.unflat import flat_records

CHUNK = 20_000


def read_jsonl(path: Path) -> Dataset:
    """Read a file of flat records; every bad line is named."""
    reader = FlatReader(path.name, default_system=path.stem)
    records: list[dict[str, Any]] = []
    lines: list[int] = []
    for line, text in _lines(path):
        try:
            record = json.loads(text)
        except (ValueError, RecursionError) as error:
            reader.problem(line, f"not JSON ({error}). Write one JSON object per line.")
            continue
        if not isinstance(record, dict):
            reader.problem(line, 'not a JSON object. Write {"text": ...}.')
            continue
        records.append(record)
        lines.append(line)
        if len(records) == CHUNK:
            reader.add_records(records, np.array(lines, np.int64))
            records, lines = [], []
    reader.add_records(records, np.array(lines, np.int64))
    return Dataset.from_rows(reader.finish())


def write_jsonl(dataset: Dataset, path: Path) -> None:
    """Write a file of flat records."""
    with replacing(path) as temporary, open(temporary, "w", encoding="utf-8", newline="\n") as file:
        for record in flat_records(dataset):
            file.write(json.dumps(record, ensure_ascii=False, allow_nan=False, separators=(", ", ": ")) + "\n")


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Number the lines that are not blank; a byte that is not UTF-8 is named with its line."""
    try:
        with open(path, "rb") as file:
            for line, data in enumerate(file, 1):
                if line == 1:
                    data = data.removeprefix(b"\xef\xbb\xbf")
                if data.strip():
                    try:
                        yield line, data.decode("utf-8")
                    except UnicodeDecodeError as error:
                        raise DataError(
                            f"{path.name} line {line}: not UTF-8 (byte {error.start + 1}). Save the file as UTF-8."
                        ) from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror}). Check the name and its permissions.") from None
