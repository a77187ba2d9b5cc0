"""A case by its number: the files it needs and the command line that reads them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from tests.fuzz import commands, foreign, mapped, odd, tables

ENDINGS = list(tables.FORMATS)


@dataclass(frozen=True)
class Case:
    """A command line. Where it converts a file, the file that comes out must say what went in."""

    number: int
    subject: str
    args: list[str]
    converted: tuple[Path, Path] | None = None
    records: list[Any] | None = None
    """Instead of a command line: what is given to `Dataset.from_records`."""


def case(number: int, folder: Path) -> Case:
    """Make the case of a number in an empty folder; the same number gives the same case."""
    rng = Random(number)
    if rng.random() < 0.03:
        return Case(number, "records", [], records=tables.python_records(rng))
    subject = rng.choices(list(SUBJECTS), [weight for weight, _ in SUBJECTS.values()])[0]
    args, converted = SUBJECTS[subject][1](rng, folder)
    return Case(number, subject, args, converted)


Made = tuple[list[str], tuple[Path, Path] | None]


def _flat(rng: Random, folder: Path) -> Made:
    ending = rng.choice(ENDINGS)
    source = folder / f"in{ending}"
    source.write_bytes(tables.FORMATS[ending](rng))
    return _read(rng, folder, source, [])


def _folder(rng: Random, folder: Path) -> Made:
    tables.folder(rng, folder / "tables")
    return _read(rng, folder, folder / "tables", [])


def _foreign(kind: str) -> Callable[[Random, Path], Made]:
    def make(rng: Random, folder: Path) -> Made:
        source = folder / ("in.jsonl" if kind == "lm-eval" else rng.choice(["in.csv", "in.csv", "in.tsv"]))
        content = foreign.foreign(kind, rng)
        source.write_bytes(content.replace(b",", b"\t") if source.suffix == ".tsv" else content)
        options = ["--from", kind] if rng.random() < 0.8 else []
        return _read(rng, folder, source, options)

    return make


def _mturk(rng: Random, folder: Path) -> Made:
    (folder / "in.csv").write_bytes(foreign.foreign("mturk", rng) if rng.random() < 0.5 else foreign.valid("mturk"))
    (folder / "m.toml").write_bytes(foreign.mapping(rng) if rng.random() < 0.7 else foreign.MAPPING)
    out = folder / f"out{rng.choice(ENDINGS)}"
    args = ["convert", str(folder / "in.csv"), "--map", str(folder / "m.toml"), "-o", str(out)]
    return args + ["--keep-worker-ids"] * (rng.random() < 0.3), None


def _mapped(rng: Random, folder: Path) -> Made:
    """A foreign table through a mapping, or looked at by `init`."""
    source = mapped.table(rng, folder)
    if rng.random() < 0.3:
        return ["init", str(source)], None
    out = folder / f"out{rng.choice(ENDINGS)}"
    return ["convert", str(source), "--map", mapped.mapping(rng), "-o", str(out)], None


def _reader(rng: Random, folder: Path) -> Made:
    source = mapped.reader(rng, folder)
    return ["convert", str(source), "-o", str(folder / f"out{rng.choice(ENDINGS)}")], None


def _study(rng: Random, folder: Path) -> Made:
    (folder / "study.toml").write_bytes(foreign.study(rng))
    return ["run", str(folder / "study.toml"), "-o", str(folder / "out")], None


def _scores(rng: Random, folder: Path) -> Made:
    ending = rng.choice([".csv", ".tsv", ".parquet"])
    path = folder / f"scores{ending}"
    path.write_bytes(foreign.scores(rng, ending))
    return _judge(rng, folder, path), None


def _mtme(rng: Random, folder: Path) -> Made:
    foreign.mtme(rng, folder)
    path = folder / "metric-scores" / "en-de"
    return _judge(rng, folder, path), None


def _judge(rng: Random, folder: Path, path: Path) -> list[str]:
    return rng.choice(
        [
            ["mtme", str(path), "-o", str(folder / "out.csv")],
            ["mtme", str(path), "-o", str(folder / "set"), "--pair", rng.choice(["en-de", odd.text(rng)])],
            ["meta", str(path), "--target", rng.choice(["human", "human.mqm"]), "--resamples", "5", "--test", "none"],
            ["compare", str(path), "-e", rng.choice(["m", "m-all"]), "--resamples", "5", "--json"],
        ]
    )


def _expression(rng: Random, folder: Path) -> Made:
    (folder / "data.jsonl").write_bytes(commands.world())
    args = ["score", str(folder / "data.jsonl"), "--no-cache", "-e", commands.expression(rng)]
    return args + ["--json"] * (rng.random() < 0.3), None


def _read(rng: Random, folder: Path, source: Path, options: list[str]) -> Made:
    """Mostly a conversion, sometimes a command that shows what it reads."""
    if rng.random() < 0.75:
        out = folder / f"out{rng.choice([*ENDINGS, source.suffix or '', ''])}"
        return ["convert", str(source), "-o", str(out), *options], (source, out)
    shown = [["init"], ["score", "-e", "length", "--no-cache"], ["score", "-e", "length", "--no-cache", "--json"]]
    name, *rest = rng.choice([*shown, ["agree", "--resamples", "3"], ["score", "-e", "column('x')", "--no-cache"]])
    return [name, str(source), *rest], None


# Chances and makers.
SUBJECTS: dict[str, tuple[float, Callable[[Random, Path], Made]]] = {
    "flat": (40, _flat),
    "folder": (8, _folder),
    "diversity": (5, _foreign("diversity")),
    "colors": (5, _foreign("colors")),
    "lm-eval": (6, _foreign("lm-eval")),
    "mturk": (8, _mturk),
    "mapped": (10, _mapped),
    "readers": (10, _reader),
    "scores": (6, _scores),
    "mtme": (4, _mtme),
    "study": (8, _study),
    "expression": (8, _expression),
    "analyses": (8, lambda rng, folder: (commands.analysis(rng, folder), None)),
    "options": (6, lambda rng, folder: (commands.command_line(rng, folder), None)),
    "paths": (4, lambda rng, folder: (commands.path_line(rng, folder), None)),
}
