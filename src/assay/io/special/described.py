"""Rows of an annotation task as flat records without judgments: their columns are the user's own, and guessed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.io.mapping.apply import mapped_records
from assay.io.mapping.columns import ColumnMap
from assay.io.mapping.guess import guess_mapping
from assay.io.mapping.paths import Path
from assay.io.mapping.profile import profiles

_ABOUT_TEXTS = ("text", "context", "references", "system", "item")


def described(rows: Sequence[tuple[int, Mapping[str, Any]]], source: str) -> list[dict[str, Any]]:
    """One record per row: texts, contexts and systems by the usual names of columns, else the longest text.

    Columns that are none of them are kept; a row without any text has an empty one.
    """
    plain = [(line, {f"{key}": value for key, value in row.items()}) for line, row in rows]
    fields = {
        name: sources
        for name, sources in guess_mapping(plain).mapping.fields.items()
        if name in _ABOUT_TEXTS and not any(getattr(one, "is_wild", False) for one in sources)
    }
    if "text" not in fields:
        taken = {getattr(one, "text", "") for sources in fields.values() for one in sources}
        texts = [column for column in profiles(plain) if column.is_text and column.path not in taken]
        if not texts:
            return [{"text": "", **_columns(row)} for _, row in plain]
        fields["text"] = (Path(max(texts, key=lambda column: column.length).path),)
    return mapped_records(plain, ColumnMap(fields), source)[0]


def _columns(row: Mapping[str, Any]) -> dict[str, Any]:
    from assay.records.flat import FIELDS

    return {f"file.{name}" if name in FIELDS else name: value for name, value in row.items() if value is not None}
