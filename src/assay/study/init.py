"""Proposes a study file with everything that a dataset allows."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from assay.errors import AssayError, pass_on_interrupt
from assay.io import load
from assay.io.catalogue import PREFIX
from assay.io.files import Given
from assay.io.mapping import ColumnMap, read_column_map
from assay.io.mapping.explain import explained_guess, is_foreign
from assay.io.special.judgment_stores import is_store
from assay.io.special.mturk_mapping import is_batch_mapping
from assay.io.toml import toml_value
from assay.io.toml_lines import BARE_KEY
from assay.metaeval.votes.pair_judgments import compared_criteria
from assay.records import Dataset
from assay.records.columns import numbers_of
from assay.study.step import STEPS, Step, broken_steps, steps

ANNOTATE = "annotate"
"""The step that says where the data is; it is proposed for a store."""


def init(data: Any, say: Callable[[str], None] = lambda _: None, *, folder: str | Path = ".") -> str:
    """Propose a study file for data as `assay.load` takes it.

    A foreign file gets a guessed mapping, explained with three rows as they are understood.

    Args:
        data: a path, or several.
        say: receives what a reader should know.
        folder: where the study file will be: paths in it are relative to that.
    """
    several = isinstance(data, list | tuple)
    given = data if isinstance(data, Given) else Given(tuple(map(str, data)) if several else (str(data),))
    if given.hypotheses:
        raise AssayError("a study names one data file. Convert the texts first: assay convert --hyp ... -o data.jsonl")
    path = given.path
    if path is not None and is_foreign(path):
        guess = explained_guess(path, say)
        given = replace(given, mapping=str(guess.mapping))
    dataset = load(given)
    mapping = None if given.mapping is None else _mapping_of(given.mapping)
    names = [_seen_from(folder, name) for name in given.paths]
    return propose(names, dataset, say, mapping=mapping, systems=given.systems, exclude=given.exclude)


def _seen_from(folder: str | Path, name: str) -> str:
    """A path relative to a folder; an absolute one and the name of a dataset stay."""
    return name if name.startswith(PREFIX) or os.path.isabs(name) else os.path.relpath(name, folder)


def _mapping_of(given: Any) -> ColumnMap | str:
    """The mapping to write into the study: columns, or the name of a batch mapping."""
    return str(given) if is_batch_mapping(given) else read_column_map(given)


def propose(
    data: str | Sequence[str],
    dataset: Dataset,
    warn: Callable[[str], None] = lambda _: None,
    *,
    mapping: ColumnMap | str | None = None,
    systems: Sequence[str] = (),
    exclude: Sequence[str] = (),
) -> str:
    """Write a commented study file for a dataset; `warn` receives failures of third-party steps."""
    names = (data,) if isinstance(data, str) else tuple(data)
    known = dataset.systems.id.to_list()
    only = [name for name in known if name not in exclude] if systems or exclude else []
    store = names[0] if len(names) == 1 and is_store(names[0]) else ""
    where = f"data = {toml_value(names[0]) if len(names) == 1 else _list(names)}  # relative to this file, or data:NAME"
    lines = [
        "# Edit as you like; `assay run` reports errors by key and line.",
        f"title = {toml_value('Study of ' + ', '.join(names))}",
        "# The data is the store of [annotate], as it stands when the study is run." if store else where,
        f"{'' if only else '# '}systems = [{', '.join(map(toml_value, only or known))}]  # only these",
        "seed = 0",
        "resamples = 1000",
        *_map_lines(mapping),
        *_left_out(dataset, warn),
        *_compared(dataset, names, mapping, warn),
    ]
    for name, step in steps().items():
        if name == ANNOTATE:
            lines += ["", f"# {step.about}", f"[{name}]", f"store = {toml_value(store)}"] if store else []
        else:
            lines += ["", *_proposed(name, step, dataset, warn)]
    for name, reason in broken_steps().items():
        warn(f"[{name}] is left out: {reason}")
    return "\n".join(lines) + "\n"


def _map_lines(mapping: ColumnMap | str | None) -> list[str]:
    """The mapping of a foreign file: a table, or the name of a batch mapping."""
    if mapping is None:
        return []
    if isinstance(mapping, str):
        return [f"map = {toml_value(mapping)}"]
    return ["", "# Which columns are texts, names and judgments.", "[map]", *mapping.as_toml().splitlines()]


def _left_out(dataset: Dataset, warn: Callable[[str], None]) -> list[str]:
    """Say which columns of numbers no step uses: `column('name')` scores with them."""
    columns = [name for name, values in dataset.outputs.columns.items() if numbers_of(values) is not None]
    if not columns:
        return []
    calls = ", ".join(f'"column({name!r})"' for name in columns[:6])
    shown = f"{calls}{' ...' if len(columns) > 6 else ''}"
    warn(f"Columns of numbers are evaluators too: {shown}")
    return [f"# Columns of numbers are evaluators too: {shown}"]


def _compared(
    dataset: Dataset, names: Sequence[str], mapping: ColumnMap | str | None, warn: Callable[[str], None]
) -> list[str]:
    """Say which command ranks systems by comparisons, which no step does."""
    criteria = compared_criteria(dataset)
    if not criteria:
        return []
    words = ["assay", "prefer", *names, *(["--map", str(mapping)] if mapping else [])]
    said = f"Comparisons of two units rank systems: {shlex.join(words)} --criterion {shlex.quote(criteria[0])}"
    warn(said)
    return [f"# {said}"]


def _proposed(name: str, step: type[Step], dataset: Dataset, warn: Callable[[str], None]) -> list[str]:
    """The lines of one step. Errors in a third-party step become warnings."""
    try:
        keys = step.proposal(dataset)
        about = f"# {' '.join(step.about.split())}"
        if keys is None:
            return [about, f"# [{_name(name)}]: does not apply to this data"]
        return [about, f"[{_name(name)}]", *(f"{_name(key)} = {_value(value)}" for key, value in keys.items())]
    except Exception as error:
        pass_on_interrupt(error)
        if name in STEPS:
            raise
        why = " ".join(f"{type(error).__name__}: {error}".split())
        warn(f"[{name}] is left out: its package failed to propose keys ({why}).")
        return [f"# [{_name(name)}]: its package failed to propose keys for it"]


def _value(value: Any) -> str:
    return _list(value) if isinstance(value, list | tuple) else toml_value(value)


def _list(values: list[str] | tuple[str, ...]) -> str:
    inside = ", ".join(map(toml_value, values))
    if len(inside) < 90:
        return f"[{inside}]"
    return "[\n" + "".join(f"  {toml_value(value)},\n" for value in values) + "]"


def _name(step: str) -> str:
    return step if BARE_KEY.fullmatch(step) else toml_value(step)
