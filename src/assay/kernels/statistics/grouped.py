"""Statistics of many small groups (annotators) under many weightings (resamples).

Row k belongs to group g if `offsets[g] <= k < offsets[g + 1]`, is about unit `units[k]`, and counts
`weights[b, units[k]]` times in resample b. Results are (resamples, groups); undefined is NaN. What does not depend on
the weights is precomputed: each function returns a function of the weights.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import jit
from assay.kernels.statistics.interleave import WIDTH, interleave
from assay.kernels.statistics.rank import EXACT_UNITS, dense_codes

Weighting = Callable[[NDArray[Any]], NDArray[np.float64]]
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def grouped_means(offsets: Integers, units: Integers, values: Floats) -> Weighting:
    """Weighted mean of `values` per group; rows with NaN are left out, the others must be finite."""
    n_groups = len(offsets) - 1
    group = np.repeat(np.arange(n_groups), np.diff(offsets))
    by_unit = np.argsort(units, kind="stable")  # so that weights are read sequentially
    rows = by_unit[~np.isnan(values[by_unit])]
    group, units, values = group[rows], units[rows], values[rows]
    return lambda weights: _means(weights, n_groups, group, units, values)


@jit
def _means(weights: NDArray[Any], n_groups: int, groups: Integers, units: Integers, values: Floats) -> Floats:
    n_rows = len(weights)
    result = np.full((n_rows, n_groups), np.nan)
    total, weight = np.empty((n_groups, WIDTH)), np.empty((n_groups, WIDTH))
    for first in range(0, n_rows, WIDTH):
        turned = interleave(weights, first)
        total[:] = 0.0
        weight[:] = 0.0
        for k in range(len(units)):
            group, unit, value = groups[k], units[k], values[k]
            for b in range(WIDTH):
                total[group, b] += turned[unit, b] * value
            for b in range(WIDTH):
                weight[group, b] += turned[unit, b]
        for b in range(min(WIDTH, n_rows - first)):
            for group in range(n_groups):
                if weight[group, b] > 0.0:
                    result[first + b, group] = total[group, b] / weight[group, b]
    return result


def grouped_spearman(offsets: Integers, units: Integers, x: Floats, y: Floats) -> Weighting:
    """Spearman's rho of x and y per group; NaN where either is constant. No value may be NaN.

    Two exact integer algorithms: if x and y have few distinct values, as answers do, count the pairs of values; else
    walk the sorted rows.
    """
    (codes_x, n_x), (codes_y, n_y) = dense_codes(x), dense_codes(y)
    n_groups = len(offsets) - 1
    if n_x * n_y * n_groups <= len(x):
        return lambda weights: _counted_spearman(
            weights, offsets, units, codes_x, codes_y, n_x, n_y, _zero(weights, units)
        )
    group = np.repeat(np.arange(n_groups), np.diff(offsets))
    by_x, by_y = np.lexsort((codes_x, group)), np.lexsort((codes_y, group))
    return lambda weights: _walked_spearman(
        weights, offsets, units, codes_x, codes_y, by_x, by_y, _zero(weights, units)
    )


def _zero(weights: NDArray[Any], units: Integers) -> np.int64 | np.float64:
    """Zero of the accumulator type: int64 if sums of squared ranks fit, else float."""
    return np.int64(0) if int(weights.max(initial=0)) * len(units) <= EXACT_UNITS else np.float64(0)


@jit
def _counted_spearman(
    weights: NDArray[Any],
    offsets: Integers,
    units: Integers,
    codes_x: Integers,
    codes_y: Integers,
    n_x: int,
    n_y: int,
    zero: np.int64 | np.float64,
) -> Floats:
    n_rows, n_groups = len(weights), len(offsets) - 1
    result = np.full((n_rows, n_groups), np.nan)
    counts = np.empty((n_x * n_y, WIDTH), np.int64)
    for first in range(0, n_rows, WIDTH):
        turned = interleave(weights, first)
        for group in range(n_groups):
            counts[:] = 0
            for k in range(offsets[group], offsets[group + 1]):
                cell, unit = codes_x[k] * n_y + codes_y[k], units[k]
                for b in range(WIDTH):
                    counts[cell, b] += turned[unit, b]
            for b in range(min(WIDTH, n_rows - first)):
                table = counts[:, b].copy().reshape(n_x, n_y)
                of_x, of_y = table.sum(axis=1), table.sum(axis=0)
                rank_x, rank_y = _ranks_of_counts(of_x), _ranks_of_counts(of_y)
                xx, yy, xy = zero, zero, zero
                for i in range(n_x):
                    xx += of_x[i] * (zero + rank_x[i]) * rank_x[i]
                    for j in range(n_y):
                        xy += table[i, j] * (zero + rank_x[i]) * rank_y[j]
                for j in range(n_y):
                    yy += of_y[j] * (zero + rank_y[j]) * rank_y[j]
                if xx > 0 and yy > 0:
                    result[first + b, group] = xy / (np.sqrt(float(xx)) * np.sqrt(float(yy)))
    return result


@jit
def _ranks_of_counts(counts: Integers) -> Integers:
    """Twice the centered mean rank of each value, from the counts of the values in ascending order."""
    ranks = np.empty(len(counts), np.int64)
    total, below = counts.sum(), np.int64(0)
    for i in range(len(counts)):
        ranks[i] = 2 * below + counts[i] - total
        below += counts[i]
    return ranks


@jit
def _walked_spearman(
    weights: NDArray[Any],
    offsets: Integers,
    units: Integers,
    x: Integers,
    y: Integers,
    by_x: Integers,
    by_y: Integers,
    zero: np.int64 | np.float64,
) -> Floats:
    n_groups = len(offsets) - 1
    result = np.full((len(weights), n_groups), np.nan)
    rank_x = np.zeros(len(x), np.int64)
    rank_y = np.zeros(len(y), np.int64)
    for b in range(len(weights)):
        for group in range(n_groups):
            start, stop = offsets[group], offsets[group + 1]
            _centered_ranks(weights[b], units, x, by_x, start, stop, rank_x)
            _centered_ranks(weights[b], units, y, by_y, start, stop, rank_y)
            xx, yy, xy = zero, zero, zero
            for k in range(start, stop):
                times = weights[b, units[k]]
                xx += times * (zero + rank_x[k]) * rank_x[k]
                yy += times * (zero + rank_y[k]) * rank_y[k]
                xy += times * (zero + rank_x[k]) * rank_y[k]
            if xx > 0 and yy > 0:
                result[b, group] = xy / (np.sqrt(float(xx)) * np.sqrt(float(yy)))
    return result


@jit
def _centered_ranks(
    weights: NDArray[Any],
    units: Integers,
    values: Integers,
    order: Integers,
    start: int,
    stop: int,
    ranks: Integers,
) -> None:
    """Twice the centered mean rank of each row, as integers, a row counting as often as its weight."""
    total = np.int64(0)
    for k in range(start, stop):
        total += weights[units[k]]
    below = np.int64(0)
    first = start
    while first < stop:
        last = first
        tied = np.int64(0)
        while last < stop and values[order[last]] == values[order[first]]:
            tied += weights[units[order[last]]]
            last += 1
        for k in range(first, last):
            ranks[order[k]] = 2 * below + tied - total
        below += tied
        first = last
