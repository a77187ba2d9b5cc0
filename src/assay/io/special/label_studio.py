"""Exports of Label Studio: tasks with their annotations (JSON), or a row per annotation (JSON-MIN, CSV, TSV).

`choices`, `rating` and `number` results are judgments, named after their tag; results that mark regions or hold texts
are not. Several choices in one result are one label, joined by commas. Canceled annotations are left out.

A row per annotation does not say which of its texts are single choices: in JSON-MIN those between the task's `id` and
the `annotator`, in tables those that differ between annotators of a task; in both, if few different ones occur.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from assay.io.mapping.paths import opened
from assay.io.special.annotators import Annotators
from assay.io.special.described import described
from assay.io.tabular.rows import Row

JUDGED = ("choices", "rating", "number")
OF_ROWS = ("annotation_id", "annotator", "created_at", "updated_at", "lead_time")
MOST_LABELS = 20


def recognizes(first: Mapping[str, Any]) -> bool:
    """Whether a row is a task with annotations, or an annotation with its task."""
    return _is_task(first) or {"id", *OF_ROWS} <= set(first)


def read(rows: Sequence[Row], source: str, annotators: Annotators) -> list[tuple[int, dict[str, Any]]]:
    """An output per task."""
    if not _is_task(rows[0][1]):
        return _read_annotations(rows, source, annotators)
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


def _is_task(row: Mapping[str, Any]) -> bool:
    return isinstance(row.get("data"), dict) and isinstance(row.get("annotations"), list)


def _answer(part: Mapping[str, Any]) -> Any:
    kind, value = part.get("type"), part.get("value")
    return _value(value, kind) if kind in JUDGED and isinstance(value, Mapping) else None


def _value(value: Mapping[str, Any], kind: str) -> Any:
    answer = value.get(kind)
    return ", ".join(map(str, answer)) or None if isinstance(answer, list) else answer


def _read_annotations(rows: Sequence[Row], source: str, annotators: Annotators) -> list[tuple[int, dict[str, Any]]]:
    """Rows of one task are one output; what is not an answer is its data."""
    answers = _answers(rows)
    tasks: dict[str, tuple[int, Mapping[str, Any]]] = {}
    judgments: dict[str, list[dict[str, Any]]] = {}
    own = {"id", *OF_ROWS, *answers}
    for line, row in rows:
        name = str(row["id"])
        tasks.setdefault(name, (line, {key: row[key] for key in row if key not in own and _is_data(row[key])}))
        judgments.setdefault(name, []).extend(
            {"annotator": annotators.name(row["annotator"]), "criterion": key, "value": value}
            for key in answers
            if (value := _cell(row.get(key))) is not None
        )
    records = described(list(tasks.values()), source)
    return [
        (line, {"id": name, **record, "judgments": judgments[name]})
        for (name, (line, _)), record in zip(tasks.items(), records, strict=True)
    ]


def _answers(rows: Sequence[Row]) -> list[str]:
    """The columns of answers."""
    columns = list(dict.fromkeys(key for _, row in rows for key in row))
    others = {"id", "text", *OF_ROWS}
    after = set(_between(columns, "id", "annotator"))
    return [
        key
        for key in columns
        if key not in others and (_is_structured(rows, key) or _is_label(rows, key, named=key in after))
    ]


def _between(columns: Sequence[str], first: str, last: str) -> Sequence[str]:
    """The columns between two, none if they come the other way round, as in a table with sorted columns."""
    return columns[columns.index(first) + 1 : columns.index(last)]


def _is_structured(rows: Sequence[Row], key: str) -> bool:
    values = [inside for _, row in rows if isinstance(inside := opened(row.get(key)), dict | list)]
    return bool(values) and any(_cell(value) is not None for value in values)


def _is_label(rows: Sequence[Row], key: str, *, named: bool) -> bool:
    texts = [(row["id"], row[key]) for _, row in rows if isinstance(row.get(key), str) and row[key]]
    labels: Collection[str] = {text for _, text in texts}
    if not texts or isinstance(opened(texts[0][1]), dict | list) or len(labels) > MOST_LABELS:
        return False
    return named or len(set(texts)) > len({task for task, _ in texts})


def _cell(value: Any) -> Any:
    """The answer in a cell: a text, or the only rating, number or choices in it."""
    inside = opened(value)
    if isinstance(inside, list):
        inside = inside[0] if len(inside) == 1 else None
    if isinstance(inside, Mapping):
        kind = next((kind for kind in JUDGED if kind in inside), None)
        return _value(inside, kind) if kind and "start" not in inside and "x" not in inside else None
    return inside if isinstance(inside, str) and inside else None


def _is_data(value: Any) -> bool:
    """Whether this is a value of the task: no marked regions, which are lists of objects."""
    inside = opened(value)
    return not (isinstance(inside, list) and inside and isinstance(inside[0], Mapping))
