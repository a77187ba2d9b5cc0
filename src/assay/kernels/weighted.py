"""Correlations of many columns with one target under many integer weightings: the inside of every bootstrap.

A resample is a row of counts: unit u counts `weights[b, u]` times. Sorting is done once per column, not once
per resample, and no resampled vector is ever built:

- Pearson needs six weighted sums;
- Spearman walks the sorted column and reads the rank of a tie group off the running weight;
- Kendall's tau-b walks the sorted column with a Fenwick tree over the target's codes.

Each result depends only on its own column and row of weights, so blocks, columns and threads can be arranged
freely without changing a bit. Undefined (one distinct value left) is NaN.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import jit
from assay.kernels.rank import centred_ranks, dense_codes, group_starts

Matrix = NDArray[Any]
Weighting = Callable[[Matrix], NDArray[np.float64]]
ROWS_AT_ONCE = 16
"""Resamples that share one pass over the sums' input: 16 rows of sums stay in the first-level cache."""


def weighted_pearson(columns: Matrix, target: Matrix) -> Weighting:
    """Pearson's r of each column (n, m) with `target` (n), as a function of weights (B, n) that gives (B, m)."""
    x, y = standardised(columns), standardised(target[:, None])
    statistics = np.concatenate([np.ones((len(y), 1)), y, y * y, x, x * x, x * y], axis=1)
    m = columns.shape[1]

    def under(weights: Matrix) -> NDArray[np.float64]:
        sums = weighted_sums(weights, statistics)
        total, sum_y, sum_yy = sums[:, :1], sums[:, 1:2], sums[:, 2:3]
        sum_x, sum_xx, sum_xy = sums[:, 3 : 3 + m], sums[:, 3 + m : 3 + 2 * m], sums[:, 3 + 2 * m :]
        with np.errstate(divide="ignore", invalid="ignore"):
            covariance = sum_xy - sum_x * sum_y / total
            variance_x = sum_xx - sum_x * sum_x / total
            variance_y = sum_yy - sum_y * sum_y / total
            result = covariance / np.sqrt(variance_x * variance_y)
        # Inputs have variance 1, so what is left of a constant resample is rounding of this size.
        floor = 1e-13 * total
        result[(variance_x <= floor) | (variance_y <= floor)] = np.nan
        return np.clip(result, -1.0, 1.0)

    return under


def weighted_spearman(columns: Matrix, target: Matrix) -> Weighting:
    """Spearman's rho in the same form; sums are whole numbers."""
    order_y = np.argsort(target, kind="stable").astype(np.int32)
    starts_y = group_starts(target[order_y])
    order_x, starts_x, tied, bounds = _presort(columns)

    def under(weights: Matrix) -> NDArray[np.float64]:
        counts = np.asarray(weights, np.int32)
        # Half the width is nearly twice the speed: the walk waits for memory.
        largest = int(counts.max(initial=0)) * int(counts.sum(axis=1, dtype=np.int64).max(initial=0))
        scratch = np.zeros((len(target), 2), np.int32 if largest < 2**31 else np.int64)
        return _spearman(counts, order_y, starts_y, order_x, starts_x, tied, bounds, scratch)

    return under


def weighted_kendall(columns: Matrix, target: Matrix) -> Weighting:
    """Kendall's tau-b in the same form; pairs are counted in whole numbers."""
    codes, n_codes = dense_codes(target)
    n, m = columns.shape
    order = np.empty((m, n), np.int32)
    walked = np.empty((m, n), np.int32)
    joint = np.empty((m, n), np.int8)
    for j in range(m):
        order[j] = np.lexsort((codes, columns[:, j]))
        x, y = columns[order[j], j], codes[order[j]]
        walked[j] = y
        # 2 starts a new value of x, 1 a new value of y inside it, 0 a tie in both.
        joint[j, :1] = 2
        joint[j, 1:] = np.where(x[1:] != x[:-1], 2, (y[1:] != y[:-1]).astype(np.int8))

    def under(weights: Matrix) -> NDArray[np.float64]:
        return _kendall(np.asarray(weights, np.int32), codes, n_codes, order, walked, joint)

    return under


def rank_scores(columns: Matrix) -> NDArray[np.float64]:
    """Centred ranks of each column, for statistics that are Pearson correlations of ranks."""
    return np.stack([centred_ranks(column) for column in columns.T], axis=1).astype(np.float64)


@jit
def weighted_sums(weights: Matrix, statistics: Matrix) -> NDArray[np.float64]:
    """Weights (B, n) times statistics (n, k), each sum in the order of the units whatever the shapes."""
    n_rows, n = weights.shape
    sums = np.zeros((n_rows, statistics.shape[1]))
    for first in range(0, n_rows, ROWS_AT_ONCE):
        last = min(first + ROWS_AT_ONCE, n_rows)
        for u in range(n):
            for b in range(first, last):
                weight = weights[b, u]
                if weight != 0:
                    for k in range(statistics.shape[1]):
                        sums[b, k] += weight * statistics[u, k]
    return sums


@jit
def grouped_sums(weights: Matrix, statistics: Matrix, groups: Matrix, n_groups: int) -> NDArray[np.float64]:
    """The same sums within each group of units: (B, n_groups, k); a unit in group -1 is left out."""
    n_rows, n = weights.shape
    sums = np.zeros((n_rows, n_groups, statistics.shape[1]))
    for b in range(n_rows):
        for u in range(n):
            weight = weights[b, u]
            group = groups[u]
            if weight != 0 and group >= 0:
                for k in range(statistics.shape[1]):
                    sums[b, group, k] += weight * statistics[u, k]
    return sums


def standardised(columns: Matrix) -> NDArray[np.float64]:
    """Columns (n, m) with mean 0 and variance 1; a constant one becomes 0.

    Centred first, sums of squares lose nothing to a large mean. One column at a time, because the order in
    which NumPy adds up a matrix depends on its width.
    """
    return np.stack([_standardised(column) for column in columns.T], axis=1)


def _standardised(column: Matrix) -> NDArray[np.float64]:
    column = np.array(column, np.float64)
    if not len(column) or (column == column[0]).all():
        return np.zeros(len(column))
    centred = column - column.mean()
    centred /= np.abs(centred).max()
    return np.asarray(centred / np.sqrt((centred * centred).mean()))


def _presort(
    columns: Matrix,
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.bool_], NDArray[np.int64]]:
    """Per column its sorting order and its segments, joined, with where each column's segments begin.

    A segment is one tie group, or a run of units that are tied with nobody (told by `tied`), so that a long
    run is walked without a stop at every unit.
    """
    order = np.ascontiguousarray(np.argsort(columns, axis=0, kind="stable").T.astype(np.int32))
    starts, tied = [], []
    for j, row in enumerate(order):
        groups = group_starts(columns[row, j])
        is_tied = np.diff(groups, append=groups[-1]) > 1
        is_tied[-1] = True  # the end is a border too
        border = is_tied | np.concatenate(([True], is_tied[:-1]))
        starts.append(groups[border])
        tied.append(is_tied[border])
    bounds = np.concatenate(([0], np.cumsum([len(s) for s in starts]))).astype(np.int64)
    return order, np.concatenate(starts).astype(np.int32), np.concatenate(tied), bounds


@jit
def _spearman(
    weights: Matrix,
    order_y: Matrix,
    starts_y: Matrix,
    order_x: Matrix,
    starts_x: Matrix,
    tied: Matrix,
    bounds: Matrix,
    pair: Matrix,
) -> NDArray[np.float64]:
    n_rows, n = weights.shape
    m = len(order_x)
    result = np.full((n_rows, m), np.nan)
    # `pair` holds beside each other the weight of a unit, and that weight times its centred rank in y.
    for b in range(n_rows):
        total = np.int64(0)
        for u in range(n):
            total += weights[b, u]
        running = np.int64(0)
        sum_yy = np.int64(0)
        for g in range(len(starts_y) - 1):
            group = np.int64(0)
            for i in range(starts_y[g], starts_y[g + 1]):
                group += weights[b, order_y[i]]
            rank = 2 * running + group - total
            for i in range(starts_y[g], starts_y[g + 1]):
                unit = order_y[i]
                pair[unit, 0] = weights[b, unit]
                pair[unit, 1] = weights[b, unit] * rank
            sum_yy += group * rank * rank
            running += group
        for j in range(m):
            order = order_x[j]
            running = np.int64(0)
            sum_xx = np.int64(0)
            sum_xy = np.int64(0)
            for g in range(bounds[j], bounds[j + 1] - 1):
                if not tied[g]:
                    for i in range(starts_x[g], starts_x[g + 1]):
                        unit = order[i]
                        group = np.int64(pair[unit, 0])
                        rank = 2 * running + group - total
                        sum_xx += group * rank * rank
                        sum_xy += rank * pair[unit, 1]
                        running += group
                else:
                    group = np.int64(0)
                    group_y = np.int64(0)
                    for i in range(starts_x[g], starts_x[g + 1]):
                        unit = order[i]
                        group += pair[unit, 0]
                        group_y += pair[unit, 1]
                    rank = 2 * running + group - total
                    sum_xx += group * rank * rank
                    sum_xy += rank * group_y
                    running += group
            if sum_xx > 0 and sum_yy > 0:
                result[b, j] = sum_xy / np.sqrt(np.float64(sum_xx) * np.float64(sum_yy))
    return result


@jit
def _kendall(
    weights: Matrix, codes: Matrix, n_codes: int, orders: Matrix, walked: Matrix, borders: Matrix
) -> NDArray[np.float64]:
    n_rows, n = weights.shape
    m = len(orders)
    result = np.full((n_rows, m), np.nan)
    by_code = np.zeros(n_codes, np.int64)
    for b in range(n_rows):
        by_code[:] = 0
        total = np.int64(0)
        for u in range(n):
            by_code[codes[u]] += weights[b, u]
            total += weights[b, u]
        pairs = total * (total - 1) // 2
        tied_y = np.int64(0)
        for c in range(n_codes):
            tied_y += by_code[c] * (by_code[c] - 1) // 2
        for j in range(m):
            discordant, tied_x, tied_both = weighted_pairs(weights[b], walked[j], n_codes, orders[j], borders[j])
            if pairs > tied_x and pairs > tied_y:
                difference = pairs - tied_x - tied_y + tied_both - 2 * discordant
                result[b, j] = difference / np.sqrt(np.float64(pairs - tied_x) * np.float64(pairs - tied_y))
    return result


@jit
def weighted_pairs(
    weights: Matrix, codes: Matrix, n_codes: int, order: Matrix, border: Matrix
) -> tuple[np.int64, np.int64, np.int64]:
    """Discordant pairs, pairs tied in x, pairs tied in both, when unit u stands for weights[u] units.

    `codes` number the target's values, in the order of the walk.
    """
    n = len(order)
    tree = np.zeros(n_codes + 1, np.int32)
    discordant = np.int64(0)
    tied_x = np.int64(0)
    tied_both = np.int64(0)
    seen = np.int64(0)
    start = 0
    while start < n:
        stop = start + 1
        while stop < n and border[stop] != 2:
            stop += 1
        group = np.int64(0)
        equal = np.int64(0)
        for i in range(start, stop):
            weight = np.int64(weights[order[i]])
            if border[i] != 0:
                tied_both += equal * (equal - 1) // 2
                equal = np.int64(0)
            if weight == 0:
                continue
            equal += weight
            group += weight
            below = np.int64(0)
            node = codes[i] + 1
            while node > 0:
                below += tree[node]
                node &= node - 1
            discordant += weight * (seen - below)
        tied_both += equal * (equal - 1) // 2
        for i in range(start, stop):
            weight = np.int64(weights[order[i]])
            if weight != 0:
                node = codes[i] + 1
                while node <= n_codes:
                    tree[node] += weight
                    node += node & -node
        tied_x += group * (group - 1) // 2
        seen += group
        start = stop
    return discordant, tied_x, tied_both
