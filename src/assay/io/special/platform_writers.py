"""Write outputs with their judgments as tasks of Label Studio or records of Argilla.

Both platforms hold an output with what belongs to it (context, references, system, further columns) and the answers
about it. Judgments about sets, systems or pairs have no place there and are refused.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.errors import DataError
from assay.io.atomic import replacing
from assay.records import Dataset, Output
from assay.records.views import Judgment


def write_label_studio(dataset: Dataset, path: Path) -> None:
    """A task per output, with an annotation per annotator."""
    _write(dataset, path, "label-studio", _task)


def write_argilla(dataset: Dataset, path: Path) -> None:
    """A record per output, with a list of responses per question."""
    _write(dataset, path, "argilla", _record)


def _write(dataset: Dataset, path: Path, format: str, row_of: Callable[[int, Output], Mapping[str, Any]]) -> None:
    elsewhere = len(dataset.judgments) - len(dataset.judgments.about("output"))
    if elsewhere:
        raise DataError(
            f"{path}: {elsewhere} judgments are about sets, systems or pairs, which {format} has no place for. "
            "Write a flat file (.jsonl, .csv, .parquet) or a folder instead."
        )
    rows = [row_of(number, output) for number, output in enumerate(dataset.iter_outputs(), 1)]
    try:
        text = json.dumps(rows, ensure_ascii=False, indent=1, allow_nan=False)
    except ValueError:
        raise DataError(
            f"{path}: a column or an answer is infinite, and JSON has no such number. Leave the column out, or write a "
            "flat file (.jsonl, .csv, .parquet)."
        ) from None
    with replacing(path) as temporary:
        temporary.write_text(f"{text}\n", encoding="utf-8")


def _task(number: int, output: Output) -> dict[str, Any]:
    return {
        "id": number,
        "data": {"id": output.id, **_shown(output), **_about(output)},
        "annotations": [
            {"completed_by": annotator, "was_cancelled": False, "result": [_result(one) for one in given]}
            for annotator, given in _by_annotator(output.judgments).items()
        ],
    }


def _result(judgment: Judgment) -> dict[str, Any]:
    kind, answer = ("number", judgment.value) if isinstance(judgment.value, float) else ("choices", [judgment.value])
    return {"from_name": judgment.criterion, "to_name": "text", "type": kind, "value": {kind: answer}}


def _record(number: int, output: Output) -> dict[str, Any]:
    responses: dict[str, list[dict[str, Any]]] = {}
    for one in output.judgments:
        answer = {"value": one.value, "user_id": one.annotator, "status": "submitted"}
        responses.setdefault(one.criterion, []).append(answer)
    return {
        "id": output.id,
        "status": "completed" if responses else "pending",
        "fields": _shown(output),
        "metadata": _about(output),
        "suggestions": {},
        "responses": responses,
        "vectors": {},
    }


def _shown(output: Output) -> dict[str, Any]:
    """What annotators look at."""
    context = {"context": output.item.context} if output.item.context else {}
    return {**context, "text": output.text}


def _about(output: Output) -> dict[str, Any]:
    """What they need not see."""
    references = {"references": list(output.item.references)} if output.item.references else {}
    columns = {name: value for name, value in output.columns.items() if value == value and value != ""}
    human = {"human": True} if output.human else {}
    return {"item": output.item.id, "system": output.system, **human, **references, **columns}


def _by_annotator(judgments: Sequence[Judgment]) -> dict[str, list[Judgment]]:
    groups: dict[str, list[Judgment]] = {}
    for one in judgments:
        groups.setdefault(one.annotator, []).append(one)
    return groups


PLATFORMS = {"label-studio": write_label_studio, "argilla": write_argilla}
"""The writers by format; files are JSON arrays."""
