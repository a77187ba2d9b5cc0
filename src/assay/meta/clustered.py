"""Many columns against one target, with intervals and differences from resampling whole clusters.

Sets of one context are not independent: resampling draws contexts, and a context brings all its sets. Every
column sees the same draws, so differences between columns are paired.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from assay.kernels.intervals import NO_INTERVAL, Interval, percentile
from assay.kernels.resample import Block, bootstrap_counts, map_blocks
from assay.kernels.significance import bootstrap_p, holm
from assay.kernels.weighted import weighted_spearman
from assay.meta.question import Resampling

Floats = NDArray[np.float64]
# (weights, values, target) -> one number per row of weights
Statistic = Callable[[NDArray[np.int32], Floats, Floats], Floats]


@dataclass(frozen=True)
class Difference:
    """The statistic of `left` minus that of `right` on the units that both have scored."""

    left: str
    right: str
    difference: float
    low: float
    high: float
    p_value: float
    p_holm: float
    n: int


def spearman_rows(weights: NDArray[np.int32], values: Floats, target: Floats) -> Floats:
    """Spearman's rho under each row of weights."""
    return weighted_spearman(values[:, None], target)(weights)[:, 0]


def clustered_interval(
    statistic: Statistic,
    values: Floats,
    target: Floats,
    clusters: NDArray[np.int64],
    how: Resampling,
    workers: int = 1,
) -> Interval:
    """Return the percentile interval of a statistic, clusters drawn with replacement."""
    if not how.resamples or len(np.unique(clusters)) < 2:
        return NO_INTERVAL
    drawn = _each_block(lambda weights: statistic(weights, values, target), clusters, how, workers)
    return percentile(np.concatenate(drawn), how.confidence)


def differences(
    names: Sequence[str],
    columns: Sequence[Floats],
    target: Floats,
    clusters: NDArray[np.int64],
    how: Resampling,
    statistic: Statistic = spearman_rows,
    workers: int = 1,
) -> list[Difference]:
    """Compare every pair of columns on the units both have, p-values adjusted for their number (Holm 1979)."""
    found: list[Difference] = []
    for left, right in combinations(range(len(names)), 2):
        both = ~np.isnan(columns[left]) & ~np.isnan(columns[right]) & ~np.isnan(target)
        a, b, y = columns[left][both], columns[right][both], target[both]
        once = np.ones((1, len(y)), np.int32)
        observed = float(statistic(once, a, y)[0] - statistic(once, b, y)[0]) if len(y) else np.nan
        low, high, p = np.nan, np.nan, np.nan
        if how.resamples and len(np.unique(clusters[both])) > 1:
            drawn = np.concatenate(
                _each_block(
                    lambda w, a=a, b=b, y=y: statistic(w, a, y) - statistic(w, b, y),  # type: ignore[misc]
                    clusters[both],
                    how,
                    workers,
                )
            )
            low, high, _ = percentile(drawn, how.confidence)
            p = bootstrap_p(drawn)
        found.append(Difference(names[left], names[right], observed, low, high, p, np.nan, len(y)))
    adjusted = holm(np.array([one.p_value for one in found]))
    return [
        Difference(one.left, one.right, one.difference, one.low, one.high, one.p_value, float(p), one.n)
        for one, p in zip(found, adjusted, strict=True)
    ]


def _each_block(
    task: Callable[[NDArray[np.int32]], Floats], clusters: NDArray[np.int64], how: Resampling, workers: int
) -> list[Floats]:
    _, codes = np.unique(clusters, return_inverse=True)
    n_clusters = int(codes.max()) + 1

    def work(block: Block) -> Floats:
        return task(bootstrap_counts(block.rng(0), block.size, n_clusters)[:, codes])

    return map_blocks(work, how.resamples, how.seed, workers=workers)
