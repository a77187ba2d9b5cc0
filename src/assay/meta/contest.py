"""conTest: does a metric tell sets of high from sets of low diversity? After Tevet and Berant (2021).

Any label of two kinds will do: content diversity, sentiment, a style. For each metric Spearman's rho with the
label and OCA, the best accuracy of one threshold, with intervals that draw whole contexts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.errors import DataError
from assay.kernels.correlation import pearson, spearman
from assay.kernels.threshold import best_threshold, weighted_best_accuracy
from assay.meta.clustered import Difference, clustered_interval, differences, spearman_rows
from assay.meta.oriented import orientation, oriented
from assay.meta.question import USUAL, Resampling
from assay.scores import ScoreTable


@dataclass(frozen=True)
class ContestRow:
    """One metric. `low` and `high` are the 95% interval of rho; the threshold is on the metric's own scale."""

    evaluator: str
    rho: float
    oca: float
    threshold: float
    n: int
    low: float
    high: float
    oca_low: float
    oca_high: float
    pearson: float
    n_missing: int
    signature: str


@dataclass(frozen=True)
class Contest:
    """The metrics in the order asked for, and the differences between their rho."""

    results: tuple[ContestRow, ...]
    comparisons: tuple[Difference, ...]
    n_sets: int
    n_contexts: int
    n_resamples: int
    seed: int


def contest(
    table: ScoreTable,
    label: NDArray[np.float64],
    clusters: NDArray[np.int64],
    *,
    how: Resampling = USUAL,
    workers: int = 1,
) -> Contest:
    """Hold every column of a table of sets against a label of two kinds, the larger being high diversity."""
    kinds = np.unique(label[~np.isnan(label)])
    if len(kinds) != 2:
        raise DataError(f"a conTest needs a label of two kinds, and this one has {len(kinds)}.")
    rows = []
    for name, column in table.columns.items():
        known = ~np.isnan(column.values) & ~np.isnan(label)
        values, target, groups = oriented(column)[known], label[known], clusters[known]
        is_high = target == kinds[1]
        oca, threshold = best_threshold(values, is_high)
        low, high, _ = clustered_interval(spearman_rows, values, target, groups, how, workers)
        oca_low, oca_high, _ = clustered_interval(
            lambda weights, x, y: weighted_best_accuracy(weights, x, y == kinds[1]),
            values,
            target,
            groups,
            how,
            workers,
        )
        rows.append(
            ContestRow(
                evaluator=name,
                rho=spearman(values, target),
                oca=oca,
                threshold=orientation(column) * threshold,
                n=len(values),
                low=low,
                high=high,
                oca_low=oca_low,
                oca_high=oca_high,
                pearson=pearson(values, target),
                n_missing=len(known) - len(values),
                signature=column.signature,
            )
        )
    columns = [oriented(column) for column in table.columns.values()]
    return Contest(
        tuple(rows),
        tuple(differences(list(table.columns), columns, label, clusters, how, workers=workers)),
        n_sets=int((~np.isnan(label)).sum()),
        n_contexts=len(np.unique(clusters[~np.isnan(label)])),
        n_resamples=how.resamples,
        seed=how.seed,
    )
