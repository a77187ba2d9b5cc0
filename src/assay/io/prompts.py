"""Files of prompts: items without outputs."""

from __future__ import annotations

from pathlib import Path

from assay.io.files import Given, load
from assay.io.paths import is_file
from assay.io.tabular import ENDINGS, read_chunks
from assay.records import Dataset
from assay.records.flat import FIELDS, FlatReader


def load_prompts(path: str | Path | Given) -> Dataset:
    """Read items: those of a dataset, or of a file whose lines have a context and no text.

    In such a file `id` is the item's, and every item has one empty output.
    """
    only = path.path if isinstance(path, Given) else path
    place = Path(only or "")
    if place.suffix.lower() not in ENDINGS or not is_file(place):
        return load(path)
    reader = FlatReader(place.name, default_system=place.stem)
    for chunk in read_chunks(place, reader.problem, FIELDS):
        if "text" in chunk.columns or "context" not in chunk.columns:
            return load(path)
        columns = dict(chunk.columns)
        items = columns.pop("id", None)
        if items is not None and "item" not in columns:
            columns["item"] = items
        columns["text"] = [""] * len(chunk.lines)
        reader.add_columns(columns, chunk.lines)
    return Dataset.from_rows(reader.finish())
