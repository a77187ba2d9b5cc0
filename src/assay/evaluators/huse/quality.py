"""What stands for quality in HUSE: the mean judgment, unless another evaluator takes its place."""

from __future__ import annotations

import numpy as np

from assay.errors import EvaluatorError
from assay.evaluator import Evaluator
from assay.records import Dataset
from assay.registry import parse

# The question of the paper: how typical is this text? It is taken where the data has judgments of several criteria.
USUAL = "typicality"


def judged_criterion(dataset: Dataset) -> str:
    """Return the criterion that stands for quality where none was named."""
    about_outputs = dataset.judgments.about("output")
    known = about_outputs.where(~np.isnan(about_outputs.value)).criteria
    if not known:
        raise EvaluatorError(
            'HUSE needs judgments of outputs, as numbers, and the data has none. Add "judgments" to its lines, or '
            "put another evaluator in their place with quality=..."
        )
    if USUAL in known:
        return USUAL
    if len(known) == 1:
        return known[0]
    raise EvaluatorError(
        f"the data has judgments of {', '.join(map(repr, known))}. Say which one stands for quality: "
        f"quality=human(criterion={known[0]!r})."
    )


def quality_evaluator(dataset: Dataset, quality: Evaluator | None) -> Evaluator:
    """Return the evaluator of quality: the one asked for, or the mean judgment."""
    return quality if quality is not None else parse(f"human(criterion={judged_criterion(dataset)!r})")
