"""Load and save datasets by file name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from assay.errors import DataError
from assay.io.catalogue import PREFIX, entry
from assay.io.criteria import read_criteria
from assay.io.folder import is_folder_of_tables, read_folder, table_files, write_folder
from assay.io.frames import from_frame, is_frame
from assay.io.paths import existing
from assay.io.score_tables import describes_scores
from assay.io.special.annotations import annotation_files, is_annotations, read_annotations
from assay.io.special.formats import read_file, write_file
from assay.io.special.lm_eval import read_lm_eval_folder, sample_logs
from assay.io.tabular import ENDINGS
from assay.records import Dataset


def load(
    path: str | Path | Any,
    format: str | None = None,
    mapping: str | Path | None = None,
    *,
    keep_worker_ids: bool = False,
    criteria: str | Path | None = None,
) -> Dataset:
    """Read a dataset from a file, a folder of tables, logs or annotations or, as `data:NAME`, from the catalogue.

    A pandas or polars DataFrame, or a pyarrow Table, with a row per output works too.

    Unless given, the format is detected from the suffix and the header. `mapping` defines the columns of an MTurk batch
    file: a TOML file, or the name of a bundled mapping. Worker ids are replaced by numbers unless `keep_worker_ids`.
    `criteria` is a TOML file that declares criteria, one table each.
    """
    dataset = _load(path, format, mapping, keep_worker_ids)
    return dataset if criteria is None else dataset.with_criteria(read_criteria(criteria))


def _load(path: str | Path | Any, format: str | None, mapping: str | Path | None, keep_worker_ids: bool) -> Dataset:
    if is_frame(path):
        return from_frame(path)
    if not isinstance(path, str | Path):
        raise DataError(
            f"a {type(path).__name__} cannot be loaded. Pass a path, a DataFrame, or records to Dataset.from_records."
        )
    if str(path).startswith(PREFIX):
        listed = entry(str(path))
        path = listed.existing_file()
        format, mapping = format or listed.format, mapping or listed.mapping
    path = existing(path)
    if is_folder_of_tables(path):
        return read_folder(path)
    if path.is_dir() and sample_logs(path):
        return read_lm_eval_folder(path)
    if is_annotations(path):
        return read_annotations(path)
    if path.is_dir():
        raise DataError(f"{path}: a folder without an outputs table. Name a file, or a folder with outputs.jsonl.")
    if path.suffix.lower() not in ENDINGS:
        _refuse_scores(path)
        raise DataError(f"{path}: files are read by their ending, one of {', '.join(ENDINGS)}. Rename it.")
    try:
        return read_file(path, format, mapping, keep_worker_ids=keep_worker_ids)
    except DataError:
        _refuse_scores(path)
        raise
    except OSError as error:
        why = error.strerror or str(error)
        raise DataError(f"{path}: cannot be read ({why}). Check the name and its permissions.") from None


def _refuse_scores(path: Path) -> None:
    """Raise a clearer error if a file that is not a dataset is a score table."""
    if describes_scores(path):
        raise DataError(
            f"{path}: a table of scores, without texts and votes. meta, compare, power and replay take it; "
            "for anything else give the data that was scored."
        ) from None


def data_files(path: Path) -> list[Path]:
    """The files that `load` reads for this path."""
    if is_annotations(path) and not is_folder_of_tables(path):
        return annotation_files(path)
    if not path.is_dir():
        return [path]
    return table_files(path) or sample_logs(path)


def check_data_path(path: str | Path) -> None:
    """Raise now if `save` could not write a dataset to this path later, after long work."""
    path = Path(path)
    if path.suffix and path.suffix.lower() not in ENDINGS:
        raise DataError(
            f"{path}: files are written by their ending, one of {', '.join(ENDINGS)}; "
            "a path without an ending is a folder of tables."
        )
    if not path.absolute().parent.is_dir():
        raise DataError(f"{path.absolute().parent}: no such folder. Make it first.")


def save(dataset: Dataset, path: str | Path, format: str = "flat") -> None:
    """Write a dataset to a file, or to a folder of tables if the path has no suffix."""
    check_data_path(path)
    path = Path(path)
    if path.suffix:
        write_file(dataset, path, format)
    elif format != "flat":
        raise DataError(f"{path}: a folder of tables has no other format. Name a file for {format}.")
    else:
        write_folder(dataset, path)
