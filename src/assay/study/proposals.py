"""What a data set allows to be measured: the proposals of a new study file."""

from __future__ import annotations

from collections.abc import Sequence

from assay.errors import AssayError
from assay.needs import check_needs
from assay.records import JUDGED, Dataset
from assay.registry import parse

# What a first study should have where the data allows it; each takes seconds on a few thousand outputs.
FIRST = ("bleu", "chrf", "rouge", "length", "distinct", "self_bleu")
DIVERSITY = ("distinct", "self_bleu", "cos_sim")
# What people can be asked about sets: the criterion, and the evaluator that reads it.
HUMAN_DIVERSITY = {"diversity": "abs_hds", "similarity": "sim_hds"}


def judged_criteria(dataset: Dataset) -> list[str]:
    """The criteria that were answered with numbers about outputs."""
    table = dataset.judgments
    single = (table.kind == JUDGED.index("output")) & (table.other < 0) & (table.label < 0)
    return [table.criteria[code] for code in dict.fromkeys(table.criterion[single].tolist())]


def human_evaluators(dataset: Dataset) -> list[str]:
    """One call per criterion of `judged_criteria`."""
    return [f"human(criterion={criterion!r})" for criterion in judged_criteria(dataset)]


def usable_evaluators(dataset: Dataset, unit: str | None = None) -> list[str]:
    """The evaluators of a first study on this data; with `unit`, only those that score it by themselves."""
    return human_evaluators(dataset) + _usable(dataset, FIRST, unit)


def diversity_metrics(dataset: Dataset) -> list[str]:
    """The metrics of diversity for a first study; none where no set has several outputs."""
    if len(dataset.sets) == len(dataset.outputs):
        return []
    asked = dataset.judgments.criteria.to_list()
    return [*(name for criterion, name in HUMAN_DIVERSITY.items() if criterion in asked), *_usable(dataset, DIVERSITY)]


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
