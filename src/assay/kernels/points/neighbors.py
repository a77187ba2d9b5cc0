"""Exact leave-one-out k-nearest-neighbor counts that include every point tied at the k-th distance.

Ratings have few distinct values, so points repeat and distances tie: equal points are merged into one with a weight,
and the neighbors are all points within the k-th distance, so the order of the rows is irrelevant.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import jit
from assay.kernels.points.kdtree import LEAF, build, neighbor_counts

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
TOLERANCE = 1e-9


@dataclass(frozen=True)
class PointNeighbors:
    """Neighbor counts per query: `inner` points closer than the k-th distance `kth`, `total` up to and including it.

    `inner_positive` and `positive` count those of the positive class. `total - inner` points lie at the k-th distance
    itself (the border); `inner < k <= total` whenever there are k points.
    """

    kth: Floats
    inner: Counts
    inner_positive: Counts
    total: Counts
    positive: Counts


def leave_one_out(
    points: Floats, positive: NDArray[np.bool_], k: int, *, tolerance: float = TOLERANCE
) -> PointNeighbors:
    """Count, for each row of `points` (n x d), its k nearest other rows by L2, including all tied with the k-th.

    Distances within `tolerance` are tied. Duplicates are neighbors at distance 0. n must exceed k.
    """
    assert len(points) > k > 0 and np.isfinite(points).all()
    distinct, row_of, weights, positives = _merged(points, positive)
    search = _search_line if points.shape[1] == 1 else _search_tree
    kth, counts = search(distinct, weights, positives, distinct, np.arange(len(distinct)), k, tolerance)
    counted = PointNeighbors(kth, *counts.T)
    # The search excluded the query's own point: its duplicates are neighbors at distance 0.
    is_positive = positive.astype(np.int64)
    inside = (counted.kth > tolerance)[row_of]
    n_duplicates, n_positive_duplicates = weights[row_of] - 1, positives[row_of] - is_positive
    return PointNeighbors(
        kth=counted.kth[row_of],
        inner=counted.inner[row_of] + np.where(inside, n_duplicates, 0),
        inner_positive=counted.inner_positive[row_of] + np.where(inside, n_positive_duplicates, 0),
        total=counted.total[row_of] + n_duplicates,
        positive=counted.positive[row_of] + n_positive_duplicates,
    )


def around(
    queries: Floats, points: Floats, positive: NDArray[np.bool_], k: int, *, tolerance: float = TOLERANCE
) -> PointNeighbors:
    """Count the k nearest rows of `points`, including ties, around queries that are not among the points."""
    assert len(points) >= k > 0 and np.isfinite(points).all() and np.isfinite(queries).all()
    distinct, _, weights, positives = _merged(points, positive)
    search = _search_line if points.shape[1] == 1 else _search_tree
    no_own = np.full(len(queries), -1)
    kth, counts = search(distinct, weights, positives, queries, no_own, k, tolerance)
    return PointNeighbors(kth, *counts.T)


def _merged(points: Floats, positive: NDArray[np.bool_]) -> tuple[Floats, Counts, Counts, Counts]:
    """Return distinct rows in ascending order, the distinct row of each row, weights and positive weights."""
    order = np.argsort(points[:, 0])
    ordered = points[order]
    if points.shape[1] > 1 and (ordered[1:, 0] == ordered[:-1, 0]).any():
        order = np.lexsort(points.T[::-1])
        ordered = points[order]
    new = np.ones(len(points), np.bool_)
    new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    group = np.cumsum(new) - 1
    row_of = np.empty(len(points), np.int64)
    row_of[order] = group
    weights = np.bincount(group)
    positives = np.bincount(group, weights=positive[order]).astype(np.int64)
    return ordered[new], row_of, weights, positives


def _search_tree(
    points: Floats, weights: Counts, positives: Counts, queries: Floats, own: Counts, k: int, tolerance: float
) -> tuple[Floats, Counts]:
    levels = max(0, int(np.ceil(np.log2(len(points) / LEAF))))
    inside, order, lower, upper = build(points, levels)
    tree = inside, _running(weights[order]), _running(positives[order]), lower, upper, levels
    if queries is not points:
        return neighbor_counts(*tree, queries, own, k, tolerance)
    # Query the points in tree order, so that consecutive queries touch the same memory.
    kth, counts = np.empty(len(points)), np.empty((len(points), 4), np.int64)
    kth[order], counts[order] = neighbor_counts(*tree, inside, np.arange(len(inside)), k, tolerance)
    return kth, counts


def _search_line(
    points: Floats, weights: Counts, positives: Counts, queries: Floats, own: Counts, k: int, tolerance: float
) -> tuple[Floats, Counts]:
    return line_counts(points[:, 0], _running(weights), _running(positives), queries[:, 0].copy(), own, k, tolerance)


@jit
def line_counts(
    values: Floats, totals: Counts, positives: Counts, queries: Floats, own: Counts, k: int, tolerance: float
) -> tuple[Floats, Counts]:
    """`kdtree.neighbor_counts` in one dimension, over ascending distinct values."""
    n = len(queries)
    kth, counts = np.empty(n), np.empty((n, 4), np.int64)
    for i in range(n):
        value, me = queries[i], own[i]
        right = np.searchsorted(values, value) if me < 0 else me + 1
        left = right - 1 if me < 0 else me - 1
        gathered = 0 if me < 0 else totals[me + 1] - totals[me] - 1
        radius = 0.0
        while gathered < k:
            below = value - values[left] if left >= 0 else np.inf
            above = values[right] - value if right < len(values) else np.inf
            if below <= above:
                radius = below
                gathered += totals[left + 1] - totals[left]
                left -= 1
            else:
                radius = above
                gathered += totals[right + 1] - totals[right]
                right += 1
        kth[i] = radius
        while left >= 0 and value - values[left] <= radius + tolerance:
            left -= 1
        while right < len(values) and values[right] - value <= radius + tolerance:
            right += 1
        counts[i, 2] = totals[right] - totals[left + 1]
        counts[i, 3] = positives[right] - positives[left + 1]
        # Shrink the interval from both ends to what is clearly closer than the k-th distance.
        first, last = left + 1, right
        while first < last and values[first] < value and value - values[first] >= radius - tolerance:
            first += 1
        while first < last and values[last - 1] > value and values[last - 1] - value >= radius - tolerance:
            last -= 1
        if radius <= tolerance:
            last = first
        counts[i, 0] = totals[last] - totals[first]
        counts[i, 1] = positives[last] - positives[first]
        if me >= 0:
            weight, positive = totals[me + 1] - totals[me], positives[me + 1] - positives[me]
            counts[i, 2] -= weight
            counts[i, 3] -= positive
            if first <= me < last:
                counts[i, 0] -= weight
                counts[i, 1] -= positive
    return kth, counts


def _running(values: Counts) -> Counts:
    sums = np.zeros(len(values) + 1, np.int64)
    np.cumsum(values, out=sums[1:])
    return sums
