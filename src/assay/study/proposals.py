"""What a data set allows to be measured: the proposals of a new study file."""

from __future__ import annotations

from assay.errors import AssayError
from assay.needs import check_needs
from assay.records import JUDGED, Dataset
from assay.registry import names, parse

# What a first study should have where the data allows it; each takes seconds on a few thousand outputs.
FIRST = ("bleu", "chrf", "rouge", "length", "distinct", "self_bleu")


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
    usable = human_evaluators(dataset)
    for name in FIRST:
        if name in names():
            evaluator = parse(name)
            try:
                check_needs(dataset, [evaluator])
                offered = evaluator.offered(dataset)
            except AssayError:
                continue
            if unit is None or unit in offered:
                usable.append(name)
    return usable
