"""Records of Argilla, as `to_json`, or flattened as `to_datasets` and `to_list(flatten=True)` give them.

Submitted responses are judgments, named after their question; suggestions are columns. `to_json` does not write whether
a response was submitted, so all of them count there. Spans are left out; several labels, and the order of a ranking,
are one label, joined by commas.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from assay.io.mapping.paths import opened
from assay.io.special.annotators import Annotators
from assay.io.special.described import described
from assay.io.tabular.rows import Row

RESPONSES, USERS, STATUS = ".responses", ".responses.users", ".responses.status"
OWN = ("id", "status", "_server_id", "vectors", "responses", "suggestions")


def recognizes(first: Mapping[str, Any]) -> bool:
    """Whether a row is a record with fields and responses, nested or flattened."""
    nested = isinstance(first.get("fields"), dict) and "responses" in first and "suggestions" in first
    return nested or any(key.endswith(USERS) for key in first)


def read(rows: Sequence[Row], source: str, annotators: Annotators) -> list[tuple[int, dict[str, Any]]]:
    """An output per record."""
    records = described([(line, _data(row)) for line, row in rows], source)
    result = []
    for (line, row), record in zip(rows, records, strict=True):
        judgments = [
            {"annotator": annotators.name(user), "criterion": question, "value": answer}
            for question, value, user, status in _responses(row)
            if status in (None, "submitted") and (answer := _answer(value)) is not None
        ]
        result.append((line, {**record, "id": str(row.get("id") or line), "judgments": judgments}))
    return result


def _data(row: Mapping[str, Any]) -> dict[str, Any]:
    if isinstance(row.get("fields"), dict):
        suggested = row.get("suggestions") or {}
        extra = {f"{name}.suggestion": one.get("value") for name, one in suggested.items() if isinstance(one, dict)}
        return {**row["fields"], **(row.get("metadata") or {}), **extra}
    return {key: value for key, value in row.items() if RESPONSES not in key and key not in OWN}


def _responses(row: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any, Any]]:
    """Question, value, user and status of each response."""
    nested = row.get("responses")
    if isinstance(nested, dict):
        for question, given in nested.items():
            for one in given or ():
                if isinstance(one, Mapping):
                    yield question, one.get("value"), one.get("user_id"), one.get("status")
        return
    for key in row:
        if not key.endswith(RESPONSES):
            continue
        values, users, status = (opened(row.get(name)) or [] for name in (key, f"{key}.users", f"{key}.status"))
        padded = [*status, *[None] * (len(values) - len(status))]
        for value, user, state in zip(values, users, padded, strict=False):
            yield key.removesuffix(RESPONSES), value, user, state


def _answer(value: Any) -> Any:
    if isinstance(value, list):
        return ", ".join(value) or None if all(isinstance(part, str) for part in value) else None
    return None if isinstance(value, dict) or value == "" else value
