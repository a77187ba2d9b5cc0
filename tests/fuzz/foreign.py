"""Files of other projects, score tables, mappings and study files, well formed or not."""

from __future__ import annotations

import csv
import io
import json
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tests.fuzz import odd
from tests.io.special import test_colors, test_diversity, test_lm_eval, test_mturk


def foreign(kind: str, rng: Random) -> bytes:
    """A file of a format of another project: cells exchanged for odd ones, or bytes changed, or neither."""
    content = valid(kind)
    how = rng.random()
    if how < 0.45:
        return odd.broken(content, rng)
    if how < 0.9:
        return _other_values(kind, content, rng)
    return content


def mapping(rng: Random) -> bytes:
    """A mapping of an MTurk batch: wrong types and odd names, or bytes changed."""
    content = rng.choice([test_mturk.MAPPING, test_mturk.MINIMAL])
    if rng.random() < 0.5:
        return odd.broken(content.encode(), rng)
    lines = content.splitlines()
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(lines))
        if " = " in lines[at]:
            lines[at] = f"{lines[at].partition(' = ')[0]} = {toml_value(rng)}"
        else:
            lines.insert(at, f"{rng.choice(['page', 'systems', 'check', 'valid', 'x', 'answers'])} = {toml_value(rng)}")
    return "\n".join(lines).encode()


def study(rng: Random) -> bytes:
    """A study file: of odd values for known and unknown keys, or bytes changed. Its data is never there."""
    content = STUDY
    if rng.random() < 0.4:
        return odd.broken(content.encode(), rng)
    lines = content.splitlines()
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(1, len(lines))
        how = rng.random()
        if how < 0.6 and " = " in lines[at]:
            lines[at] = f"{lines[at].partition(' = ')[0]} = {toml_value(rng)}"
        elif how < 0.8:
            lines.insert(at, f"{rng.choice(KEYS)} = {toml_value(rng)}")
        else:
            lines.insert(at, rng.choice(["[scores]", "[x]", "[[meta]]", "[meta.a]", "[]", f"[{odd.text(rng)}]"]))
    return "\n".join(lines).encode()


def toml_value(rng: Random) -> str:
    made = rng.choice(
        [
            lambda: json.dumps(odd.text(rng)),
            lambda: "'" + rng.choice(["a", "bleu", "human('c')", "blue(", "bleu(x='\\ud800')"]) + "'",
            lambda: str(rng.choice([0, 1, -1, 2, 10**20, 10**400])),
            lambda: "9" * 5000,
            lambda: rng.choice(["1.5", "inf", "-inf", "nan", "1e999", "true", "1979-05-27T07:32:00", "07:32:00"]),
            lambda: "[" * 3000 + "]" * 3000,
            lambda: "[" * 40 + "]" * 40,
            lambda: "[" + ", ".join(toml_value(rng) for _ in range(rng.randrange(3))) + "]",
            lambda: "{" + ", ".join(f"k{k} = {toml_value(rng)}" for k in range(rng.randrange(3))) + "}",
            lambda: "",
        ]
    )
    return made()


def scores(rng: Random, ending: str) -> bytes:
    """A table of scores."""
    systems = [rng.choice(["a", "b", "c", odd.text(rng)]) for _ in range(rng.randrange(2, 5))]
    rows = [[system, f"i{k}", *(_score(rng) for _ in range(3))] for system in systems for k in range(3)]
    header = ["system", "item", "human", "m", rng.choice(["n", "m", "unit", odd.text(rng)])]
    if ending == ".parquet":
        columns = {name: [str(row[k]) if k < 2 else row[k] for row in rows] for k, name in enumerate(header)}
        sink = io.BytesIO()
        pq.write_table(pa.table({name: _column(values) for name, values in columns.items()}), sink)
        content = sink.getvalue()
    else:
        content = _csv([header, *rows], "\t" if ending == ".tsv" else ",")
    return odd.broken(content, rng) if rng.random() < 0.5 else content


def mtme(rng: Random, folder: Path) -> None:
    """Score files of mt-metrics-eval with their human scores and documents."""
    files = {
        "metric-scores/en-de/m-all.seg.score": "".join(f"s{k // 3}\t{k / 7}\n" for k in range(9)),
        "metric-scores/en-de/n-src.seg.score": "".join(f"s{k // 3}\t{k}\n" for k in range(9)),
        "human-scores/en-de.mqm.seg.score": "".join(f"s{k // 3}\t{rng.choice(['None', 1, 2])}\n" for k in range(9)),
        "documents/en-de.docs": "d a\nd b\nd c\n",
    }
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = content.encode()
        path.write_bytes(odd.broken(data, rng) if rng.random() < 0.4 else data)


MAPPING = test_mturk.MAPPING.encode()

STUDY = """data = "none.jsonl"
title = "A study"
seed = 1
resamples = 20
systems = ["a", "b"]
[health]
[scores]
evaluators = ["bleu", "human('c')"]
[meta]
targets = ["human('c')"]
evaluators = ["bleu", "length"]
[diversity]
evaluators = ["distinct"]
"""
KEYS = ("title", "data", "systems", "seed", "resamples", "evaluators", "target", "x", "a.b", '"q q"')


@cache
def valid(kind: str) -> bytes:
    if kind == "diversity":
        return (test_diversity.HEADER + "s,C,1.0,content_diversity,a,b,c,-0.5\nt,C,0.7,temp,d,e,f,\n").encode()
    if kind == "mturk":
        return (test_mturk.HEADER + "\n".join(test_mturk.ROWS)).encode()
    if kind == "colors":
        return _csv([test_colors.HEADER, *test_colors.ROWS], ",")
    return "\n".join(json.dumps(sample) for sample in (test_lm_eval.GENERATED, test_lm_eval.CHOSEN)).encode()


def _other_values(kind: str, content: bytes, rng: Random) -> bytes:
    """The same file with some values exchanged for odd ones, and written well."""
    if kind == "lm-eval":
        samples = [json.loads(line) for line in content.splitlines()]
        for sample in samples:
            for key in rng.sample(sorted(sample), rng.randrange(3)):
                sample[key] = odd.value(rng)
        return "\n".join(odd.as_json(sample, rng) for sample in samples).encode("utf-8", "surrogatepass")
    rows = list(csv.reader(io.StringIO(content.decode(), newline="")))
    for _ in range(rng.randrange(1, 4)):
        row = rng.choice(rows)
        row[rng.randrange(len(row))] = odd.text(rng)
    return _csv(rows, ",")


def _score(rng: Random) -> Any:
    return rng.choice(
        [1, 2.5, -1, 0.1, rng.random(), 1e300, None, "NA", odd.text(rng)] if rng.random() < 0.2 else [rng.random()]
    )


def _column(values: list[Any]) -> Any:
    try:
        return pa.array(values)
    except (pa.ArrowException, OverflowError):
        return pa.array([None if value is None else str(value) for value in values])


def _csv(rows: list[list[Any]], delimiter: str) -> bytes:
    buffer = io.StringIO(newline="")
    csv.writer(buffer, delimiter=delimiter, lineterminator="\r\n").writerows(rows)
    return buffer.getvalue().encode()
