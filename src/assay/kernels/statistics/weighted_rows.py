"""Weighted correlations where the values also differ between resamples.

System means change when items are resampled, human means when annotators are, and a permuted column is a new column
each time. Row b of `x` and of `y` holds the values of resample b, `weights` how often each counts; NaN values count 0
times. Arguments are (B, n) arrays of one shape, results have length B; undefined is NaN.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import jit
from assay.kernels.statistics.rank import EXACT_UNITS
from assay.kernels.statistics.weighted import weighted_pairs

Matrix = NDArray[Any]


@jit
def rows_pearson(weights: Matrix, x: Matrix, y: Matrix) -> NDArray[np.float64]:
    """Pearson's r of each row, from centered values."""
    result = np.full(len(x), np.nan)
    for b in range(len(x)):
        w, u, v = _present(weights[b], x[b], y[b])
        if _constant(u) or _constant(v):
            continue
        total = w.sum()
        u -= (w * u).sum() / total
        v -= (w * v).sum() / total
        u /= np.abs(u).max()
        v /= np.abs(v).max()
        scale = np.sqrt((w * u * u).sum()) * np.sqrt((w * v * v).sum())
        result[b] = min(max((w * u * v).sum() / scale, -1.0), 1.0)
    return result


@jit
def rows_spearman(weights: Matrix, x: Matrix, y: Matrix) -> NDArray[np.float64]:
    """Spearman's rho of each row, summed in integers for up to two million units."""
    result = np.full(len(x), np.nan)
    for b in range(len(x)):
        w, u, v = _present(weights[b], x[b], y[b])
        if _constant(u) or _constant(v):
            continue
        rank_u, rank_v = _weighted_ranks(w, u), _weighted_ranks(w, v)
        if w.sum() <= EXACT_UNITS:
            squares = np.float64((w * rank_u * rank_u).sum()) * np.float64((w * rank_v * rank_v).sum())
            result[b] = (w * rank_u * rank_v).sum() / np.sqrt(squares)
        else:
            wide_u, wide_v = rank_u.astype(np.float64), rank_v.astype(np.float64)
            squares = (w * wide_u * wide_u).sum() * (w * wide_v * wide_v).sum()
            result[b] = (w * wide_u * wide_v).sum() / np.sqrt(squares)
    return result


@jit
def rows_kendall(weights: Matrix, x: Matrix, y: Matrix) -> NDArray[np.float64]:
    """Kendall's tau-b of each row, pairs counted in integers."""
    result = np.full(len(x), np.nan)
    for b in range(len(x)):
        w, u, v = _present(weights[b], x[b], y[b])
        if _constant(u) or _constant(v):
            continue
        by_v = np.argsort(v, kind="mergesort")
        codes = np.empty(len(v), np.int64)
        by_code = np.zeros(len(v), np.int64)
        code = 0
        for i in range(len(v)):
            if i > 0 and v[by_v[i]] != v[by_v[i - 1]]:
                code += 1
            codes[by_v[i]] = code
            by_code[code] += w[by_v[i]]
        order = by_v[np.argsort(u[by_v], kind="mergesort")]
        border = np.empty(len(u), np.int8)
        border[0] = 2
        for i in range(1, len(u)):
            if u[order[i]] != u[order[i - 1]]:
                border[i] = 2
            else:
                border[i] = 1 if codes[order[i]] != codes[order[i - 1]] else 0
        discordant, tied_u, tied_both = weighted_pairs(w, codes[order], code + 1, order, border)
        total = w.sum()
        pairs = total * (total - 1) // 2
        tied_v = (by_code * (by_code - 1) // 2).sum()
        difference = pairs - tied_u - tied_v + tied_both - 2 * discordant
        result[b] = difference / np.sqrt(np.float64(pairs - tied_u) * np.float64(pairs - tied_v))
    return result


@jit
def _present(weights: Matrix, x: Matrix, y: Matrix) -> tuple[Matrix, Matrix, Matrix]:
    """Copies of the entries with positive weight and both values present."""
    rows = np.flatnonzero((weights > 0) & ~np.isnan(x) & ~np.isnan(y))
    return weights[rows].astype(np.int64), x[rows].astype(np.float64), y[rows].astype(np.float64)


@jit
def _constant(values: Matrix) -> bool:
    return len(values) < 2 or values.min() == values.max()


@jit
def _weighted_ranks(weights: Matrix, values: Matrix) -> NDArray[np.int64]:
    """Twice the average rank minus (total + 1), each value counting `weights` times."""
    order = np.argsort(values, kind="mergesort")
    total = weights.sum()
    ranks = np.empty(len(values), np.int64)
    running = np.int64(0)
    start = 0
    while start < len(values):
        stop = start
        group = np.int64(0)
        while stop < len(values) and values[order[stop]] == values[order[start]]:
            group += weights[order[stop]]
            stop += 1
        for i in range(start, stop):
            ranks[order[i]] = 2 * running + group - total
        running += group
        start = stop
    return ranks
