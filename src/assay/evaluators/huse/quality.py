"""The quality feature of HUSE: the mean judgment, or another evaluator."""

from __future__ import annotations

import numpy as np

from assay.errors import EvaluatorError
from assay.evaluator import Evaluator
from assay.records import Dataset
from assay.registry import parse


def judged_criterion(dataset: Dataset) -> str:
    """The default criterion of quality: the one that asks for it, or the only one."""
    about_outputs = dataset.judgments.about("output")
    known = about_outputs.where(~np.isnan(about_outputs.value)).criteria
    if not known:
        raise EvaluatorError(
            'HUSE needs judgments of outputs, as numbers, and the data has none. Add "judgments" to its lines, or '
            "use another evaluator with quality=..."
        )
    asking = [name for name in dataset.asking("quality", "output") if name in known]
    if len(asking or known) == 1:
        return (asking or known)[0]
    raise EvaluatorError(
        f"the data has judgments of {', '.join(map(repr, known))}. Say which one is the quality: "
        f"quality=human(criterion={known[0]!r})."
    )


def quality_evaluator(dataset: Dataset, quality: Evaluator | None) -> Evaluator:
    """The evaluator of quality: the given one, or the mean judgment."""
    return quality if quality is not None else parse(f"human(criterion={judged_criterion(dataset)!r})")
