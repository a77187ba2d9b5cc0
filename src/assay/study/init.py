"""A new study file: looks at what the data has and proposes what can be measured."""

from __future__ import annotations

import json
from typing import Any

from assay.records import Dataset
from assay.study.lines import BARE_KEY
from assay.study.step import steps


def propose(data: str, dataset: Dataset) -> str:
    """Write a commented study file for this data."""
    lines = [
        "# What to study. Change what you like; `assay run` says what is wrong with it, by key and line.",
        f"title = {_toml(f'Study of {data}')}",
        f"data = {_toml(data)}  # as seen from this file, or data:NAME of the catalogue",
        f"# systems = [{', '.join(map(_toml, dataset.systems.id.to_list()))}]  # only these",
        "seed = 0",
        "resamples = 1000",
    ]
    for name, step in steps().items():
        keys = step.proposal(dataset)
        lines += ["", f"# {' '.join(step.about.split())}"]
        if keys is None:
            lines.append(f"# [{_name(name)}]: this data has nothing for it")
            continue
        lines.append(f"[{_name(name)}]")
        lines += [f"{key} = {_value(value)}" for key, value in keys.items()]
    return "\n".join(lines) + "\n"


def _value(value: Any) -> str:
    return _list(value) if isinstance(value, list | tuple) else _toml(value)


def _list(values: list[str] | tuple[str, ...]) -> str:
    inside = ", ".join(map(_toml, values))
    if len(inside) < 90:
        return f"[{inside}]"
    return "[\n" + "".join(f"  {_toml(value)},\n" for value in values) + "]"


def _toml(value: Any) -> str:
    """A text, a number or a truth in TOML: as in JSON, but that DEL is escaped too."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _name(step: str) -> str:
    return step if BARE_KEY.fullmatch(step) else _toml(step)
