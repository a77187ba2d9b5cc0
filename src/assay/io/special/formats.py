"""Choose the reader of a file: the requested format, else the one detected from the header."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.errors import DataError, did_you_mean
from assay.io.flat import read_flat, write_flat
from assay.io.mapping import read_column_map
from assay.io.mapping.read import read_mapped
from assay.io.paths import text_of
from assay.io.places import stem
from assay.io.special.annotators import Annotators
from assay.io.special.colors import read_colors
from assay.io.special.colors_writer import write_colors
from assay.io.special.diversity import read_diversity, write_diversity
from assay.io.special.inspect_log import read_inspect
from assay.io.special.inspect_log import recognizes as recognizes_inspect
from assay.io.special.lm_eval import read_lm_eval
from assay.io.special.mturk import read_mturk
from assay.io.special.mturk_mapping import is_batch_mapping, read_mapping, shipped_mappings
from assay.io.special.mturk_writer import write_mturk
from assay.io.special.platform_writers import PLATFORMS
from assay.io.special.rowwise import ROW_FORMATS, format_of_row
from assay.io.special.structure import as_written_by
from assay.io.tabular import ENDINGS, READABLE
from assay.io.tabular.json_lines import objects
from assay.io.tabular.rows import Row, first_rows, read_rows
from assay.io.tabular.separated import numbered_rows
from assay.io.tabular.strict_json import json_of
from assay.records import Dataset

FORMATS = ("flat", "diversity", "mturk", "colors", "lm-eval", "inspect", *ROW_FORMATS)
# Endings of files that are no tables.
OTHER_ENDINGS = (".eval",)
WRITERS = {
    "flat": write_flat,
    "diversity": write_diversity,
    "colors": write_colors,
    "mturk": write_mturk,
    **PLATFORMS,
}

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
    if name in ROW_FORMATS:
        return read_foreign_rows(_rows_of(path, name), name, path, keep_worker_ids=keep_worker_ids)
    readers = {
        "diversity": read_diversity,
        "colors": read_colors,
        "lm-eval": read_lm_eval,
        "inspect": read_inspect,
    }
    return readers[name](path)


def read_foreign_rows(rows: Sequence[Row], name: str, path: Path, *, keep_worker_ids: bool) -> Dataset:
    """Read the rows of a format of `ROW_FORMATS`; a row that lacks what the format has is an error."""
    with as_written_by(name, path):
        numbered = ROW_FORMATS[name].read(rows, path.name, Annotators(keep=keep_worker_ids))
    if not numbered:
        raise DataError(f"{path}: no outputs. Give a file with at least one.")
    lines, records = zip(*numbered, strict=True)
    return Dataset.from_records(records, path.name, lines=lines, default_system=stem(path))


def write_file(dataset: Dataset, path: Path, format: str = "flat") -> None:
    """Write a file in the given format, unless it cannot represent the whole dataset."""
    if format not in WRITERS:
        raise DataError(f"{path}: files of the format {format} are read, not written. Write {', '.join(WRITERS)}.")
    _check_ending(path, format)
    WRITERS[format](dataset, path)


def written_endings(format: str) -> tuple[str, ...]:
    """How files of this format may end when they are written."""
    if format not in FORMATS:
        raise DataError(f"no format {format!r}.{did_you_mean(format, FORMATS)}")
    return (".json",) if format in PLATFORMS else ENDINGS


def detect_format(path: Path) -> str:
    """Detect the format of a file from its suffix and its header or first line. Most with a `text` are flat."""
    ending = path.suffix.lower()
    if ending == ".eval":
        return "inspect"
    if ending in (".csv", ".tsv"):
        header = next((cells for _, cells in numbered_rows(path, _ignore)), [])
        signs = _SIGNS if "text" not in header else {}
        known = next((format for sign, format in signs.items() if sign in header), None)
        return known or format_of_row(dict.fromkeys(header, "")) or "flat"
    if ending in (".jsonl", ".ndjson"):
        first = next((record for _, record in objects(path, _ignore)), {})
        is_log = "text" not in first and {"doc_id", "resps"} <= set(first)
        return "lm-eval" if is_log else format_of_row(first) or "flat"
    if ending == ".json":
        return _json_format(path)
    return next((format_of_row(row) for _, row in first_rows(path, 1)), None) or "flat"


def _json_format(path: Path) -> str:
    """The format of a JSON array by its first record, of a document by its keys or where its rows are."""
    for place in ("", *filter(None, (known.place for known in ROW_FORMATS.values()))):
        for _, row in first_rows(path, 1, place):
            known = format_of_row(row)
            if known is not None and ROW_FORMATS[known].place in ("", place):
                return known
    try:
        is_array = text_of(path).lstrip().startswith("[")
        return "inspect" if not is_array and recognizes_inspect(json_of(path)) else "flat"
    except DataError:
        return "flat"


def _rows_of(path: Path, name: str) -> list[Row]:
    """The rows of a file in a format of `ROW_FORMATS`; those of a document are at the place of the format."""
    place = ROW_FORMATS[name].place
    is_document = bool(place) and path.suffix.lower() == ".json" and not text_of(path).lstrip().startswith("[")
    return read_rows(path, place if is_document else "")


def _ignore(line: int, text: str) -> None:
    """Ignore problems: the actual reader reports them."""


def _check_ending(path: Path, format: str) -> None:
    special: dict[str, tuple[str, ...]] = {"lm-eval": (".jsonl", ".ndjson"), "inspect": (".eval", ".json")}
    tables = READABLE if format in ROW_FORMATS else ENDINGS if format == "flat" else (".csv", ".tsv")
    endings = special.get(format, tables)
    if path.suffix.lower() not in endings:
        raise DataError(f"{path}: files of the format {format} end in {' or '.join(endings)}. Rename it.")
