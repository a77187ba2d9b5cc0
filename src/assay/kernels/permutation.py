"""Swapping two metrics' scores: the null distribution of a difference of correlations (Deutsch et al. 2021).

Deutsch, Dror and Roth, "A Statistical Analysis of Summarization Evaluation Metrics Using Resampling Methods"
(TACL). If two metrics are equally good, their scores of a unit can change places. Scores must be on one scale
for that, so every column is standardised first: to z-scores, and for Spearman to standardised ranks, whose
Pearson correlation is rho. `swaps[b, u]` is 1 where unit u is swapped in permutation b; the caller makes it
constant over systems, items, annotators or their cells.

For Pearson and Spearman the sums of every swapped column follow from the sums over the swapped units, so all
pairs of m columns cost one pass: A' = A - swapped(A) + swapped(B).
"""

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.kernels.weighted import rank_scores, standardised, weighted_kendall, weighted_sums

Matrix = NDArray[Any]


def swapped_pearson(swaps: Matrix, columns: Matrix, target: Matrix) -> NDArray[np.float64]:
    """r(A', y) - r(B', y) for each pair A < B of columns (n, m): (number of swaps, m (m - 1) / 2)."""
    x, y = standardised(columns), standardised(target[:, None])
    sums = np.stack(np.split(weighted_sums(swaps, np.concatenate([x, x * x, x * y], axis=1)), 3, axis=1))
    totals = np.stack([x.sum(axis=0), (x * x).sum(axis=0), (x * y).sum(axis=0)])
    return np.stack(
        [
            _correlation(totals[:, a, None] - sums[:, :, a] + sums[:, :, b], y)
            - _correlation(totals[:, b, None] - sums[:, :, b] + sums[:, :, a], y)
            for a, b in combinations(range(columns.shape[1]), 2)
        ],
        axis=1,
    )


def swapped_spearman(swaps: Matrix, columns: Matrix, target: Matrix) -> NDArray[np.float64]:
    """The same for rank scores: the swapped ranks are correlated as they are, not ranked again."""
    return swapped_pearson(swaps, rank_scores(columns), rank_scores(target[:, None])[:, 0])


def swapped_kendall(swaps: Matrix, columns: Matrix, target: Matrix) -> NDArray[np.float64]:
    """The same for tau-b of z-scores: a swapped column is half of the two stacked, chosen by weights."""
    x = standardised(columns)
    twice = np.concatenate([target, target])
    kept = np.concatenate([1 - swaps, swaps], axis=1)
    given = np.concatenate([swaps, 1 - swaps], axis=1)
    result = []
    for a, b in combinations(range(columns.shape[1]), 2):
        stacked = np.concatenate([x[:, a], x[:, b]])[:, None]
        result.append(weighted_kendall(kept, stacked, twice)[:, 0] - weighted_kendall(given, stacked, twice)[:, 0])
    return np.stack(result, axis=1)


def _correlation(sums: Matrix, y: Matrix) -> NDArray[np.float64]:
    """Pearson's r from the sums of x, x^2 and x y, y having mean 0."""
    n = len(y)
    variance = sums[1] - sums[0] * sums[0] / n
    with np.errstate(divide="ignore", invalid="ignore"):
        result = (sums[2] - sums[0] * y.sum() / n) / np.sqrt(variance * float((y * y).sum()))
    return np.where(variance > 1e-13 * n, result, np.nan)
