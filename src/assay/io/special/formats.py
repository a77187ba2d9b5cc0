"""Which reader reads a file: the one that was asked for, else the one that the header points to."""

from __future__ import annotations

from pathlib import Path

from assay.errors import DataError, did_you_mean
from assay.io.flat import read_flat
from assay.io.special.colors import read_colors
from assay.io.special.diversity import read_diversity
from assay.io.special.mturk import read_mturk
from assay.io.special.mturk_mapping import read_mapping, shipped_mappings
from assay.io.tabular.separated import numbered_rows
from assay.records import Dataset

FORMATS = ("flat", "diversity", "mturk", "colors")

# A column that only files of this format have; the first one found decides.
_SIGNS = {"resp_0": "diversity", "clickColH": "colors", "AssignmentId": "mturk"}


def read_file(path: Path, format: str | None, mapping: str | Path | None, *, keep_worker_ids: bool) -> Dataset:
    """Read a file in the given format, or in the one that its header points to."""
    name = format or ("mturk" if mapping else found_format(path))
    if name not in FORMATS:
        raise DataError(f"no format {name!r}.{did_you_mean(name, FORMATS)}")
    if name == "flat":
        return read_flat(path)
    if path.suffix.lower() not in (".csv", ".tsv"):
        raise DataError(f"{path}: files of the format {name} end in .csv or .tsv. Rename it, or leave the format out.")
    if name == "mturk":
        if not mapping:
            raise DataError(
                f"{path}: an MTurk batch file needs a mapping that says what its columns mean: a TOML file, "
                f"or one of {', '.join(shipped_mappings())}."
            )
        return read_mturk(path, read_mapping(mapping), keep_worker_ids=keep_worker_ids)
    return {"diversity": read_diversity, "colors": read_colors}[name](path)


def found_format(path: Path) -> str:
    """The format of a file, by its ending and header. A file with a column `text` is always flat."""
    if path.suffix.lower() not in (".csv", ".tsv"):
        return "flat"
    for _, header in numbered_rows(path, lambda line, text: None):
        if "text" not in header:
            return next((format for sign, format in _SIGNS.items() if sign in header), "flat")
        break
    return "flat"
