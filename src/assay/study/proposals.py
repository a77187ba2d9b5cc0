"""What a dataset allows to measure: defaults for a new study file."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.errors import AssayError
from assay.needs import check_needs
from assay.records import Dataset
from assay.records.columns import numbers_of
from assay.records.inferred import overall_first
from assay.references import has_references
from assay.registry import parse

# Evaluators of a first study; each takes seconds on a few thousand outputs.
OVERLAP: tuple[str, ...] = ("bleu", "chrf", "rouge")
COSTS = {"cost", "price", "usd", "latency", "latencyms", "latency_ms", "seconds", "duration"}
DIVERSITY = ("distinct", "self_bleu", "cos_sim")
MOST_RETRIEVED = 20_000  # outputs whose references are retrieved from human texts
MOST_LABELS = 12  # of a criterion; more are taken for free texts
FEWEST_SETS = 0.5  # minimum share of sets with several outputs
# Human judgments of diversity: what the criterion asks, its unit, and the evaluator.
HUMAN_DIVERSITY = (("diversity", "set", "abs_hds"), ("similarity", "pair", "sim_hds"))


def judged_criteria(dataset: Dataset) -> list[str]:
    """The criteria with numeric judgments of outputs, those of quality as a whole first."""
    about_outputs = dataset.judgments.about("output")
    return overall_first(about_outputs.where(~np.isnan(about_outputs.value)).criteria)


def labeled_criteria(dataset: Dataset) -> list[str]:
    """The criteria whose answers about outputs are a few labels."""
    about = dataset.judgments.about("output")
    numeric = set(judged_criteria(dataset))
    labels = {name: about.of(name) for name in about.criteria if name not in numeric}
    return [name for name, view in labels.items() if len(np.unique(view.table.label[view.rows])) <= MOST_LABELS]


def quality_criterion(dataset: Dataset) -> str | None:
    """The criterion that asks for quality, else the first numeric one."""
    judged = judged_criteria(dataset)
    asking = [name for name in dataset.asking("quality", "output") if name in judged]
    return next(iter(asking + judged), None)


def human_evaluators(dataset: Dataset) -> list[str]:
    """One call per criterion of `judged_criteria`."""
    return [f"human(criterion={criterion!r})" for criterion in judged_criteria(dataset)]


def usable_evaluators(dataset: Dataset, unit: str | None = None) -> list[str]:
    """The evaluators of a first study; with `unit`, only those that score it directly."""
    overlap = OVERLAP
    if not has_references(dataset) and dataset.human.any() and len(dataset) <= MOST_RETRIEVED:
        overlap = tuple(f"{name}(references=nearest())" for name in OVERLAP)
    sets = [name for name in diversity_metrics(dataset) if name in DIVERSITY[:2]]
    return human_evaluators(dataset) + _usable(dataset, (*overlap, "length", *sets), unit)


def quality_evaluators(dataset: Dataset) -> list[str]:
    """Evaluators of quality: human judgments, and overlap with references."""
    return human_evaluators(dataset) + _usable(dataset, OVERLAP)


def diversity_metrics(dataset: Dataset) -> list[str]:
    """The diversity metrics of a first study; none if most sets have a single output."""
    sizes = np.bincount(dataset.outputs.set, minlength=len(dataset.sets))
    if (sizes > 1).mean() < FEWEST_SETS:
        return []
    human = [name for asks, unit, name in HUMAN_DIVERSITY if len(dataset.asking(asks, unit)) == 1]
    return [*human, *_usable(dataset, DIVERSITY)]


def cost_column(dataset: Dataset) -> str | None:
    """The column of numbers that says what an output cost, by its name."""
    named = [name for name in dataset.outputs.columns if name.lower().rpartition(".")[2] in COSTS]
    numeric = [name for name in named if numbers_of(dataset.outputs.columns[name]) is not None]
    return f"column({numeric[0]!r})" if numeric else None


def _usable(dataset: Dataset, evaluators: Sequence[str], unit: str | None = None) -> list[str]:
    usable = []
    for name in evaluators:
        evaluator = parse(name)
        try:
            check_needs(dataset, [evaluator])
            offered = evaluator.offered(dataset)
        except AssayError:
            continue
        if unit is None or unit in offered:
            usable.append(name)
    return usable
