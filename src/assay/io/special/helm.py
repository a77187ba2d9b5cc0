"""Runs of HELM: a folder with `scenario_state.json`, or a suite with a folder per run.

A request is an output of the model (several completions are a set), the correct references of its instance are the
references, or all of them the choices of a multiple-choice question. Statistics of an instance are columns. An instance
that was perturbed is an item of its own. Runs that score given references one by one are refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay.errors import DataError
from assay.io.paths import is_file
from assay.io.special.structure import as_written_by
from assay.io.tabular.strict_json import json_of
from assay.records import Dataset

STATE, STATISTICS, SPEC = "scenario_state.json", "per_instance_stats.json", "run_spec.json"
_MODEL_IN_NAME = re.compile(r",?model(_deployment)?=[^,]*")
PARAMS = ("temperature", "top_p", "max_tokens", "num_outputs", "max_train_instances")


def helm_runs(path: Path) -> list[Path]:
    """The runs in a folder: itself, or its direct subfolders."""
    if is_file(path / STATE):
        return [path]
    return sorted(file.parent for file in path.glob(f"*/{STATE}"))


def read_helm(path: Path) -> Dataset:
    """Read one run, or the runs of a suite; runs of several models share their items."""
    records: list[dict[str, Any]] = []
    for run in helm_runs(path):
        with as_written_by("HELM", run):
            records += _records(run)
    if not records:
        raise DataError(f"{path}: no requests with a result. Give a finished run.")
    return Dataset.from_records(records, path.name)


def _records(run: Path) -> list[dict[str, Any]]:
    state = json_of(run / STATE)
    if not isinstance(state, Mapping) or not isinstance(state.get("request_states"), list):
        raise DataError(f"{run / STATE}: not the state of a HELM run. It has no request_states.")
    spec = state.get("adapter_spec") or {}
    method = str(spec.get("method", ""))
    if "separate" in method or "ranking" in method:
        raise DataError(f"{run}: scores of given references ({method}), not texts of the model. It is not read.")
    name = json_of(run / SPEC).get("name", run.name) if is_file(run / SPEC) else run.name
    scenario = _MODEL_IN_NAME.sub("", str(name)).strip(":,") or run.name
    statistics = _statistics(run)
    return [
        record
        for request in state["request_states"]
        if isinstance(request, Mapping) and isinstance(request.get("result"), Mapping)
        for record in _outputs(request, scenario, spec, method, statistics)
    ]


def _outputs(
    request: Mapping[str, Any], scenario: str, spec: Mapping[str, Any], method: str, statistics: Mapping[Any, Any]
) -> list[dict[str, Any]]:
    instance, trial = request["instance"], request.get("train_trial_index", 0)
    perturbed = (instance.get("perturbation") or {}).get("name", "")
    name = f"{instance.get('id', '')}#{perturbed}" if perturbed else str(instance.get("id", ""))
    model = str((request.get("request") or {}).get("model") or spec.get("model") or "model")
    shared: dict[str, Any] = {
        "item": f"{scenario}/{name}",
        "system": model,
        "context": (instance.get("input") or {}).get("text", ""),
        "params": {key: spec[key] for key in PARAMS if isinstance(spec.get(key), int | float)},
        **_references(instance.get("references") or [], method),
        **statistics.get((str(instance.get("id")), perturbed, trial), {}),
    }
    shared = {key: value for key, value in shared.items() if value not in (None, [], {}, "")}
    mapping = request.get("output_mapping") or {}
    return [
        {
            "id": f"{scenario}/{name}/{trial}/{number}|{model}",
            "text": completion.get("text", ""),
            **({"answer": mapping[letter]} if (letter := completion.get("text", "").strip()) in mapping else {}),
            **shared,
        }
        for number, completion in enumerate(request["result"].get("completions") or [{}])
    ]


def _references(references: list[Any], method: str) -> dict[str, Any]:
    texts = [((one.get("output") or {}).get("text", ""), "correct" in (one.get("tags") or ())) for one in references]
    if "multiple_choice" in method:
        correct = [place for place, (_, right) in enumerate(texts) if right]
        return {"choices": [text for text, _ in texts], "target": correct[0] if len(correct) == 1 else None}
    return {"references": [text for text, right in texts if right and text]}


def _statistics(run: Path) -> dict[tuple[str, str, int], dict[str, float]]:
    """The mean of every statistic of an instance, by instance, perturbation and trial."""
    if not is_file(run / STATISTICS):
        return {}
    columns: dict[tuple[str, str, int], dict[str, float]] = {}
    for one in json_of(run / STATISTICS):
        key = (str(one.get("instance_id")), (one.get("perturbation") or {}).get("name", ""), one["train_trial_index"])
        for stat in one.get("stats", ()):
            value = stat.get("mean", stat["sum"] / stat["count"] if stat.get("count") else None)
            if value is not None:
                columns.setdefault(key, {})[f"stat.{stat['name']['name']}"] = value
    return columns
