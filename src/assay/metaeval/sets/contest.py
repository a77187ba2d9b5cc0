"""conTest: does a metric separate sets of high and low diversity? After Tevet and Berant (2021).

Any binary label will do: content diversity, sentiment, style. Each metric gets Spearman's rho with the label and OCA,
the best accuracy of one threshold, with intervals over contexts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.errors import DataError
from assay.kernels.statistics.threshold import Bounds, accuracy_bounds, best_threshold
from assay.metaeval.questions.contrast import Contrast, contrast
from assay.metaeval.questions.correlation import Correlation, correlate
from assay.metaeval.questions.inquiry import Inquiry
from assay.metaeval.questions.oriented import orientation
from assay.metaeval.sets.set_study import cases_of, context_groups, made_by, scores_and_target, why_no_bounds
from assay.part import Number
from assay.scores import Column

NO_BOUNDS = Bounds(np.nan, np.nan, np.nan)


@dataclass(frozen=True)
class BestThreshold:
    """How well one threshold on a metric separates two classes; the threshold is on the metric's scale.

    `oca` is the published number, the best accuracy on these sets; `corrected`, `low` and `high` estimate the best
    accuracy in the population of sets. `reason` says why they are missing.
    """

    candidate: str
    target: str
    oca: float
    threshold: float
    corrected: float
    low: float
    high: float
    n: int
    n_missing: int
    reason: str
    signature: str

    def number(self) -> Number:
        """The corrected accuracy as a number."""
        return Number.of("oca, corrected", self, "corrected")


@dataclass(frozen=True)
class ConTestResult:
    """The metrics in the order of the candidates, and the differences between their rho."""

    correlations: tuple[Correlation, ...]
    thresholds: tuple[BestThreshold, ...]
    contrasts: tuple[Contrast, ...]


def contest(study: Inquiry) -> ConTestResult:
    """Test metrics of sets against a binary label, the larger value being high diversity.

    The resamples of the study give the interval of OCA; with 0 there are no intervals.
    """
    thresholds = tuple(best_thresholds(study))
    return ConTestResult(tuple(correlate(study)), thresholds, tuple(contrast(study)[0]))


def two_classes(name: str, label: Column) -> None:
    """Raise unless a label has exactly two values."""
    kinds = np.unique(label.values[~np.isnan(label.values)])
    if len(kinds) != 2:
        shown = ", ".join(f"{kind:g}" for kind in kinds[:5])
        raise DataError(
            f"a label has two values, low and high diversity, and {name!r} has {len(kinds)} ({shown or 'none'}). "
            "Name another column with --label, pick the high one with --high, or use `assay dectest` for a scale."
        )


def best_thresholds(study: Inquiry) -> list[BestThreshold]:
    """OCA of each metric."""
    two_classes(study.target.name, study.target)
    return [_best_threshold(study, column) for column in study.candidates]


def _best_threshold(study: Inquiry, column: Column) -> BestThreshold:
    cases = cases_of(study, column)
    scores, label = scores_and_target(cases)
    is_high = label == np.nanmax(study.target.values)
    oca, threshold = best_threshold(scores, is_high)
    reason = why_no_bounds(study, cases)
    if not reason and not 0 < is_high.sum() < len(is_high):
        reason = "all sets with a score are of one class"
    bounds = NO_BOUNDS
    if not reason:
        groups, how = context_groups(study, cases.rows), study.resampling
        rng = np.random.default_rng(how.seed)
        bounds = accuracy_bounds(scores, is_high, *groups, how.confidence, how.resamples, rng)
    return BestThreshold(
        candidate=column.name,
        target=study.target.name,
        oca=oca,
        threshold=orientation(column) * threshold,
        corrected=bounds.corrected,
        low=bounds.low,
        high=bounds.high,
        n=cases.n,
        n_missing=len(study.table) - cases.n,
        reason=reason,
        signature=made_by(study, "best_threshold", column),
    )
