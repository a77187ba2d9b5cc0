"""Reading and writing a data set by the name of its file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from assay.errors import DataError
from assay.io.jsonl import read_jsonl, write_jsonl
from assay.records import Dataset

T = TypeVar("T")

READERS: dict[str, Callable[[Path], Dataset]] = {".jsonl": read_jsonl}
WRITERS: dict[str, Callable[[Dataset, Path], None]] = {".jsonl": write_jsonl}


def load(path: str | Path) -> Dataset:
    """Read a data set; the file's ending says how."""
    path = Path(path)
    if not path.exists():
        raise DataError(f"{path}: no such file. Check the name and the folder.")
    return _by_ending(READERS, path, "read")(path)


def save(dataset: Dataset, path: str | Path) -> None:
    """Write a data set; the file's ending says how. The file appears whole or not at all."""
    path = Path(path)
    _by_ending(WRITERS, path, "written")(dataset, path)


def _by_ending(table: dict[str, T], path: Path, done: str) -> T:
    found = table.get(path.suffix.lower())
    if found is None:
        raise DataError(
            f"{path}: a {path.suffix or 'file without an ending'} cannot be {done}. Known: {', '.join(table)}."
        )
    return found
