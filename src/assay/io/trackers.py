"""Curves of several studies for experiment trackers, where they are installed: Weights & Biases and MLflow."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from assay.errors import AssayError, pass_on_interrupt

TRACKERS = ("wandb", "mlflow")

Points = Sequence[Mapping[str, float]]
"""By study in order, the metrics with their values."""

# MLflow accepts letters, digits and these in the name of a metric.
_NOT_IN_NAMES = re.compile(r"[^\w./ -]")


def metric_name(*parts: str) -> str:
    """The name of a metric that every tracker accepts: `bleu/sys1/low`."""
    return "/".join(_NOT_IN_NAMES.sub("_", part.replace("/", "_")) for part in parts if part)


def export(tracker: str, project: str, title: str, labels: Sequence[str], points: Points) -> None:
    """Write one run with a step per study. Nothing leaves the machine unless the tracker is set up to send it.

    Args:
        tracker: wandb or mlflow.
        project: of Weights & Biases; the experiment of MLflow.
        title: the name of the run.
        labels: names of the studies, kept as a parameter.
        points: the metrics of each study.
    """
    try:
        module = import_module(tracker)
    except ImportError as error:
        raise AssayError(
            f"{tracker} is not installed. Install it (pip install {tracker}), or write files: --json, --format or -o."
        ) from error
    try:
        (_to_wandb if tracker == "wandb" else _to_mlflow)(module, project, title, labels, points)
    except Exception as error:
        pass_on_interrupt(error)
        raise AssayError(f"{tracker} did not take the curves ({type(error).__name__}: {error}).") from error


def _to_wandb(wandb: Any, project: str, title: str, labels: Sequence[str], points: Points) -> None:
    # Offline unless the environment says otherwise: `wandb sync` sends the run later.
    mode = os.environ.get("WANDB_MODE", "offline")
    run = wandb.init(project=project, name=title, config={"studies": list(labels)}, mode=mode)
    try:
        for step, metrics in enumerate(points):
            run.log(dict(metrics), step=step)
    finally:
        run.finish()


def _to_mlflow(mlflow: Any, project: str, title: str, labels: Sequence[str], points: Points) -> None:
    mlflow.set_experiment(project)
    with mlflow.start_run(run_name=title):
        mlflow.log_params({f"study_{step}": label for step, label in enumerate(labels)})
        for step, metrics in enumerate(points):
            mlflow.log_metrics(dict(metrics), step=step)
