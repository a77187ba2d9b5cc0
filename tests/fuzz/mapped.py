"""Files of other projects with odd values deep inside, and mappings of every shape."""

from __future__ import annotations

import gzip
import json
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tests.fuzz import odd
from tests.io.mapping.foreign_files import ALPACA_EVAL, FILES, HELPSTEER, SUMMEVAL, ULTRAFEEDBACK
from tests.io.special import test_foreign

PROMPTFOO = [
    test_foreign.promptfoo_result(test, column, provider, "Translate: {{word}}", word)
    for test, word in enumerate(("hello", "bye"))
    for column, provider in enumerate(("first", "second"))
]
# Records of every reader of rows, and documents.
ROWS: dict[str, list[Any]] = {
    "arena": [
        {"question_id": 1, "model_a": "a", "model_b": "b", "winner": "model_a", "judge": "j", "turn": 1,
         "conversation_a": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "x"}],
         "conversation_b": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "y"}]},
        {"id": 2, "model_a": "a", "model_b": "b", "prompt": '["q"]', "response_a": '["x"]', "response_b": '["y"]',
         "winner_model_a": 1, "winner_model_b": 0, "winner_tie": 0},
    ],
    "pairs": [{"question_id": 1, "model_1": "a", "model_2": "b", "g1_winner": "model_1", "g2_winner": "tie"}],
    "answers": [{"question_id": 1, "model_id": "m", "choices": [{"index": 0, "turns": ["x", "y"]}]}],
    "grades": [{"question_id": 1, "model": "m", "judge": ["g", "v"], "score": 7, "turn": 1}],
    "label-studio": [test_foreign.label_studio_task(1), test_foreign.label_studio_task(2)],
    "argilla": [{"id": "r", "fields": {"response": "x"}, "metadata": {}, "suggestions": {}, "vectors": {},
                 "responses": {"rating": [{"value": 4, "user_id": "u"}]}}],
    "flat argilla": [{"id": "r", "response": "x", "q.responses": [1], "q.responses.users": ["u"]}],
    "potato": [{"id": "7", "displayed_text": "x", "label_annotations": {"q": {"scale_3": "3"}}}],
    "potato 2": [{"instance_id": "7", "user_id": "u", "labels": {"q": {"scale_3": "3"}}}],
    "promptfoo": PROMPTFOO,
    "summeval": SUMMEVAL,
    "ultrafeedback": ULTRAFEEDBACK,
    "alpaca": ALPACA_EVAL,
}  # fmt: skip
DOCUMENTS = [test_foreign.INSPECT, test_foreign.promptfoo_file(PROMPTFOO)]
PLACES = ("response", "prompt", "helpfulness", "completions[].response", "completions[].model", "decoded", "ref*",
          "expert_annotations[].{criterion}", "output_{system}", "a.b", "[].x", "x[0]", "x[-1].y", "'gpt'", "", "{x}",
          "*", "id", "text", "output_1", "preference", "rating")  # fmt: skip
NAMES = ("text", "item", "id", "system", "context", "references", "judgments.overall", "judgments.{criterion}", "value",
         "annotator", "criterion", "preferences.p", "other.text", "other.system", "params.x", "logprobs.m", "choices",
         "target", "human", "n_tokens", "logprob", "rows", "set", "nonsense", "judgments.")  # fmt: skip


def mapping(rng: Random) -> str:
    """A mapping: a good one, or fields and columns at random."""
    if rng.random() < 0.4:
        return rng.choice(FILES).mapping
    pairs = [f"{rng.choice(NAMES)}={rng.choice([*PLACES, odd.text(rng)])}" for _ in range(rng.randrange(1, 5))]
    return rng.choice([",".join, ",,".join, " , ".join])(pairs)


def table(rng: Random, folder: Path) -> Path:
    """A foreign table with odd values, in any form it may come in."""
    kind = rng.random()
    if kind < 0.25:
        foreign = rng.choice(FILES)
        path = folder / foreign.name
        foreign.write(path)
    elif kind < 0.35:
        path = folder / "in.parquet"
        columns = {name: values for name, values in HELPSTEER.items() if rng.random() < 0.8} or HELPSTEER
        pq.write_table(pa.table(columns), path)
    else:
        path = folder / rng.choice(["in.jsonl", "in.json"])
        records = odd_inside(rng, rng.choice(list(ROWS.values())))
        path.write_bytes(_written(rng, records, path.suffix))
    if rng.random() < 0.3:
        path.write_bytes(odd.broken(path.read_bytes(), rng))
    if rng.random() < 0.1:
        packed = path.with_name(path.name + ".gz")
        packed.write_bytes(odd.broken(gzip.compress(path.read_bytes(), mtime=0), rng))
        return packed
    return path


def reader(rng: Random, folder: Path) -> Path:
    """A file that a reader recognizes, with odd values inside."""
    if rng.random() < 0.15:
        path = folder / "in.eval"
        path.write_bytes(odd.broken((test_foreign.FILES / "arith.eval").read_bytes(), rng))
        return path
    if rng.random() < 0.3:
        path = folder / "in.json"
        path.write_bytes(_as_bytes(rng, odd_inside(rng, rng.choice(DOCUMENTS))))
        return path
    if rng.random() < 0.2:
        return _run_of_helm(rng, folder / "run")
    path = folder / rng.choice(["in.jsonl", "in.json"])
    path.write_bytes(_written(rng, odd_inside(rng, rng.choice(list(ROWS.values()))), path.suffix))
    return path


def _run_of_helm(rng: Random, folder: Path) -> Path:
    test_foreign.helm_run(folder, "m", "mat")
    path = rng.choice(sorted(folder.iterdir()))
    path.write_bytes(_as_bytes(rng, odd_inside(rng, json.loads(path.read_text()))))
    return folder


def odd_inside(rng: Random, value: Any) -> Any:
    """A copy in which some values, at any depth, are odd ones, or left out."""
    value = deepcopy(value)
    for _ in range(rng.randrange(4)):
        _change(rng, value)
    return value


def _change(rng: Random, value: Any) -> None:
    inner = value
    while True:
        keys: list[Any] = list(inner) if isinstance(inner, dict) else list(range(len(inner)))
        if not keys:
            return
        key = rng.choice(keys)
        if isinstance(inner[key], dict | list) and inner[key] and rng.random() < 0.8:
            inner = inner[key]
            continue
        if rng.random() < 0.2:
            del inner[key]
        else:
            inner[key] = odd.value(rng)
        return


def _written(rng: Random, records: list[Any], ending: str) -> bytes:
    if ending == ".json":
        return _as_bytes(rng, records)
    return b"\n".join(_as_bytes(rng, record) for record in records)


def _as_bytes(rng: Random, value: Any) -> bytes:
    return odd.as_json(value, rng).encode("utf-8", "surrogatepass")
