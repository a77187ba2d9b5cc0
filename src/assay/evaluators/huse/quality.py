"""What stands for quality in HUSE: the mean judgment, or other evaluators in its place and beside it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from assay.batch import TextBank, make_batch, text_numbers
from assay.errors import EvaluatorError
from assay.evaluator import Evaluator, Fitted, Scored
from assay.records import JUDGED, Dataset
from assay.registry import parse
from assay.scores import Gaps
from assay.units import Units

# The question of the paper: how typical is this text? It is taken where the data has judgments of several criteria.
USUAL = "typicality"


def judged_criterion(dataset: Dataset) -> str:
    """Return the criterion that stands for quality where none was named."""
    table = dataset.judgments
    about_outputs = (table.kind == JUDGED.index("output")) & (table.other < 0) & ~np.isnan(table.value)
    known = [table.criteria[code] for code in np.unique(table.criterion[about_outputs]).tolist()]
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


def output_scores(dataset: Dataset, evaluators: Sequence[Evaluator]) -> tuple[NDArray[np.float64], Gaps]:
    """Score every output with each evaluator: one column each, and why a row has no number."""
    scored = [_of_outputs(dataset, evaluator) for evaluator in evaluators]
    reasons = [""] * len(dataset.outputs)
    for part in scored:
        for row in np.flatnonzero(part.gaps.codes).tolist():
            reasons[row] = reasons[row] or part.gaps[row]
    return np.column_stack([part.values for part in scored]), Gaps.of(reasons)


def _of_outputs(dataset: Dataset, evaluator: Evaluator) -> Scored:
    if isinstance(evaluator.shape, Fitted):
        raise EvaluatorError(
            f"{evaluator.name} learns from the data, which must be done by cross-fitting. Use assay.huse(data, "
            f"quality={evaluator.name!r}) or `assay huse --quality {evaluator.name}`, which do that."
        )
    if "output" not in evaluator.offered(dataset):
        raise EvaluatorError(f"{evaluator!r} gives no scores of outputs, so it cannot stand for quality in HUSE.")
    units, rows = Units("output", dataset), np.arange(len(dataset.outputs))
    source = None if evaluator.references is None else evaluator.references.resolve(dataset)
    bank = TextBank(dataset, text_numbers(units, rows, [] if source is None else [source]))
    batch = make_batch(units, rows, source, bank)
    if source is None:
        return evaluator.score(batch)
    usable = np.flatnonzero(batch.references.lengths > 0)
    scored = evaluator.score(batch.take(usable))
    values = np.full(len(rows), np.nan)
    values[usable] = scored.values
    reasons = np.full(len(rows), "no references", object)
    reasons[usable] = [scored.gaps[row] for row in range(len(usable))]
    return Scored(values, Gaps.of(reasons.tolist()))
