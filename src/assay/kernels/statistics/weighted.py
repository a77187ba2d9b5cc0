"""Correlations of many columns with one target under many integer weightings: the inner loop of the bootstrap.

A resample is a row of counts: unit u counts `weights[b, u]` times. Columns are sorted once, not once per resample, and
resampled vectors are never materialized:

- Pearson needs six weighted sums;
- Spearman walks the sorted column and derives the rank of a tie group from the running weight;
- Kendall's tau-b walks the sorted column with a Fenwick tree over the target's codes.

Each result depends only on its own column and row of weights, so the arrangement of blocks, columns and threads does
not change a bit. Undefined (one distinct value left) is NaN.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import jit
from assay.kernels.statistics.interleave import WIDTH, interleave
from assay.kernels.statistics.rank import EXACT_UNITS, centered_ranks, dense_codes, group_starts

Matrix = NDArray[Any]
Weighting = Callable[[Matrix], NDArray[np.float64]]


def weighted_pearson(columns: Matrix, target: Matrix) -> Weighting:
    """Pearson's r of each column (n, m) with `target` (n), as a function of weights (B, n) that returns (B, m).

    `target` may also have one column per column, (n, m).
    """
    x, y = standardized(columns), standardized(target if target.ndim == 2 else target[:, None])
    parts = [np.ones((len(y), 1)), y, y * y, x, x * x, x * y]
    statistics, ends = np.concatenate(parts, axis=1), np.cumsum([part.shape[1] for part in parts])[:-1]

    def under(weights: Matrix) -> NDArray[np.float64]:
        total, sum_y, sum_yy, sum_x, sum_xx, sum_xy = np.split(weighted_sums(weights, statistics), ends, axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            covariance = sum_xy - sum_x * sum_y / total
            variance_x = sum_xx - sum_x * sum_x / total
            variance_y = sum_yy - sum_y * sum_y / total
            result = covariance / np.sqrt(variance_x * variance_y)
        # Inputs have variance 1, so a constant resample leaves a rounding error of this size.
        floor = 1e-13 * total
        result[(variance_x <= floor) | (variance_y <= floor)] = np.nan
        return np.clip(result, -1.0, 1.0)

    return under


def weighted_spearman(columns: Matrix, target: Matrix) -> Weighting:
    """Spearman's rho in the same form; sums are integers for up to two million units."""
    order_y = np.argsort(target, kind="stable").astype(np.int32)
    starts_y = group_starts(target[order_y])
    order_x, starts_x, tied, bounds = _presort(columns)

    def under(weights: Matrix) -> NDArray[np.float64]:
        counts = np.asarray(weights, np.int32)
        # Half the width is nearly twice the speed: the walk is memory-bound.
        most = int(counts.sum(axis=1, dtype=np.int64).max(initial=0))
        largest = int(counts.max(initial=0)) * most
        scratch = np.zeros((len(target), 2), np.int32 if largest < 2**31 else np.int64)
        zero = np.int64(0) if most <= EXACT_UNITS else np.float64(0)
        rho = _spearman(counts, order_y, starts_y, order_x, starts_x, tied, bounds, scratch, zero)
        return np.clip(rho, -1.0, 1.0)

    return under


def weighted_kendall(columns: Matrix, target: Matrix) -> Weighting:
    """Kendall's tau-b in the same form; pairs are counted in integers."""
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
    """Centered ranks of each column, for statistics that are Pearson correlations of ranks."""
    return np.stack([centered_ranks(column) for column in columns.T], axis=1).astype(np.float64)


def weighted_sums(weights: Matrix, statistics: Matrix) -> NDArray[np.float64]:
    """Weights (B, n) times statistics (n, k), each sum in unit order whatever the shapes."""
    return grouped_sums(weights, statistics, np.zeros(len(statistics), np.int64), 1)[:, 0]


def grouped_sums(weights: Matrix, statistics: Matrix, groups: Matrix, n_groups: int) -> NDArray[np.float64]:
    """The same sums within each group of units: (B, n_groups, k); a unit in group -1 is left out."""
    sums_of = _few_sums if statistics.shape[1] < WIDTH else _many_sums
    return sums_of(weights, statistics, groups, n_groups)


@jit
def _few_sums(weights: Matrix, statistics: Matrix, groups: Matrix, n_groups: int) -> NDArray[np.float64]:
    """Sum one statistic of several resamples at a time."""
    n_rows, n = weights.shape
    n_sums = statistics.shape[1]
    sums = np.empty((n_rows, n_groups, n_sums))
    together = np.empty((n_groups, n_sums, WIDTH))
    for first in range(0, n_rows, WIDTH):
        turned = interleave(weights, first)
        together[:] = 0.0
        for u in range(n):
            group = groups[u]
            if group < 0:
                continue
            for k in range(n_sums):
                value = statistics[u, k]
                if np.isfinite(value):
                    for b in range(WIDTH):
                        together[group, k, b] += turned[u, b] * value
                else:  # a unit that was not drawn must not contribute 0 * NaN
                    for b in range(WIDTH):
                        if turned[u, b] != 0:
                            together[group, k, b] += turned[u, b] * value
        for b in range(min(WIDTH, n_rows - first)):
            sums[first + b] = together[:, :, b]
    return sums


@jit
def _many_sums(weights: Matrix, statistics: Matrix, groups: Matrix, n_groups: int) -> NDArray[np.float64]:
    """Sum all statistics of one resample at a time."""
    n_rows, n = weights.shape
    sums = np.zeros((n_rows, n_groups, statistics.shape[1]))
    for first in range(0, n_rows, WIDTH):
        for u in range(n):
            group = groups[u]
            for b in range(first, min(first + WIDTH, n_rows)):
                weight = weights[b, u]
                if weight != 0 and group >= 0:
                    for k in range(statistics.shape[1]):
                        sums[b, group, k] += weight * statistics[u, k]
    return sums


def standardized(columns: Matrix) -> NDArray[np.float64]:
    """Columns (n, m) with mean 0 and variance 1; a constant one becomes 0.

    Centering first keeps the precision of sums of squares despite a large mean. One column at a time, because NumPy's
    summation order depends on the width of a matrix.
    """
    return np.stack([_standardized(column) for column in columns.T], axis=1)


def _standardized(column: Matrix) -> NDArray[np.float64]:
    column = np.array(column, np.float64)
    if not len(column) or (column == column[0]).all():
        return np.zeros(len(column))
    centered = column - column.mean()
    centered /= np.abs(centered).max()
    return np.asarray(centered / np.sqrt((centered * centered).mean()))


def _presort(
    columns: Matrix,
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.bool_], NDArray[np.int64]]:
    """Sort order and segments of each column, concatenated, with the start of each column's segments.

    A segment is a tie group, or a run of untied units (`tied` false), so that a long run is walked without a stop at
    every unit.
    """
    order = np.ascontiguousarray(np.argsort(columns, axis=0, kind="stable").T.astype(np.int32))
    starts, tied = [], []
    for j, row in enumerate(order):
        groups = group_starts(columns[row, j])
        is_tied = np.diff(groups, append=groups[-1]) > 1
        is_tied[-1] = True  # the end is a boundary too
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
    zero: np.int64 | np.float64,
) -> NDArray[np.float64]:
    n_rows, n = weights.shape
    m = len(order_x)
    result = np.full((n_rows, m), np.nan)
    # `pair` holds the weight of a unit next to that weight times its centered rank in y.
    for b in range(n_rows):
        total = np.int64(0)
        for u in range(n):
            total += weights[b, u]
        running = np.int64(0)
        sum_yy = zero
        for g in range(len(starts_y) - 1):
            group = np.int64(0)
            for i in range(starts_y[g], starts_y[g + 1]):
                group += weights[b, order_y[i]]
            rank = 2 * running + group - total
            wide = zero + rank
            for i in range(starts_y[g], starts_y[g + 1]):
                unit = order_y[i]
                pair[unit, 0] = weights[b, unit]
                pair[unit, 1] = weights[b, unit] * rank
            sum_yy += group * wide * wide
            running += group
        for j in range(m):
            order = order_x[j]
            running = np.int64(0)
            sum_xx = zero
            sum_xy = zero
            for g in range(bounds[j], bounds[j + 1] - 1):
                if not tied[g]:
                    for i in range(starts_x[g], starts_x[g + 1]):
                        unit = order[i]
                        group = np.int64(pair[unit, 0])
                        wide = zero + (2 * running + group - total)
                        sum_xx += group * wide * wide
                        sum_xy += wide * pair[unit, 1]
                        running += group
                else:
                    group = np.int64(0)
                    group_y = np.int64(0)
                    for i in range(starts_x[g], starts_x[g + 1]):
                        unit = order[i]
                        group += pair[unit, 0]
                        group_y += pair[unit, 1]
                    wide = zero + (2 * running + group - total)
                    sum_xx += group * wide * wide
                    sum_xy += wide * group_y
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
    for first in range(0, n_rows, WIDTH):
        turned = interleave(weights, first)
        by_code = np.zeros((n_codes, WIDTH), np.int64)
        for u in range(n):
            for b in range(WIDTH):
                by_code[codes[u], b] += turned[u, b]
        for j in range(m):
            discordant, tied_x, tied_both = _interleaved_pairs(turned, walked[j], n_codes, orders[j], borders[j])
            for b in range(min(WIDTH, n_rows - first)):
                of_code = by_code[:, b]
                total = of_code.sum()
                pairs = total * (total - 1) // 2
                tied_y = (of_code * (of_code - 1) // 2).sum()
                if pairs > tied_x[b] and pairs > tied_y:
                    difference = pairs - tied_x[b] - tied_y + tied_both[b] - 2 * discordant[b]
                    scale = np.sqrt(np.float64(pairs - tied_x[b]) * np.float64(pairs - tied_y))
                    result[first + b, j] = difference / scale
    return result


@jit
def _interleaved_pairs(
    turned: Matrix, codes: Matrix, n_codes: int, order: Matrix, border: Matrix
) -> tuple[Matrix, Matrix, Matrix]:
    """`weighted_pairs` for several weightings at once: they take the same path through the tree."""
    n = len(order)
    tree = np.zeros((n_codes + 1, WIDTH), np.int32)
    discordant, tied_x, tied_both = np.zeros(WIDTH, np.int64), np.zeros(WIDTH, np.int64), np.zeros(WIDTH, np.int64)
    n_seen, group, equal = np.zeros(WIDTH, np.int64), np.zeros(WIDTH, np.int64), np.zeros(WIDTH, np.int64)
    below = np.zeros(WIDTH, np.int32)
    start = 0
    while start < n:
        stop = start + 1
        while stop < n and border[stop] != 2:
            stop += 1
        group[:] = 0
        equal[:] = 0
        for i in range(start, stop):
            if border[i] == 1:
                for b in range(WIDTH):
                    tied_both[b] += equal[b] * (equal[b] - 1) >> 1
                    equal[b] = 0
            below[:] = 0
            node = codes[i] + 1
            while node > 0:
                for b in range(WIDTH):
                    below[b] += tree[node, b]
                node &= node - 1
            unit = order[i]
            for b in range(WIDTH):
                weight = np.int64(turned[unit, b])
                equal[b] += weight
                group[b] += weight
                discordant[b] += weight * (n_seen[b] - below[b])
        for i in range(start, stop):
            unit = order[i]
            node = codes[i] + 1
            while node <= n_codes:
                for b in range(WIDTH):
                    tree[node, b] += turned[unit, b]
                node += node & -node
        for b in range(WIDTH):
            tied_both[b] += equal[b] * (equal[b] - 1) >> 1
            tied_x[b] += group[b] * (group[b] - 1) >> 1
            n_seen[b] += group[b]
        start = stop
    return discordant, tied_x, tied_both


@jit
def weighted_pairs(
    weights: Matrix, codes: Matrix, n_codes: int, order: Matrix, border: Matrix
) -> tuple[np.int64, np.int64, np.int64]:
    """Discordant pairs, pairs tied in x and pairs tied in both, when unit u counts weights[u] times.

    `codes` number the target's values, in walk order.
    """
    n = len(order)
    tree = np.zeros(n_codes + 1, np.int32)
    discordant = np.int64(0)
    tied_x = np.int64(0)
    tied_both = np.int64(0)
    n_seen = np.int64(0)
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
            discordant += weight * (n_seen - below)
        tied_both += equal * (equal - 1) // 2
        for i in range(start, stop):
            weight = np.int64(weights[order[i]])
            if weight != 0:
                node = codes[i] + 1
                while node <= n_codes:
                    tree[node] += weight
                    node += node & -node
        tied_x += group * (group - 1) // 2
        n_seen += group
        start = stop
    return discordant, tied_x, tied_both
