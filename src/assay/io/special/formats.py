"""Choose the reader of a file: the requested format, else the one detected from the header."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay.errors import DataError, did_you_mean
from assay.io.flat import read_flat, write_flat
from assay.io.mapping import read_column_map
from assay.io.mapping.read import read_mapped
from assay.io.special.colors import read_colors
from assay.io.special.colors_writer import write_colors
from assay.io.special.diversity import read_diversity, write_diversity
from assay.io.special.lm_eval import read_lm_eval
from assay.io.special.mturk import read_mturk
from assay.io.special.mturk_mapping import is_batch_mapping, read_mapping, shipped_mappings
from assay.io.tabular import ENDINGS
from assay.io.tabular.json_lines import objects
from assay.io.tabular.separated import numbered_rows
from assay.records import Dataset

FORMATS = ("flat", "diversity", "mturk", "colors", "lm-eval")
OTHER_ENDINGS: tuple[str, ...] = ()
WRITERS = {"flat": write_flat, "diversity": write_diversity, "colors": write_colors}

# Columns specific to one format; the first match decides.
_SIGNS = {"resp_0": "diversity", "clickColH": "colors", "AssignmentId": "mturk"}


def read_file(
    path: Path, format: str | None, mapping: str | Path | Mapping[str, Any] | None, *, keep_worker_ids: bool
) -> Dataset:
    """Read a file in the given format, through a mapping, or in the format detected from its header."""
    if mapping is not None and not is_batch_mapping(mapping):
        if format not in (None, "flat"):
            raise DataError(f"{path}: a file of the format {format} has its own columns. Leave --map or --from out.")
        return read_mapped(path, read_column_map(mapping))
    name = format or ("mturk" if mapping else detect_format(path))
    if name not in FORMATS:
        raise DataError(f"no format {name!r}.{did_you_mean(name, FORMATS)}")
    if name == "flat":
        return read_flat(path)
    _check_ending(path, name)
    if name == "mturk":
        if not mapping:
            raise DataError(
                f"{path}: an MTurk batch file needs a mapping that says what its columns mean: a TOML file, "
                f"or one of {', '.join(shipped_mappings())}."
            )
        assert not isinstance(mapping, Mapping)
        return read_mturk(path, read_mapping(mapping), keep_worker_ids=keep_worker_ids)
    return {"diversity": read_diversity, "colors": read_colors, "lm-eval": read_lm_eval}[name](path)


def write_file(dataset: Dataset, path: Path, format: str = "flat") -> None:
    """Write a file in the given format, unless it cannot represent the whole dataset."""
    if format not in FORMATS:
        raise DataError(f"no format {format!r}.{did_you_mean(format, FORMATS)}")
    if format not in WRITERS:
        raise DataError(f"{path}: files of the format {format} are read, not written. Write {', '.join(WRITERS)}.")
    _check_ending(path, format)
    WRITERS[format](dataset, path)


def detect_format(path: Path) -> str:
    """Detect the format of a file from its suffix and its header or first line. Anything with a `text` is flat."""
    if path.suffix.lower() in (".csv", ".tsv"):
        header = next((cells for _, cells in numbered_rows(path, _ignore)), [])
        signs = _SIGNS if "text" not in header else {}
        return next((format for sign, format in signs.items() if sign in header), "flat")
    if path.suffix.lower() in (".jsonl", ".ndjson"):
        first = next((record for _, record in objects(path, _ignore)), {})
        return "lm-eval" if "text" not in first and {"doc_id", "resps"} <= set(first) else "flat"
    return "flat"


def _ignore(line: int, text: str) -> None:
    """Ignore problems: the actual reader reports them."""


def _check_ending(path: Path, format: str) -> None:
    endings = ENDINGS if format == "flat" else (".jsonl", ".ndjson") if format == "lm-eval" else (".csv", ".tsv")
    if path.suffix.lower() not in endings:
        raise DataError(f"{path}: files of the format {format} end in {' or '.join(endings)}. Rename it.")
