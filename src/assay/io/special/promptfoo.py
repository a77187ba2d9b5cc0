"""Results of promptfoo (JSON and JSON lines): a row per test, prompt and provider.

The system is the provider, with the prompt's label where there are several prompts. The item is the test; its context
is the prompt as sent, or the variables where prompts differ. Scores, costs and latencies are columns; ratings by hand
are judgments of the criterion `human`. What an assertion compares a text with (`equals`, `similar`, `rouge-n`, `bleu`
...) is a reference.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from assay.io.special.annotators import Annotators
from assay.io.tabular.rows import Row

REFERRING = ("equals", "similar", "rouge-n", "bleu", "gleu", "meteor", "levenshtein", "factuality")


def recognizes(first: Mapping[str, Any]) -> bool:
    """Whether a row is the result of a test."""
    return {"provider", "prompt", "vars", "testIdx", "promptIdx"} <= set(first)


def read(rows: Sequence[Row], source: str, annotators: Annotators) -> list[tuple[int, dict[str, Any]]]:
    """An output per result."""
    several = len({row.get("promptIdx") for _, row in rows}) > 1
    taken: dict[str, int] = {}
    return [(line, _record(row, several, taken)) for line, row in rows]


def _record(row: Mapping[str, Any], several: bool, taken: dict[str, int]) -> dict[str, Any]:
    provider, prompt = row["provider"], row["prompt"]
    name = provider.get("label") or provider.get("id") if isinstance(provider, Mapping) else provider
    label = prompt.get("label") or row["promptIdx"] if isinstance(prompt, Mapping) else row["promptIdx"]
    system = f"{name} | {label}" if several else str(name)
    variables = row.get("vars") or {}
    context = json.dumps(variables, ensure_ascii=False) if several else _raw(prompt)
    first = f"{row['testIdx']}|{system}"
    copies = taken[first] = taken.get(first, 0) + 1
    record: dict[str, Any] = {
        "id": first if copies == 1 else f"{first}#{copies}",
        "item": f"test-{row['testIdx']}",
        "context": context,
        "system": system,
        "text": _output(row.get("response")),
        "score": row.get("score"),
        "success": row.get("success"),
        "latency_ms": row.get("latencyMs"),
        "cost": row.get("cost"),
        "error": row.get("error"),
        **{f"var.{key}": value for key, value in variables.items()},
        **{f"score.{key}": value for key, value in (row.get("namedScores") or {}).items()},
    }
    references = _references(row)
    judgments = _by_hand(row.get("gradingResult"))
    record |= {"references": references} if references else {}
    record |= {"judgments": judgments} if judgments else {}
    return {key: value for key, value in record.items() if value is not None}


def _raw(prompt: Any) -> str:
    raw = prompt.get("raw", "") if isinstance(prompt, Mapping) else prompt
    return raw if isinstance(raw, str) else json.dumps(raw, ensure_ascii=False)


def _output(response: Any) -> str:
    output = response.get("output") if isinstance(response, Mapping) else None
    if output is None:
        return ""
    return output if isinstance(output, str) else json.dumps(output, ensure_ascii=False)


def _references(row: Mapping[str, Any]) -> list[str]:
    test = row.get("testCase") or {}
    asserted = test.get("assert") or () if isinstance(test, Mapping) else ()
    values = [one.get("value") for one in asserted if isinstance(one, Mapping) and one.get("type") in REFERRING]
    flat = [part for value in values for part in (value if isinstance(value, list) else [value])]
    return list(dict.fromkeys(part for part in flat if isinstance(part, str)))


def _by_hand(grading: Any) -> list[dict[str, Any]]:
    parts = grading.get("componentResults") or () if isinstance(grading, Mapping) else ()
    return [
        {"annotator": "human", "criterion": "human", "value": part["score"]}
        for part in parts
        if isinstance(part, Mapping)
        and isinstance(part.get("assertion"), Mapping)
        and part["assertion"].get("type") == "human"
        and part.get("score") is not None
    ]
