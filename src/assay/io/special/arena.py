"""Votes between two models: Chatbot Arena, MT-Bench's human and model judgments.

A vote names `model_a`, `model_b` and the winner. Texts are responses, or conversations: then the text is what the
assistant said in the judged turns, the context what the user said, with blank lines between turns. Votes of
FastChat's pairwise judge have no texts and two verdicts, one for each order of the answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from assay.io.mapping.apply import mapped_records
from assay.io.mapping.columns import read_column_map
from assay.io.mapping.paths import opened
from assay.io.special.annotators import Annotators
from assay.io.tabular.rows import Row

MAPPING = (
    "item=item,context=context,text=text_a,other.text=text_b,system=model_a,other.system=model_b,annotator=annotator,"
    "preferences.preferred=winner"
)
ONE_HOT = {"winner_model_a": "model_a", "winner_model_b": "model_b", "winner_tie": "tie"}


def recognizes(first: Mapping[str, Any]) -> bool:
    """Whether a row is a vote between two models."""
    keys = set(first)
    pairwise = {"model_1", "model_2", "g1_winner", "g2_winner"} <= keys
    return pairwise or ({"model_a", "model_b"} <= keys and ("winner" in keys or "winner_model_a" in keys))


def read(rows: Sequence[Row], source: str, annotators: Annotators) -> list[tuple[int, dict[str, Any]]]:
    """The answers of the models, and the votes as preferences."""
    votes = [(line, vote) for line, row in rows for vote in _votes(row, line, annotators)]
    records, lines = mapped_records(votes, read_column_map(MAPPING), source)
    return list(zip(lines, records, strict=True))


def _votes(row: Mapping[str, Any], line: int, annotators: Annotators) -> Iterator[dict[str, Any]]:
    turn = int(row["turn"]) if str(row.get("turn") or "").isdecimal() else 0
    name = str(row.get("question_id", row.get("id", line)))
    texts = [_answer(row, side, turn) for side in ("a", "b")]
    shared = {
        "item": name if turn < 2 else f"{name}/turn-{turn}",
        "context": _question(row, turn),
        "text_a": texts[0],
        "text_b": texts[1],
        "model_a": row.get("model_a", row.get("model_1")),
        "model_b": row.get("model_b", row.get("model_2")),
        "annotator": _judge(row, annotators),
        **{key: row[key] for key in ("language", "turn", "tstamp") if key in row},
    }
    if "g1_winner" in row:
        for order in ("g1", "g2"):
            winner = {"model_1": "model_a", "model_2": "model_b"}.get(row[f"{order}_winner"], row[f"{order}_winner"])
            if winner != "error":
                yield {**shared, "winner": winner, "order": order}
    elif "winner" in row:
        yield {**shared, "winner": row["winner"]}
    else:
        chosen = [side for key, side in ONE_HOT.items() if str(row.get(key)) in ("1", "1.0", "True")]
        yield {**shared, "winner": chosen[0] if chosen else None}


def _judge(row: Mapping[str, Any], annotators: Annotators) -> str:
    judge = row.get("judge")
    if isinstance(judge, list):  # a model and its prompt
        return " ".join(map(str, judge))
    return annotators.name(judge) if judge is not None else "visitor"


def _answer(row: Mapping[str, Any], side: str, turn: int) -> str:
    return _turns(row.get(f"response_{side}", row.get(f"conversation_{side}")), "assistant", turn)


def _question(row: Mapping[str, Any], turn: int) -> str:
    given = row.get("prompt", row.get("conversation_a"))
    return _turns(given, "user", turn)


def _turns(value: Any, role: str, turn: int) -> str:
    """What one side said, up to a turn (0: all of them)."""
    inside = opened(value)
    if not isinstance(inside, list):
        return "" if value is None else str(value)
    said = [part.get("content") if isinstance(part, Mapping) else part for part in inside if _is_by(part, role)]
    texts = [text if isinstance(text, str) else "" for text in said]
    return "\n\n".join(texts[:turn] if turn else texts)


def _is_by(part: Any, role: str) -> bool:
    return not isinstance(part, Mapping) or part.get("role") == role
