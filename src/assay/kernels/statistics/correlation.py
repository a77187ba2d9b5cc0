"""Statistics of two vectors without gaps: f(x, y) -> float, NaN where undefined.

A vector shorter than 2, or a constant one, has no correlation. Rank statistics use integer arithmetic.
"""

from collections.abc import Callable, Sequence
from math import nan, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.kernels.statistics.rank import (
    centered_ranks,
    dense_codes,
    discordant_pairs,
    exact_dot,
    group_starts,
    tied_pairs,
)

Vector = NDArray[Any]
PlainStatistic = Callable[[Vector, Vector], float]


def pearson(x: Vector, y: Vector) -> float:
    """Product-moment correlation, from centered unit vectors."""
    if is_constant(x) or is_constant(y):
        return nan
    return float(np.clip((_unit_length(x) * _unit_length(y)).sum(), -1.0, 1.0))


def spearman(x: Vector, y: Vector) -> float:
    """Pearson correlation of average ranks, summed in integers."""
    if is_constant(x) or is_constant(y):
        return nan
    rank_x, rank_y = centered_ranks(x), centered_ranks(y)
    # One square root of the product is exact where the two are equal, so perfect agreement is exactly 1.
    scale = sqrt(exact_dot(rank_x, rank_x) * exact_dot(rank_y, rank_y))
    return float(np.clip(exact_dot(rank_x, rank_y) / scale, -1.0, 1.0))


def pearson_matrix(columns: Vector) -> NDArray[np.float64]:
    """Pearson's r of every pair of columns (n, m); NaN for a constant one."""
    scaled = [None if is_constant(column) else _unit_length(column) for column in columns.T]
    return _pairwise_matrix(scaled, lambda x, y: float(np.clip((x * y).sum(), -1.0, 1.0)))


def spearman_matrix(columns: Vector) -> NDArray[np.float64]:
    """Spearman's rho of every pair of columns (n, m), each ranked once."""
    ranks = [None if is_constant(column) else centered_ranks(column) for column in columns.T]
    squares = {id(rank): exact_dot(rank, rank) for rank in ranks if rank is not None}

    def rho(x: Vector, y: Vector) -> float:
        return float(np.clip(exact_dot(x, y) / sqrt(squares[id(x)] * squares[id(y)]), -1.0, 1.0))

    return _pairwise_matrix(ranks, rho)


def kendall_matrix(columns: Vector) -> NDArray[np.float64]:
    """Kendall's tau-b of every pair of columns (n, m)."""
    return _pairwise_matrix([None if is_constant(column) else column for column in columns.T], kendall_b)


def _pairwise_matrix(columns: Sequence[Vector | None], statistic: PlainStatistic) -> NDArray[np.float64]:
    values = np.full((len(columns), len(columns)), nan)
    for a, x in enumerate(columns):
        for b, y in enumerate(columns[: a + 1]):
            if x is not None and y is not None:
                values[a, b] = values[b, a] = 1.0 if a == b else statistic(x, y)
    return values


class PairCounts(NamedTuple):
    """Classification of the n (n - 1) / 2 pairs of units, from which all Kendall statistics follow."""

    pairs: int
    concordant: int
    discordant: int
    tied_x: int
    """Tied in x, whether or not in y."""
    tied_y: int
    tied_both: int


def pair_counts(x: Vector, y: Vector) -> PairCounts:
    """Count concordant, discordant and tied pairs in n log n (Knight 1966)."""
    codes_y, n_codes = dense_codes(y)
    order = np.lexsort((codes_y, x))
    sorted_x, sorted_y = x[order], codes_y[order]
    starts = group_starts(sorted_x)
    # A joint tie is a run equal in both, so it ends where either changes.
    either = (sorted_x[1:] != sorted_x[:-1]) | (sorted_y[1:] != sorted_y[:-1])
    joint_runs = np.diff(np.concatenate(([0], np.flatnonzero(either) + 1, [len(x)])))
    pairs = len(x) * (len(x) - 1) // 2
    tied_x = tied_pairs(np.diff(starts))
    tied_y = tied_pairs(np.bincount(codes_y, minlength=1))
    tied_both = tied_pairs(joint_runs)
    discordant = int(discordant_pairs(sorted_y, starts, n_codes))
    concordant = pairs - tied_x - tied_y + tied_both - discordant
    return PairCounts(pairs, concordant, discordant, tied_x, tied_y, tied_both)


def kendall_b(x: Vector, y: Vector) -> float:
    """tau_b = (C - D) / sqrt((P - Tx) (P - Ty)) (Kendall 1945)."""
    if is_constant(x) or is_constant(y):
        return nan
    count = pair_counts(x, y)
    scale = sqrt((count.pairs - count.tied_x) * (count.pairs - count.tied_y))
    return float(np.clip((count.concordant - count.discordant) / scale, -1.0, 1.0))


def kendall_c(x: Vector, y: Vector, copied: int = 0) -> float:
    """tau_c = 2 (C - D) / (n^2 (m - 1) / m), m the smaller number of distinct values (Stuart 1953).

    In a resample, `copied` pairs of a unit with a copy of itself are not counted.
    """
    if is_constant(x) or is_constant(y):
        return nan
    count = pair_counts(x, y)
    smaller = min(dense_codes(x)[1], dense_codes(y)[1])
    return 2 * (count.concordant - count.discordant) / ((len(x) ** 2 - 2 * copied) * (smaller - 1) / smaller)


def pairwise_accuracy(x: Vector, y: Vector, copied: int = 0) -> float:
    """Share of pairs that x orders, or ties, as y does: (C + Txy) / P (Deutsch et al. 2023, acc_eq).

    In a resample, `copied` pairs of a unit with a copy of itself are trivially tied in both, and not counted.
    """
    count = pair_counts(x, y)
    if count.pairs == copied:
        return nan
    return (count.concordant + count.tied_both - copied) / (count.pairs - copied)


def mean_squared_error(x: Vector, y: Vector) -> float:
    """Mean of (x - y)^2."""
    return float(np.mean((x - y) ** 2)) if len(x) else nan


def mean_absolute_error(x: Vector, y: Vector) -> float:
    """Mean of |x - y|."""
    return float(np.mean(np.abs(x - y))) if len(x) else nan


def accuracy(x: Vector, y: Vector) -> float:
    """Share of units where x equals y."""
    return float(np.mean(x == y)) if len(x) else nan


def is_constant(values: Vector) -> bool:
    """Whether there are fewer than two distinct values."""
    return len(values) < 2 or bool((values == values[0]).all())


def _unit_length(values: Vector) -> NDArray[np.float64]:
    values = np.ascontiguousarray(values, np.float64)
    centered = values - values.mean()
    # Dividing by the largest first avoids overflow and underflow of the squares.
    centered = centered / np.abs(centered).max()
    # Not np.dot: at this length it starts BLAS threads, which cost more than the sum.
    return np.asarray(centered / np.sqrt((centered * centered).sum()), np.float64)
