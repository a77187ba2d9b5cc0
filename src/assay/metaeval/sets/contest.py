"""conTest: does a metric tell sets of high from sets of low diversity? After Tevet and Berant (2021).

Any label of two kinds will do: content diversity, sentiment, a style. For each metric Spearman's rho with the
label and OCA, the best accuracy of one threshold, with intervals over contexts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.errors import DataError
from assay.kernels.statistics.correlation import pearson, spearman
from assay.kernels.statistics.threshold import Bounds, accuracy_bounds, best_threshold
from assay.metaeval.questions.oriented import orientation, oriented
from assay.metaeval.questions.question import USUAL, Resampling
from assay.metaeval.sets.clustered import Answer, Clusters, Difference, correlation_interval, differences
from assay.scores import ScoreTable

NO_BOUNDS = Bounds(np.nan, np.nan, np.nan)


@dataclass(frozen=True)
class ContestRow:
    """One metric. The threshold is on the metric's own scale.

    `low`, `high` and `p_value` are those of rho. `oca` is the published number, the best accuracy on these sets;
    `oca_corrected`, `oca_low` and `oca_high` are about the best accuracy on all sets like these. `reason` says why
    intervals are missing.
    """

    evaluator: str
    rho: float
    oca: float
    threshold: float
    n: int
    low: float
    high: float
    p_value: float
    oca_corrected: float
    oca_low: float
    oca_high: float
    pearson: float
    n_missing: int
    signature: str
    reason: str = ""


@dataclass(frozen=True)
class Contest:
    """The metrics in the order asked for, and the differences between their rho."""

    results: tuple[ContestRow, ...]
    comparisons: tuple[Difference, ...]
    n_sets: int
    n_contexts: int
    draws: int
    seed: int


def contest(
    table: ScoreTable,
    label: NDArray[np.float64],
    clusters: NDArray[np.int64],
    *,
    how: Resampling = USUAL,
    workers: int = 1,
) -> Contest:
    """Hold every column of a table of sets against a label of two kinds, the larger being high diversity.

    Of `how` the resamples are the draws behind the interval of OCA; with 0 there are no intervals.
    """
    kinds = np.unique(label[~np.isnan(label)])
    if len(kinds) != 2:
        raise DataError(f"a conTest needs a label of two kinds, and this one has {len(kinds)}.")
    rows = []
    for name, column in table.columns.items():
        known = ~np.isnan(column.values) & ~np.isnan(label)
        values, target, groups = oriented(column)[known], label[known], clusters[known]
        oca, threshold = best_threshold(values, target == kinds[1])
        found: Answer = correlation_interval(values, target, groups, how, workers)
        bounds = _bounds(values, target == kinds[1], groups, how)
        rows.append(
            ContestRow(
                evaluator=name,
                rho=spearman(values, target),
                oca=oca,
                threshold=orientation(column) * threshold,
                n=len(values),
                low=found.low,
                high=found.high,
                p_value=found.p_value,
                oca_corrected=bounds.corrected,
                oca_low=bounds.low,
                oca_high=bounds.high,
                pearson=pearson(values, target),
                n_missing=len(known) - len(values),
                signature=column.signature,
                reason=found.reason,
            )
        )
    columns = [oriented(column) for column in table.columns.values()]
    return Contest(
        tuple(rows),
        tuple(differences(list(table.columns), columns, label, clusters, how, workers=workers)),
        n_sets=int((~np.isnan(label)).sum()),
        n_contexts=len(np.unique(clusters[~np.isnan(label)])),
        draws=how.resamples,
        seed=how.seed,
    )


def _bounds(
    values: NDArray[np.float64], is_high: NDArray[np.bool_], clusters: NDArray[np.int64], how: Resampling
) -> Bounds:
    groups = Clusters.of(clusters, how.seed)
    if not how.resamples or groups.too_few or not 0 < is_high.sum() < len(is_high):
        return NO_BOUNDS
    rng = np.random.default_rng(how.seed)
    return accuracy_bounds(values, is_high, groups.group, groups.n_groups, how.confidence, how.resamples, rng)
