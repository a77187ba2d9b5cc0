"""MT-Bench and Arena-Hard: the answers of models, and the grades of FastChat's single-answer judge.

A turn after the first is an item of its own, `81/turn-2`. Grades come without texts; a grade of -1 is a failure of the
judge, and a gap.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.io.special.annotators import Annotators
from assay.io.tabular.rows import Row


def recognizes(first: Mapping[str, Any]) -> bool:
    """Whether a row is an answer or a grade."""
    keys = set(first)
    return {"question_id", "model_id", "choices"} <= keys or {"question_id", "model", "judge", "score", "turn"} <= keys


def read(rows: Sequence[Row], source: str, annotators: Annotators) -> list[tuple[int, dict[str, Any]]]:
    """Outputs, or outputs without texts that have a grade."""
    if "choices" in rows[0][1]:
        return [(line, record) for line, row in rows for record in _answers(row)]
    graded: dict[tuple[str, str], tuple[int, dict[str, Any]]] = {}
    for line, row in rows:
        item, model = _item(row["question_id"], int(row["turn"])), str(row["model"])
        _, record = graded.setdefault((item, model), (line, {"id": f"{item}|{model}", "item": item, "system": model}))
        record.setdefault("text", "")
        judge = row["judge"] if isinstance(row["judge"], list) else [row["judge"]]
        if row["score"] != -1:
            judgment = {"annotator": " ".join(map(str, judge)), "criterion": "score", "value": row["score"]}
            record.setdefault("judgments", []).append(judgment)
    return list(graded.values())


def _answers(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    records = []
    for choice in row["choices"]:
        for turn, text in enumerate(choice.get("turns", ()), 1):
            item, index = _item(row["question_id"], turn), choice.get("index", 0)
            name = f"{item}/{index}|{row['model_id']}"
            said = text["content"] if isinstance(text, Mapping) else text
            records.append({"id": name, "item": item, "system": str(row["model_id"]), "text": said})
    return records


def _item(question: Any, turn: int) -> str:
    return str(question) if turn < 2 else f"{question}/turn-{turn}"
