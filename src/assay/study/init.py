"""Proposes a study file with everything that a dataset allows."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from assay.errors import pass_on_interrupt
from assay.records import Dataset
from assay.study.lines import BARE_KEY
from assay.study.step import STEPS, Step, broken_steps, steps


def propose(data: str, dataset: Dataset, warn: Callable[[str], None] = lambda _: None) -> str:
    """Write a commented study file for a dataset; `warn` receives failures of third-party steps."""
    lines = [
        "# Edit as you like; `assay run` reports errors by key and line.",
        f"title = {_toml(f'Study of {data}')}",
        f"data = {_toml(data)}  # relative to this file, or data:NAME from the catalogue",
        f"# systems = [{', '.join(map(_toml, dataset.systems.id.to_list()))}]  # only these",
        "seed = 0",
        "resamples = 1000",
    ]
    for name, step in steps().items():
        lines += ["", *_proposed(name, step, dataset, warn)]
    for name, reason in broken_steps().items():
        warn(f"[{name}] is left out: {reason}")
    return "\n".join(lines) + "\n"


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
    return _list(value) if isinstance(value, list | tuple) else _toml(value)


def _list(values: list[str] | tuple[str, ...]) -> str:
    inside = ", ".join(map(_toml, values))
    if len(inside) < 90:
        return f"[{inside}]"
    return "[\n" + "".join(f"  {_toml(value)},\n" for value in values) + "]"


def _toml(value: Any) -> str:
    """A string, number or boolean in TOML: JSON with all control characters escaped."""
    return re.sub("[\x7f-\x9f]", lambda match: f"\\u{ord(match[0]):04x}", json.dumps(value, ensure_ascii=False))


def _name(step: str) -> str:
    return step if BARE_KEY.fullmatch(step) else _toml(step)
