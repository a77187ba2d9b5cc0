"""Exact ranks and ties: a doubled average rank is an integer, so rounding decides nothing.

All values must be finite; the caller removes gaps.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import jit

EXACT_UNITS = 2_000_000
"""Above this many units, sums of squared ranks (n^3 / 3) overflow int64 and compiled kernels sum floats."""


def average_ranks(values: NDArray[Any]) -> NDArray[np.float64]:
    """Ranks from 1; ties share their mean rank."""
    return (centered_ranks(values) + len(values) + 1) / 2.0


def centered_ranks(values: NDArray[Any]) -> NDArray[np.int64]:
    """Twice the average rank minus (n + 1): integers that sum to 0."""
    order = np.argsort(values, kind="stable")
    starts = group_starts(values[order])
    places = starts[:-1] + starts[1:] - len(values)
    ranks = np.empty(len(values), np.int64)
    ranks[order] = np.repeat(places, np.diff(starts))
    return ranks


def exact_dot(x: NDArray[np.int64], y: NDArray[np.int64]) -> int:
    """Exact integer dot product of any length: blocks that fit int64, summed as Python integers."""
    largest = max(1, int(np.abs(x).max(initial=0))) * max(1, int(np.abs(y).max(initial=0)))
    size = max(1, 2**62 // largest)
    return sum(int(x[start : start + size] @ y[start : start + size]) for start in range(0, len(x), size))


def dense_codes(values: NDArray[Any]) -> tuple[NDArray[np.int64], int]:
    """Number the distinct values 0, 1, ... in ascending order; return the codes and their number."""
    order = np.argsort(values, kind="stable")
    starts = group_starts(values[order])
    codes = np.empty(len(values), np.int64)
    codes[order] = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    return codes, len(starts) - 1


def group_starts(ordered: NDArray[Any]) -> NDArray[np.int64]:
    """Start of each run of equal values in a sorted vector, followed by its length."""
    if not len(ordered):
        return np.zeros(1, np.int64)
    changes = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    return np.concatenate(([0], changes, [len(ordered)])).astype(np.int64)


def tied_pairs(sizes: NDArray[Any]) -> int:
    """Number of pairs within groups of these sizes."""
    sizes = sizes.astype(np.int64)
    return int((sizes * (sizes - 1) // 2).sum())


@jit
def discordant_pairs(codes: NDArray[np.int64], starts: NDArray[np.int64], n_codes: int) -> int:
    """Pairs from different groups whose codes are ordered opposite to their groups (Fenwick tree, n log n).

    `codes` are ordered by group; group g spans starts[g]:starts[g + 1].
    """
    tree = np.zeros(n_codes + 1, np.int64)
    n_seen = 0
    discordant = 0
    for group in range(len(starts) - 1):
        for i in range(starts[group], starts[group + 1]):
            below = 0
            node = codes[i] + 1
            while node > 0:
                below += tree[node]
                node -= node & -node
            discordant += n_seen - below
        for i in range(starts[group], starts[group + 1]):
            node = codes[i] + 1
            while node <= n_codes:
                tree[node] += 1
                node += node & -node
        n_seen += starts[group + 1] - starts[group]
    return discordant


@jit
def order_within(offsets: NDArray[np.int64], values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Argsort each segment `offsets[i]:offsets[i + 1]` separately; positions are absolute."""
    order = np.empty(len(values), np.int64)
    for i in range(len(offsets) - 1):
        first, last = offsets[i], offsets[i + 1]
        order[first:last] = first + np.argsort(values[first:last], kind="mergesort")
    return order
