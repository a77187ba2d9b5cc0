"""Null distribution of a difference of correlations, by swapping the scores of two metrics (Deutsch et al. 2021).

Deutsch, Dror and Roth, "A Statistical Analysis of Summarization Evaluation Metrics Using Resampling Methods" (TACL).
If two metrics are equally good, their scores of a unit are exchangeable. Scores must be on one scale for that, so every
column is standardized first: to z-scores, and for Spearman to ranks, which are ranked again after swapping.
`swaps[b, u]` is 1 where unit u is swapped in permutation b; the caller makes it constant over systems, items,
annotators or their cells.

For Pearson the sums of a swapped column follow from the sums over the swapped units, so all pairs of m columns take one
pass: A' = A - swapped(A) + swapped(B).
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.kernels.statistics.weighted import (
    Weighting,
    rank_scores,
    standardized,
    weighted_kendall,
    weighted_spearman,
    weighted_sums,
)

Matrix = NDArray[Any]
Pairs = Sequence[tuple[int, int]]


def swapped_pearson(columns: Matrix, target: Matrix, pairs: Pairs) -> Weighting:
    """r(A', y) - r(B', y) for each pair (A, B) of columns (n, m), as a function of swaps (B, n)."""
    x, y = standardized(columns), standardized(target[:, None])
    statistics = np.concatenate([x, x * x, x * y], axis=1)
    totals = np.split(statistics.sum(axis=0), 3)
    first, second = np.array(pairs).T

    def under(swaps: Matrix) -> NDArray[np.float64]:
        sums = np.split(weighted_sums(swaps, statistics), 3, axis=1)
        moved = [part[:, second] - part[:, first] for part in sums]
        left = [total[first] + change for total, change in zip(totals, moved, strict=True)]
        right = [total[second] - change for total, change in zip(totals, moved, strict=True)]
        return _correlation(left, y) - _correlation(right, y)

    return under


def swapped_spearman(columns: Matrix, target: Matrix, pairs: Pairs) -> Weighting:
    """The same for Spearman's rho: ranks are swapped, and the swapped columns ranked again."""
    return _stacked(rank_scores(columns), target, pairs, weighted_spearman)


def swapped_kendall(columns: Matrix, target: Matrix, pairs: Pairs) -> Weighting:
    """The same for tau-b of z-scores."""
    return _stacked(standardized(columns), target, pairs, weighted_kendall)


def _stacked(x: Matrix, target: Matrix, pairs: Pairs, statistic: Callable[[Matrix, Matrix], Weighting]) -> Weighting:
    """Stack the two columns; weights of 0 and 1 select each swapped column from the stack."""
    stacked_target = np.concatenate([target, target])
    weighted = [statistic(np.concatenate([x[:, a], x[:, b]])[:, None], stacked_target) for a, b in pairs]

    def under(swaps: Matrix) -> NDArray[np.float64]:
        first_weights = np.concatenate([1 - swaps, swaps], axis=1)
        second_weights = np.concatenate([swaps, 1 - swaps], axis=1)
        return np.concatenate([of_pair(first_weights) - of_pair(second_weights) for of_pair in weighted], axis=1)

    return under


def _correlation(sums: Sequence[Matrix], y: Matrix) -> NDArray[np.float64]:
    """Pearson's r from the sums of x, x^2 and x y, y having mean 0."""
    sum_x, sum_xx, sum_xy = sums
    n = len(y)
    variance = sum_xx - sum_x * sum_x / n
    with np.errstate(divide="ignore", invalid="ignore"):
        result = (sum_xy - sum_x * y.sum() / n) / np.sqrt(variance * float((y * y).sum()))
    return np.where(variance > 1e-13 * n, result, np.nan)
