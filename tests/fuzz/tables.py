"""Data sets as files: JSON lines, CSV, TSV, Parquet and folders of tables, well formed or not."""

from __future__ import annotations

import csv
import datetime
import decimal
import io
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from assay import Dataset
from assay.io.tabular.kinds import KNOWN
from assay.records.flat import FIELDS
from tests.fuzz import odd

FURTHER = ("x", "note", "score", "params.t", "x,y", "é", "", "unit", "value")

# What all cells of a further column may be like; an empty one is anything.
THEMES: list[list[str]] = [
    *([], [], ["1.10", "2.5", ""], ["1", "2", ""], ["1.0", "-0.0", "0"], ["NA", "1", "nan"], ["null", "None", ""]),
    *(["1234567890123456789", "1"], ['"1"', '"2"'], ['"a"', '"b"'], ["true", "false"], ["inf", "-inf", "1e22"]),
]


def record(rng: Random, *, wild: float) -> dict[str, Any]:
    """A line of a flat file; with `wild` as chance, a field holds anything."""
    made: dict[str, Any] = {"text": odd.text(rng)}
    for name in rng.sample(sorted(FIELDS - {"text"}), rng.randrange(4)):
        made[name] = odd.value(rng) if rng.random() < wild else _fitting(name, rng)
    for name in rng.sample(FURTHER, rng.randrange(3)):
        made[name] = odd.value(rng) if rng.random() < 0.5 else odd.text(rng)
    if rng.random() < wild:
        made["text"] = odd.value(rng)
    return made


def python_records(rng: Random) -> list[Any]:
    """Records as a program may make them: of any Python values, with keys of any type."""
    odd_values: list[Any] = [
        *(b"raw", {1, 2}, object(), datetime.datetime(2020, 1, 2), decimal.Decimal("1.10"), np.float32(1.5)),
        *(np.int64(3), np.bool_(True), np.array([1, 2]), float("nan"), 10**400, "\ud800", (1, 2), {1: 2}, {None: 1}),
    ]
    rows: list[Any] = [record(rng, wild=0.1) for _ in range(rng.randrange(1, 4))]
    for _ in range(rng.randrange(1, 3)):
        row = rng.choice(rows)
        row[rng.choice([*FURTHER, *sorted(FIELDS), 1, None, "\ud800"])] = rng.choice(odd_values)
    return rows if rng.random() < 0.95 else [*rows, rng.choice(odd_values)]


def json_lines(rng: Random) -> bytes:
    wild = rng.choice([0.0, 0.0, 0.3])
    lines = [odd.as_json(record(rng, wild=wild), rng) for _ in range(rng.randrange(1, 5))]
    content = rng.choice(["\n", "\r\n", "\n\n"]).join(lines).encode("utf-8", "surrogatepass")
    return odd.broken(content, rng) if rng.random() < 0.4 else content


def separated(rng: Random, delimiter: str) -> bytes:
    known = [name for name in KNOWN if name != "text"]
    names = rng.sample([*known, *FURTHER], rng.randrange(6)) + ["text"] * (rng.random() < 0.95)
    rng.shuffle(names)
    buffer = io.StringIO(newline="")
    ends = rng.choice(["\n", "\r\n"])
    # The writer quotes line ends only if they end its own rows.
    writer = csv.writer(buffer, delimiter=delimiter, lineterminator=ends, quoting=rng.choice([0, csv.QUOTE_ALL]))
    writer.writerow(names)
    themes = {name: rng.choice(THEMES) for name in FURTHER}
    for _ in range(rng.randrange(1, 5)):
        writer.writerow([rng.choice(themes[name]) if themes.get(name) else _cell(name, rng) for name in names])
    content = (b"\xef\xbb\xbf" if rng.random() < 0.1 else b"") + buffer.getvalue().encode()
    return odd.broken(content, rng) if rng.random() < 0.4 else content


def parquet(rng: Random) -> bytes:
    n = rng.randrange(1, 5)
    columns: dict[str, Any] = {"text": pa.array([odd.text(rng) for _ in range(n)])}
    for name in rng.sample(sorted(FIELDS | set(FURTHER)), rng.randrange(4)):
        columns[name] = _arrow(rng, n)
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink)
    content = sink.getvalue()
    return odd.broken(content, rng) if rng.random() < 0.4 else content


FORMATS: dict[str, Any] = {
    ".jsonl": json_lines,
    ".csv": lambda rng: separated(rng, ","),
    ".tsv": lambda rng: separated(rng, "\t"),
    ".parquet": parquet,
}


def folder(rng: Random, path: Path) -> None:
    """A folder of tables, of which some bytes may be changed."""
    from assay.io.folder import write_folder

    write_folder(Dataset.from_records(RICH), path, rng.choice(list(FORMATS)))
    for file in sorted(path.iterdir()):
        if rng.random() < 0.4:
            file.write_bytes(odd.broken(file.read_bytes(), rng))
        elif rng.random() < 0.1:
            file.unlink()


RICH: list[dict[str, Any]] = [
    {
        "id": f"o{k}",
        "item": f"i{k // 2}",
        "context": f"why {k // 2}?",
        "references": ["a b", "c"],
        "system": f"s{k % 2}",
        "text": f"word {k} ü",
        "logprobs": {"s0": -1.5 * k},
        "n_tokens": k + 1,
        "params": {"t": 0.5},
        "x": k,
        "note": "n",
        "judgments": [{"annotator": f"a{j}", "criterion": "c", "value": (j + k) % 3} for j in range(3)],
    }
    for k in range(6)
]


def _fitting(name: str, rng: Random) -> Any:
    name_or_number = odd.text(rng) or "n"
    return {
        "references": lambda: [odd.text(rng) for _ in range(rng.randrange(3))],
        "choices": lambda: ["a", "b", odd.text(rng)],
        "target": lambda: rng.choice([0, 1, 2, [0.5, 0.5, 0], [1, 0, 0]]),
        "human": lambda: rng.random() < 0.5,
        "logprob": lambda: rng.choice([-1.5, 0, "-inf"]),
        "logprobs": lambda: {name_or_number: rng.choice([-1.5, 0, "-inf", -1e-300])},
        "n_tokens": lambda: rng.randrange(9),
        "params": lambda: {name_or_number: rng.choice([0.7, 1, "x", odd.text(rng), 2**60 + 1])},
        "judgments": lambda: [
            {"annotator": "w", "criterion": name_or_number, "value": rng.choice([1, 0.5, "good", "1"])}
        ],
        "item_columns": lambda: {name_or_number: rng.choice([1, "a", odd.text(rng)])},
        "set_columns": lambda: {name_or_number: rng.choice([1, "a", odd.text(rng)])},
    }.get(name, lambda: odd.text(rng))()


def _cell(name: str, rng: Random) -> str:
    if KNOWN.get(name, "text") in ("text", "answer") or rng.random() < 0.3:
        return odd.text(rng)
    return rng.choice(["", odd.as_json(_fitting(name, rng) if rng.random() < 0.7 else odd.value(rng), rng)])


def _arrow(rng: Random, n: int) -> Any:
    """A column of any type that Arrow has."""
    day = datetime.datetime(2020, 1, 2, 3, 4, 5, 678)
    made = rng.choice(
        [
            lambda: pa.array([odd.text(rng) for _ in range(n)], rng.choice([pa.string(), pa.large_string()])),
            lambda: pa.array([odd.text(rng) for _ in range(n)]).dictionary_encode(),
            lambda: pa.array([rng.choice([0, 1, -5, 2**53 + 1, 2**62, None]) for _ in range(n)], pa.int64()),
            lambda: pa.array([rng.choice([0, 2**64 - 1, None]) for _ in range(n)], pa.uint64()),
            lambda: pa.array([rng.choice([0.0, -0.0, 1.5, float("inf"), float("nan"), None]) for _ in range(n)]),
            lambda: pa.array([rng.choice([1.5, None]) for _ in range(n)], pa.float32()),
            lambda: pa.array([rng.choice([True, False, None]) for _ in range(n)], pa.bool_()),
            lambda: pa.array([day] * n, pa.timestamp(rng.choice(["s", "ms", "us", "ns"]), rng.choice([None, "UTC"]))),
            lambda: pa.array([day.date()] * n, rng.choice([pa.date32(), pa.date64()])),
            lambda: pa.array([day.time()] * n, pa.time64("us")),
            lambda: pa.array([datetime.timedelta(1)] * n),
            lambda: pa.array([decimal.Decimal("1.10")] * n, pa.decimal128(10, 2)),
            lambda: pa.array([rng.choice([b"abc", b"\xff", None]) for _ in range(n)], pa.binary()),
            lambda: pa.array([[odd.text(rng)] for _ in range(n)]),
            lambda: pa.array([[1, None]] * n),
            lambda: pa.array([{"a": 1, "when": day, "b": b"x" if rng.random() < 0.3 else b""}] * n),
            lambda: pa.array([[{"annotator": "a", "criterion": "c", "value": 1.0, "unit": None}]] * n),
            lambda: pa.array([[("k", 1.5)]] * n, pa.map_(pa.string(), pa.float64())),
            lambda: pa.nulls(n),
            lambda: _bad_text(n),
        ]
    )
    return made()


def _bad_text(n: int) -> Any:
    offsets = pa.py_buffer(b"".join((2 * k).to_bytes(4, "little") for k in range(n + 1)))
    return pa.Array.from_buffers(pa.string(), n, [None, offsets, pa.py_buffer(b"\xc3\x28" * n)])
