"""Reading and writing a data set by the name of its file."""

from __future__ import annotations

from pathlib import Path

from assay.errors import DataError
from assay.io.flat import read_flat, write_flat
from assay.io.folder import is_folder_of_tables, read_folder, write_folder
from assay.io.tabular import ENDINGS
from assay.records import Dataset


def load(path: str | Path) -> Dataset:
    """Read a data set from a flat file or a folder of tables."""
    path = Path(path)
    if not path.exists():
        raise DataError(f"{path}: no such file. Check the name and the folder.")
    if is_folder_of_tables(path):
        return read_folder(path)
    if path.is_dir():
        raise DataError(f"{path}: a folder without an outputs table. Name a file, or a folder with outputs.jsonl.")
    if path.suffix.lower() not in ENDINGS:
        raise DataError(f"{path}: files are read by their ending, one of {', '.join(ENDINGS)}. Rename it.")
    return read_flat(path)


def save(dataset: Dataset, path: str | Path) -> None:
    """Write a data set to a flat file, or to a folder of tables where the path has no ending."""
    path = Path(path)
    ending = path.suffix.lower()
    if ending in ENDINGS:
        write_flat(dataset, path)
    elif not ending:
        write_folder(dataset, path)
    else:
        raise DataError(
            f"{path}: files are written by their ending, one of {', '.join(ENDINGS)}; "
            "a path without an ending is a folder of tables."
        )
