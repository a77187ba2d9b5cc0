"""Swapping two metrics' scores: the null distribution of a difference of correlations (Deutsch et al. 2021).

Deutsch, Dror and Roth, "A Statistical Analysis of Summarization Evaluation Metrics Using Resampling Methods" (TACL).
If two metrics are equally good, their scores of a unit can change places. Scores must be on one scale for that, so
every column is standardized first: to z-scores, and for Spearman to ranks, which are ranked again once they are
swapped. `swaps[b, u]` is 1 where unit u is swapped in permutation b; the caller makes it constant over systems, items,
annotators or their cells.

For Pearson the sums of every swapped column follow from the sums over the swapped units, so all pairs of m columns cost
one pass: A' = A - swapped(A) + swapped(B).
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
    """The same for Spearman's rho: the two columns' ranks change places, and the swapped columns are ranked again."""
    return _stacked(rank_scores(columns), target, pairs, weighted_spearman)


def swapped_kendall(columns: Matrix, target: Matrix, pairs: Pairs) -> Weighting:
    """The same for tau-b of z-scores."""
    return _stacked(standardized(columns), target, pairs, weighted_kendall)


def _stacked(x: Matrix, target: Matrix, pairs: Pairs, statistic: Callable[[Matrix, Matrix], Weighting]) -> Weighting:
    """A swapped column is half of the two stacked, chosen by weights of 0 and 1."""
    twice = np.concatenate([target, target])
    weighted = [statistic(np.concatenate([x[:, a], x[:, b]])[:, None], twice) for a, b in pairs]

    def under(swaps: Matrix) -> NDArray[np.float64]:
        kept = np.concatenate([1 - swaps, swaps], axis=1)
        given = np.concatenate([swaps, 1 - swaps], axis=1)
        return np.concatenate([of_pair(kept) - of_pair(given) for of_pair in weighted], axis=1)

    return under


def _correlation(sums: Sequence[Matrix], y: Matrix) -> NDArray[np.float64]:
    """Pearson's r from the sums of x, x^2 and x y, y having mean 0."""
    sum_x, sum_xx, sum_xy = sums
    n = len(y)
    variance = sum_xx - sum_x * sum_x / n
    with np.errstate(divide="ignore", invalid="ignore"):
        result = (sum_xy - sum_x * y.sum() / n) / np.sqrt(variance * float((y * y).sum()))
    return np.where(variance > 1e-13 * n, result, np.nan)
