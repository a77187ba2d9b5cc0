"""Ranks and ties, exact: a doubled rank is an integer, so rounding decides nothing.

Every function takes finite values; gaps are removed before a kernel is called.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import jit

EXACT_UNITS = 2_000_000
"""Sums of squared ranks of more units than this, n^3 / 3, do not fit 64 bits, and compiled kernels add up floats."""


def average_ranks(values: NDArray[Any]) -> NDArray[np.float64]:
    """Ranks from 1, equal values sharing the mean of the places they take."""
    return (centered_ranks(values) + len(values) + 1) / 2.0


def centered_ranks(values: NDArray[Any]) -> NDArray[np.int64]:
    """Twice the average rank, minus n + 1: whole numbers whose sum is 0."""
    order = np.argsort(values, kind="stable")
    starts = group_starts(values[order])
    places = starts[:-1] + starts[1:] - len(values)
    ranks = np.empty(len(values), np.int64)
    ranks[order] = np.repeat(places, np.diff(starts))
    return ranks


def exact_dot(x: NDArray[np.int64], y: NDArray[np.int64]) -> int:
    """Sum of products of whole numbers, exact for any length: blocks that fit 64 bits, added up without a limit."""
    largest = max(1, int(np.abs(x).max(initial=0))) * max(1, int(np.abs(y).max(initial=0)))
    size = max(1, 2**62 // largest)
    return sum(int(x[start : start + size] @ y[start : start + size]) for start in range(0, len(x), size))


def dense_codes(values: NDArray[Any]) -> tuple[NDArray[np.int64], int]:
    """Number the distinct values 0, 1, ... in increasing order; return the codes and how many there are."""
    order = np.argsort(values, kind="stable")
    starts = group_starts(values[order])
    codes = np.empty(len(values), np.int64)
    codes[order] = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    return codes, len(starts) - 1


def group_starts(ordered: NDArray[Any]) -> NDArray[np.int64]:
    """Where each run of equal values starts in a sorted vector, and at the end its length."""
    if not len(ordered):
        return np.zeros(1, np.int64)
    changes = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    return np.concatenate(([0], changes, [len(ordered)])).astype(np.int64)


def tied_pairs(sizes: NDArray[Any]) -> int:
    """Pairs inside groups of these sizes."""
    sizes = sizes.astype(np.int64)
    return int((sizes * (sizes - 1) // 2).sum())


@jit
def discordant_pairs(codes: NDArray[np.int64], starts: NDArray[np.int64], n_codes: int) -> int:
    """Pairs of different groups whose codes fall where the groups rise (a Fenwick tree, n log n).

    `codes` are ordered by group; group g spans starts[g]:starts[g + 1].
    """
    tree = np.zeros(n_codes + 1, np.int64)
    seen = 0
    found = 0
    for group in range(len(starts) - 1):
        for i in range(starts[group], starts[group + 1]):
            below = 0
            node = codes[i] + 1
            while node > 0:
                below += tree[node]
                node -= node & -node
            found += seen - below
        for i in range(starts[group], starts[group + 1]):
            node = codes[i] + 1
            while node <= n_codes:
                tree[node] += 1
                node += node & -node
        seen += starts[group + 1] - starts[group]
    return found


@jit
def order_within(offsets: NDArray[np.int64], values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Sort each stretch `offsets[i]:offsets[i + 1]` by itself: the places of its values in ascending order."""
    order = np.empty(len(values), np.int64)
    for i in range(len(offsets) - 1):
        first, last = offsets[i], offsets[i + 1]
        order[first:last] = first + np.argsort(values[first:last], kind="mergesort")
    return order
