"""Results of promptfoo (JSON and JSON lines): a row per test, prompt and provider.

The system is the provider, with the prompt's label where there are several prompts (`promptIdx` numbers the pairs of
both). The item is the test, and a test that was repeated is one item. Its context is the prompt as sent, or the
variables where prompts differ. Scores, costs and latencies are columns; ratings by hand are judgments of the criterion
`human`. What an assertion compares a text with (`equals`, `similar`, `rouge-n`, `bleu` ...) is a reference, with the
variables of the test in it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from assay.io.special.annotators import Annotators
from assay.io.tabular.rows import Row

REFERRING = ("equals", "similar", "rouge-n", "bleu", "gleu", "meteor", "levenshtein", "factuality")
_VARIABLE = re.compile(r"\{\{\s*([\w.-]+)\s*\}\}")


def recognizes(first: Mapping[str, Any]) -> bool:
    """Whether a row is the result of a test."""
    return {"provider", "prompt", "vars", "testIdx", "promptIdx"} <= set(first)


def read(rows: Sequence[Row], source: str, annotators: Annotators) -> list[tuple[int, dict[str, Any]]]:
    """An output per result."""
    several = len({_prompt(row) for _, row in rows}) > 1
    tests: dict[str, Any] = {}
    taken: dict[str, int] = {}
    return [(line, _record(row, several, tests, taken)) for line, row in rows]


def _prompt(row: Mapping[str, Any]) -> Any:
    """What names the prompt before variables were put in."""
    prompt = row["prompt"]
    return row.get("promptId") or (prompt.get("label") if isinstance(prompt, Mapping) else row["promptIdx"])


def _record(row: Mapping[str, Any], several: bool, tests: dict[str, Any], taken: dict[str, int]) -> dict[str, Any]:
    provider, prompt = row["provider"], row["prompt"]
    name = provider.get("label") or provider.get("id") if isinstance(provider, Mapping) else provider
    label = prompt.get("label") or row["promptIdx"] if isinstance(prompt, Mapping) else row["promptIdx"]
    system = f"{name} | {label}" if several else str(name)
    variables = row.get("vars") or {}
    context = json.dumps(variables, ensure_ascii=False) if several else _raw(prompt)
    test = json.dumps([variables, None if several else context, row.get("testCase")], sort_keys=True)
    first = f"{row['testIdx']}|{system}"
    copies = taken[first] = taken.get(first, 0) + 1
    record: dict[str, Any] = {
        "id": first if copies == 1 else f"{first}#{copies}",
        "item": f"test-{tests.setdefault(test, row['testIdx'])}",
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
    """What the test compares with. A value that was computed from other things than variables is left out."""
    test = row.get("testCase")
    values = [
        part
        for one in _assertions(test if isinstance(test, Mapping) else {})
        if one.get("type") in REFERRING
        for value in [one.get("value")]
        for part in (value if isinstance(value, list) else [value])
        if isinstance(part, str)
    ]
    texts = [_filled(value, row.get("vars") or {}) for value in values]
    return list(dict.fromkeys(text for text in texts if "{{" not in text and not text.startswith("file://")))


def _assertions(within: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The assertions of a test, and those of its sets of assertions."""
    for one in within.get("assert") or ():
        if isinstance(one, Mapping):
            yield one
            yield from _assertions(one)


def _filled(template: str, variables: Mapping[str, Any]) -> str:
    def value(found: re.Match[str]) -> str:
        known = variables.get(found[1])
        return str(known) if isinstance(known, str | int | float) else found[0]

    return _VARIABLE.sub(value, template)


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
