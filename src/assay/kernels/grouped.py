"""Statistics of many small groups under many weightings: an annotator is a group, a resample a weighting.

Row k belongs to group g when `offsets[g] <= k < offsets[g + 1]`, is about unit `units[k]`, and counts
`weights[b, units[k]]` times in resample b. Results are (resamples, groups); undefined is NaN.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import jit

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@jit
def grouped_means(weights: NDArray[Any], offsets: Integers, units: Integers, values: Floats) -> Floats:
    """Weighted mean of `values` per group; rows whose value is NaN are left out."""
    n_groups = len(offsets) - 1
    result = np.full((len(weights), n_groups), np.nan)
    for b in range(len(weights)):
        for group in range(n_groups):
            total = 0.0
            weight = 0.0
            for k in range(offsets[group], offsets[group + 1]):
                times = weights[b, units[k]]
                if times > 0 and not np.isnan(values[k]):
                    total += times * values[k]
                    weight += times
            if weight > 0.0:
                result[b, group] = total / weight
    return result


def grouped_spearman(weights: NDArray[Any], offsets: Integers, units: Integers, x: Floats, y: Floats) -> Floats:
    """Spearman's rho of x and y per group; NaN where either is constant. No value may be NaN."""
    group = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    by_x, by_y = np.lexsort((x, group)), np.lexsort((y, group))
    return _spearman(weights, offsets, units, x, y, by_x, by_y)


@jit
def _spearman(
    weights: NDArray[Any],
    offsets: Integers,
    units: Integers,
    x: Floats,
    y: Floats,
    by_x: Integers,
    by_y: Integers,
) -> Floats:
    n_groups = len(offsets) - 1
    result = np.full((len(weights), n_groups), np.nan)
    rank_x = np.zeros(len(x), np.int64)
    rank_y = np.zeros(len(y), np.int64)
    for b in range(len(weights)):
        for group in range(n_groups):
            start, stop = offsets[group], offsets[group + 1]
            _centred_ranks(weights[b], units, x, by_x, start, stop, rank_x)
            _centred_ranks(weights[b], units, y, by_y, start, stop, rank_y)
            xx, yy, xy = np.int64(0), np.int64(0), np.int64(0)
            for k in range(start, stop):
                times = weights[b, units[k]]
                xx += times * rank_x[k] * rank_x[k]
                yy += times * rank_y[k] * rank_y[k]
                xy += times * rank_x[k] * rank_y[k]
            if xx > 0 and yy > 0:
                result[b, group] = xy / (np.sqrt(float(xx)) * np.sqrt(float(yy)))
    return result


@jit
def _centred_ranks(
    weights: NDArray[Any],
    units: Integers,
    values: Floats,
    order: Integers,
    start: int,
    stop: int,
    ranks: Integers,
) -> None:
    """Twice the centred mean rank of each row, a row standing for as many as its weight: whole numbers."""
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
