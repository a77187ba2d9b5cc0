"""Evaluator expressions, options and paths: what stands on a command line."""

from __future__ import annotations

import inspect
import json
import os
import socket
from functools import cache
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

import click

from assay.registry import BUILTIN, factory
from tests.contracts.worlds import records
from tests.fuzz import odd

# What loads a large library or a model is another test's matter.
HEAVY = (
    "bert_score",
    "content_diversity",
    "cross_encoder",
    "embedding_diversity",
    "inertia",
    "vendi",
    "volume",
    "homogeneity",
)
LIGHT = [name for name in BUILTIN if name not in (*HEAVY, "trained_content_diversity")]
# Commands that take seconds on any data, or the network.
LEFT_OUT = ("certify", "data", "demo", "reproduce", "run", "list")


def world() -> bytes:
    """Good data that every command can work with."""
    return "".join(json.dumps(record) + "\n" for record in records()).encode()


def expression(rng: Random) -> str:
    """An evaluator with odd parameters, or a text that is none."""
    how = rng.random()
    if how < 0.15:
        return odd.text(rng)
    if how < 0.3:
        call = expression(rng)
        return odd.broken(call.encode("utf-8", "replace"), rng).decode("utf-8", "replace")
    if how < 0.4:
        depth = rng.choice([2, 19, 30, 300])
        return "reduce(" * depth + "bleu" + ")" * depth
    name = rng.choice(LIGHT)
    known = _parameters(name)
    chosen = rng.sample(sorted(known), min(rng.randrange(3), len(known)))
    given = [f"{parameter}={_near(known[parameter], rng)}" for parameter in chosen]
    if name in ("human", "column", "asp_hds") and not chosen:
        given = [repr(rng.choice(["typicality", "quality", "content", odd.text(rng)]))]
    given += [f"x={literal(rng)}"] * (rng.random() < 0.1)
    return f"{name}({', '.join(given)})"


def _near(default: Any, rng: Random) -> str:
    """A value of the type that a parameter has, or anything."""
    if rng.random() < 0.4:
        return literal(rng)
    if isinstance(default, bool):
        return str(not default)
    if isinstance(default, int | float):
        return repr(rng.choice([default + 1, default * 2, 0, 1, 2, 3, 0.5, -1, 1000, 10**7]))
    if isinstance(default, str):
        words = ["13a", "chars", "words", "none", "exp", "floor", "uniform", "similarity", "bleu", "chrf", "typicality"]
        return repr(rng.choice([default, *words]))
    return literal(rng)


def literal(rng: Random) -> str:
    made = rng.choice(
        [
            lambda: repr(odd.text(rng)),
            lambda: repr(rng.choice([0, 1, 2, -1, 0.5, 10**9, 10**20, 1e-300, -1e300])),
            lambda: rng.choice(
                ["True", "None", "1e999", "0x" + "f" * 4000, "1" * 5000, "b'x'", "{}", "...", "-" * 500 + "1"]
            ),
            lambda: repr(rng.choice(["13a", "chars", "words", "given", "exp", "none", "uniform", "c", "a"])),
            lambda: f"({literal(rng)}, {literal(rng)})",
            lambda: rng.choice(["others(5)", "nearest()", "given()", "bleu", "length()", "nearest(k=0)", "others(-1)"]),
            lambda: "'\\ud800'",
        ]
    )
    return made()


def command_line(rng: Random, folder: Path) -> list[str]:
    """A command with good data and some options, whose values may be odd."""
    name = rng.choice(sorted(_commands()))
    command = _commands()[name]
    options = [part for part in command.params if isinstance(part, click.Option) and part.name != "help"]
    (folder / "data.jsonl").write_bytes(world())
    args: list[str] = [name]
    for part in command.params:
        if isinstance(part, click.Argument):
            args.append(str(folder / "data.jsonl") if part.name != "signature" else expression(rng))
    chosen = [part for part in options if part.required or rng.random() < 0.2]
    if any(part.name == "evaluators" for part in options) and rng.random() < 0.8:
        args += ["-e", rng.choice(["length", "bleu", "distinct", "human('typicality')", expression(rng)])]
        chosen = [part for part in chosen if part.name != "evaluators"]
    if any(part.name == "resamples" for part in options) and rng.random() < 0.8:
        args += ["--resamples", str(rng.choice([0, 1, 2, 20]))]
        chosen = [part for part in chosen if part.name != "resamples"]
    for part in chosen:
        args.append(part.opts[0])
        if not part.is_flag:
            args.append(_argument(part, rng, folder))
    return args


PATHS = (
    "",
    ".",
    "/",
    "none",
    "none.csv",
    "none.jsonl",
    "a\0b.jsonl",
    "x" * 5000 + ".csv",
    "/dev/null",
    "/dev/stdin",
    "..",
)


def path_line(rng: Random, folder: Path) -> list[str]:
    """A command with an odd path as data."""
    os.mkfifo(folder / "pipe.jsonl")
    with socket.socket(socket.AF_UNIX) as opened:
        opened.bind(str(folder / "s.jsonl"))
    own = [str(folder / "pipe.jsonl"), str(folder / "s.jsonl"), str(folder), str(folder / "pipe.jsonl" / "x.csv")]
    name = rng.choice(["score", "convert", "meta", "compare", "init", "agree", "run", "mtme", "hds", "huse", "prefer"])
    path = rng.choice([*PATHS, *own, odd.text(rng), odd.text(rng, halves=1.0) + ".jsonl", "data:" + odd.text(rng)])
    args = [name, path, *{"meta": ["--target", "human"], "prefer": ["--criterion", "c"]}.get(name, [])]
    if name in ("score", "meta", "compare"):
        args += ["-e", "length"]
    if name in ("convert", "mtme"):
        args += [
            "-o",
            rng.choice([str(folder / "out.csv"), str(folder / rng.choice(PATHS)), str(folder / "a" / "b.jsonl")]),
        ]
    return args


ANALYSES = (
    *("score -e bleu -e chrf -e length", "score -e rouge -e ter", "score -e distinct -e self_bleu --unit set"),
    *("score -e mtld -e type_token_ratio -e compression_ratio", "score -e human('typicality') --unit system --json"),
    *("score -e column('quality')", "score -e perplexity", "score -e meteor(wordnet='none')", "score -e cider"),
    *("compare -e length -e bleu --resamples 5", "meta -e length --target human('typicality') --resamples 5"),
    *("meta -e bleu --target column('quality') --resamples 5 --level system --format latex", "agree --resamples 3"),
    *(
        "prefer --criterion more_diverse --resamples 3",
        "hds --criterion diversity",
        "huse --no-intervals",
        "init",
        "power --pilot DATA -e length --n 3 --systems a b --studies 5",
    ),
    *("contest -e distinct --resamples 3", "dectest -e distinct --resamples 3 --param t --repeats 2 --subset 3"),
    *(
        "nuggets --group-size 2",
        "neighbors --criterion typicality",
        "compare -e length --resamples 5 --format markdown",
    ),
)
MAY_BE_MISSING = ("references", "judgments", "logprobs", "context", "human", "quality")


def analysis(rng: Random, folder: Path) -> list[str]:
    """A question about data in which some values were exchanged for odd ones that fit."""
    rows = records()
    if rng.random() < 0.3:
        rows = [row | {"judgments": []} for row in rows if row["item"] == "i0"]
    names = {row[name] for row in rows for name in ("id", "item", "set", "system")}
    votes = [judgment for row in rows for judgment in row["judgments"]]
    names |= {judgment[name] for judgment in votes for name in ("annotator", "criterion")}
    for old in rng.sample(sorted(names), rng.randrange(3)):
        rows = _exchanged(rows, old, odd.text(rng) or "x")
    for name in rng.sample(MAY_BE_MISSING, rng.choice([0, 0, 1])):
        rows = [{key: value for key, value in row.items() if key != name} for row in rows]
    for row in rng.sample(rows, rng.randrange(4)):
        row["text"] = odd.text(rng)
    path = folder / "data.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    name, *options = rng.choice(ANALYSES).split()
    args = [str(path) if word == "DATA" else word for word in options]
    return [name, *([] if name == "power" else [str(path)]), *args]


def _exchanged(value: Any, old: str, new: str) -> Any:
    """The same data with a name exchanged wherever it stands."""
    if isinstance(value, dict):
        return {new if key == old else key: _exchanged(part, old, new) for key, part in value.items()}
    if isinstance(value, list):
        return [_exchanged(part, old, new) for part in value]
    return new if value == old else value


def _argument(part: click.Option, rng: Random, folder: Path) -> str:
    kind = part.type
    if isinstance(kind, click.Choice):
        return str(rng.choice([*kind.choices, odd.text(rng)]))
    if isinstance(kind, click.IntRange | click.types.IntParamType):
        return str(rng.choice([0, 1, 2, 3, 5, 20, -1, 10**9, 10**20, "1e3", "x"]))
    if isinstance(kind, click.FloatRange | click.types.FloatParamType):
        return str(rng.choice([0, 0.5, 0.05, 0.95, 1, 2, -1, 1e-300, 1e300, "nan", "inf", "-inf", "x"]))
    if part.name in ("train", "pilot", "across", "contest", "nuggets", "dectest"):
        return str(folder / rng.choice(["data.jsonl", "data.jsonl", "none.jsonl"]))
    if isinstance(kind, click.Path):
        return str(
            folder / rng.choice(["out.csv", "out.jsonl", "out.svg", "out", "no/out.csv", "out.xyz", "x" * 300 + ".csv"])
        )
    if part.name in ("kernel", "compare", "kernels"):
        return rng.choice(["bleu", "chrf", "rouge_l", odd.text(rng)])
    if part.name == "model":
        return odd.text(rng)
    return rng.choice(
        ["typicality", "label_value", "a", "b", "people", "item", "annotators", "bleu", odd.text(rng), expression(rng)]
    )


@cache
def _commands() -> dict[str, click.Command]:
    from assay.cli import COMMANDS

    return {
        name: import_module(f"assay.cli.{name}_command").command
        for name in COMMANDS
        if name not in LEFT_OUT and not isinstance(import_module(f"assay.cli.{name}_command").command, click.Group)
    }


@cache
def _parameters(name: str) -> dict[str, Any]:
    """The parameters of an evaluator and their defaults."""
    return {given.name: given.default for given in inspect.signature(factory(name)).parameters.values()}
