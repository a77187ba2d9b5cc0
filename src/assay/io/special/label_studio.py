"""Exports of Label Studio (JSON): a task with its data and the annotations of it.

`choices`, `rating` and `number` results are judgments, named after their tag; results that mark regions or hold texts
are not. Several choices in one result are one label, joined by commas. Canceled annotations are left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.io.special.annotators import Annotators
from assay.io.special.described import described
from assay.io.tabular.rows import Row

JUDGED = ("choices", "rating", "number")


def recognizes(first: Mapping[str, Any]) -> bool:
    """Whether a row is a task with annotations."""
    return isinstance(first.get("data"), dict) and isinstance(first.get("annotations"), list)


def read(rows: Sequence[Row], source: str, annotators: Annotators) -> list[tuple[int, dict[str, Any]]]:
    """An output per task."""
    records = described([(line, task.get("data") or {}) for line, task in rows], source)
    result = []
    for (line, task), record in zip(rows, records, strict=True):
        judgments = [
            {"annotator": annotators.name(one.get("completed_by")), "criterion": part["from_name"], "value": value}
            for one in task.get("annotations") or ()
            if isinstance(one, Mapping) and not one.get("was_cancelled")
            for part in one.get("result") or ()
            if isinstance(part, Mapping) and (value := _answer(part)) is not None and part.get("from_name")
        ]
        result.append((line, {"id": str(task.get("id", line)), **record} | ({"judgments": judgments} or {})))
    return result


def _answer(part: Mapping[str, Any]) -> Any:
    kind, value = part.get("type"), part.get("value")
    if kind not in JUDGED or not isinstance(value, Mapping):
        return None
    answer = value.get(kind)
    return ", ".join(map(str, answer)) or None if isinstance(answer, list) else answer
