"""Flat files: one self-contained line per output."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from assay.io.mapping.read import no_text
from assay.io.tabular import Kinds, read_chunks, write_rows
from assay.io.tabular.kinds import KNOWN, Kind
from assay.records import Dataset, Values
from assay.records.columns import needs_mark
from assay.records.flat import FIELDS, FlatReader
from assay.records.unflat import flat_records
from assay.text.strings import Strings


def read_flat(path: Path) -> Dataset:
    """Read a flat file; every bad line is reported."""
    word = "record" if path.suffix.lower() == ".json" else "line"
    reader = FlatReader(path.name, default_system=path.stem, word=word)
    is_first = True
    with _paused_gc():
        for chunk in read_chunks(path, reader.problem, FIELDS):
            if is_first and "text" not in chunk.columns and len(chunk.lines):
                raise no_text(path, chunk.columns)
            reader.add_columns(chunk.columns, chunk.lines)
            is_first = False
    return Dataset.from_rows(reader.finish())


def write_flat(dataset: Dataset, path: Path, *, kinds: Kinds | None = None) -> None:
    """Write a flat file. Parameters are nested in JSON lines, and one column each in other formats.

    A part of a larger dataset is written with the columns of that one: `kinds_of` it.
    """
    nested = path.suffix.lower() in (".jsonl", ".ndjson")
    rows = flat_records(dataset) if nested else map(_spread_params, flat_records(dataset))
    write_rows(path, rows, kinds or kinds_of(dataset))


def column_kinds(columns: dict[str, Values]) -> dict[str, Kind]:
    """The kinds of user-defined columns."""
    return {name: _kind(values) for name, values in columns.items()}


def _kind(values: Values) -> Kind:
    if not isinstance(values, Strings):
        return "number"
    return "marked" if needs_mark(values) else "text"


@contextmanager
def _paused_gc() -> Iterator[None]:
    """Pause the garbage collector, which would scan the many parsed values for cycles again and again."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _spread_params(record: dict[str, Any]) -> dict[str, Any]:
    params = record.pop("params", {})
    return record | {f"params.{name}": value for name, value in params.items()}


def kinds_of(dataset: Dataset) -> Kinds:
    """The columns that are not empty, with their kinds."""
    items, sets, judgments = dataset.items, dataset.sets, dataset.judgments
    counted = (dataset.outputs.n_tokens >= 0).any() or (dataset.logprobs.n_tokens >= 0).any()
    present = {
        "context": len(items.context.packed) > 0,
        "references": len(items.references.texts) > 0,
        "choices": len(items.choices.texts) > 0,
        "target": len(items.target.values) > 0,
        "item_columns": bool(items.columns),
        "human": bool(dataset.systems.human.any()),
        "set_columns": bool(sets.columns),
        "logprobs": len(dataset.logprobs) > 0,
        "n_tokens": bool(counted),
        "judgments": len(judgments) > 0,
        "criteria": bool(dataset.criteria),
    }
    names = [name for name in _ORDER if present.get(name, name in _ALWAYS)]
    return {name: KNOWN[name] for name in names} | column_kinds(dict(dataset.outputs.columns))


_ALWAYS = ("id", "item", "system", "set", "text")
_ORDER = (
    *("id", "item", "context", "references", "choices", "target", "item_columns", "system", "set", "text"),
    *("human", "set_columns", "logprobs", "n_tokens", "judgments", "criteria"),
)
