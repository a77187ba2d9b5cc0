"""A new study file: looks at what the data has and proposes what can be measured."""

from __future__ import annotations

import json
from typing import Any

from assay.records import Dataset
from assay.study.step import steps


def propose(data: str, dataset: Dataset) -> str:
    """Write a commented study file for this data."""
    lines = [
        "# What to study. Change what you like; `assay run` says what is wrong with it, by key and line.",
        f"title = {json.dumps(f'Study of {data}', ensure_ascii=False)}",
        f"data = {json.dumps(data, ensure_ascii=False)}  # as seen from this file, or data:NAME of the catalogue",
        f"# systems = {json.dumps(dataset.systems.id.to_list(), ensure_ascii=False)}  # only these",
        "seed = 0",
        "resamples = 1000",
    ]
    for name, step in steps().items():
        keys = step.proposal(dataset)
        lines += ["", f"# {step.about}"]
        if keys is None:
            lines.append(f"# [{name}]: this data has nothing for it")
            continue
        lines.append(f"[{name}]")
        lines += [f"{key} = {_value(value)}" for key, value in keys.items()]
    return "\n".join(lines) + "\n"


def _value(value: Any) -> str:
    return _list(value) if isinstance(value, list | tuple) else json.dumps(value, ensure_ascii=False)


def _list(values: list[str] | tuple[str, ...]) -> str:
    inside = ", ".join(json.dumps(value, ensure_ascii=False) for value in values)
    if len(inside) < 90:
        return f"[{inside}]"
    return "[\n" + "".join(f"  {json.dumps(value, ensure_ascii=False)},\n" for value in values) + "]"
