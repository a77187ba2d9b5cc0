"""Lossless writes of limited formats: a file is written only if it would be read back as the same data."""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import fields
from pathlib import Path

from assay.errors import DataError
from assay.io.tabular.kinds import encode
from assay.records import Dataset, Values
from assay.records.columns import needs_mark, written_number
from assay.records.dataset import fingerprint
from assay.text.strings import Strings


def check_whole(dataset: Dataset, read_back: Callable[[], Dataset], path: Path, format: str) -> None:
    """Raise an error that names the differing tables if reading back would not return the same dataset."""
    try:
        restored = read_back()
    except DataError as error:
        raise _refusal(path, format, str(error)) from None
    # A format may declare criteria of its own: nothing is lost by that if none were declared.
    differing = [
        table.name
        for table in fields(dataset)
        if (table.name != "criteria" or dataset.criteria)
        and fingerprint(getattr(dataset, table.name)) != fingerprint(getattr(restored, table.name))
    ]
    if differing:
        raise _refusal(path, format, f"its {', '.join(differing)} would be read back differently.")


def written(values: Values) -> list[str]:
    """A column as cells that are read back unchanged; a gap is empty."""
    if isinstance(values, Strings):
        return [encode(text, "marked") if text else "" for text in values] if needs_mark(values) else values.to_list()
    return ["" if value != value else written_number(value) for value in values.tolist()]


def free_name(name: str, taken: Container[str]) -> str:
    """The name, numbered from its second use on."""
    free, copies = name, 1
    while free in taken:
        copies += 1
        free = f"{name}#{copies}"
    return free


def _refusal(path: Path, format: str, why: str) -> DataError:
    return DataError(
        f"{path}: the format {format} cannot represent this dataset: {why} "
        "Write a flat file (.jsonl, .csv, .parquet) or a folder instead."
    )
