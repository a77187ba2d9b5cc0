"""Folders that the Hugging Face library datasets writes (`save_to_disk`): Arrow files with a list of them."""

from __future__ import annotations

from pathlib import Path

from assay.errors import DataError
from assay.io.paths import is_file
from assay.io.tabular.rows import Row, arrow_rows
from assay.io.tabular.strict_json import json_of

STATE, SPLITS = "state.json", "dataset_dict.json"


def is_dataset_folder(path: Path) -> bool:
    """Whether a folder is a saved dataset, or a dictionary of splits."""
    return is_file(path / SPLITS) or (is_file(path / STATE) and is_file(path / "dataset_info.json"))


def dataset_files(path: Path) -> list[Path]:
    """The Arrow files of a saved dataset; of a dictionary, those of its only split."""
    if is_file(path / SPLITS):
        content = json_of(path / SPLITS)
        splits = content.get("splits") if isinstance(content, dict) else None
        if not isinstance(splits, list) or len(splits) != 1:
            known = ", ".join(f"{path / str(name)}" for name in splits or ())
            raise DataError(f"{path}: a dataset with several splits. Name one: {known}.")
        return dataset_files(path / str(splits[0]))
    state = json_of(path / STATE)
    listed = state.get("_data_files") if isinstance(state, dict) else None
    files = [path / str(one.get("filename")) for one in listed or () if isinstance(one, dict)]
    if not files or not all(file.parent == path for file in files):
        raise DataError(f"{path}: {STATE} lists no data files. Save the dataset again with save_to_disk.")
    return files


def dataset_rows(path: Path) -> list[Row]:
    """All rows, numbered from 1."""
    rows = [row for file in dataset_files(path) for _, row in arrow_rows(file)]
    return list(enumerate(rows, 1))
