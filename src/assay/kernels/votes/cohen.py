"""Cohen's kappa (1960), weighted (1968), for one pair of annotators and as the mean over all pairs."""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import jit
from assay.kernels.statistics.interleave import WIDTH, interleave

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Weighting = Literal["none", "linear", "quadratic"]


def disagreement_weights(values: Floats, weighting: Weighting) -> Floats:
    """Cost of a disagreement between two categories: 1, |a - b| or (a - b)^2 on their values."""
    difference = np.abs(values[:, None] - values[None, :])
    if weighting == "none":
        return (difference > 0).astype(np.float64)
    return np.asarray(difference if weighting == "linear" else difference**2, dtype=np.float64)


@jit
def cohen_kappa(confusion: Floats, cost: Floats) -> float:
    """Kappa = 1 - sum(cost * observed) / sum(cost * expected), expected from the two annotators' marginals.

    `confusion[a, b]` counts the units that one annotator put in a and the other in b. NaN when no disagreement is
    expected: both always gave the same answer.
    """
    rows = confusion.sum(axis=1)
    columns = confusion.sum(axis=0)
    expected = _expected(rows, columns, cost)
    if expected == 0.0:
        return np.nan
    return 1.0 - (cost * confusion).sum() * rows.sum() / expected


def shared_votes(
    units: Integers, annotators: Integers, categories: Integers, n_annotators: int
) -> tuple[Integers, Integers]:
    """List the units that each pair of annotators shares, sorted by pair.

    Returns `shared[k] = (left annotator, right annotator, unit, left category, right category)` with left < right, and
    `offsets` such that pair p has the rows `offsets[p]:offsets[p + 1]`. One vote per annotator and unit.
    """
    order = np.lexsort((annotators, units))
    shared = _list_shared(units[order], annotators[order], categories[order])
    keys = shared[:, 0] * n_annotators + shared[:, 1]
    shared = shared[np.argsort(keys, kind="stable")]
    starts = np.flatnonzero(np.diff(np.sort(keys), prepend=-1))
    return shared, np.append(starts, len(shared)).astype(np.int64)


@jit
def mean_pair_kappa(
    shared: Integers,
    offsets: Integers,
    unit_weights: NDArray[Any],
    copies: NDArray[Any],
    cost: Floats,
    min_shared: int,
) -> Floats:
    """Mean of Cohen's kappa over pairs of annotators, for each row of `unit_weights` and of `copies`.

    Pairs with fewer than `min_shared` (drawn) units, or with undefined kappa, are left out; a pair is weighted by the
    product of its annotators' `copies`. NaN without such a pair.
    """
    n_rows = len(unit_weights)
    result = np.full(n_rows, np.nan)
    left, right = np.empty((len(cost), WIDTH)), np.empty((len(cost), WIDTH))
    observed = np.empty(WIDTH)
    for first in range(0, n_rows, WIDTH):
        turned = interleave(unit_weights, first)
        total, weight = np.zeros(WIDTH), np.zeros(WIDTH)
        for pair in range(len(offsets) - 1):
            left[:] = 0.0
            right[:] = 0.0
            observed[:] = 0.0
            for k in range(offsets[pair], offsets[pair + 1]):
                unit, said_left, said_right = shared[k, 2], shared[k, 3], shared[k, 4]
                disagreement = cost[said_left, said_right]
                for b in range(WIDTH):
                    left[said_left, b] += turned[unit, b]
                for b in range(WIDTH):
                    right[said_right, b] += turned[unit, b]
                if disagreement != 0.0:
                    for b in range(WIDTH):
                        observed[b] += turned[unit, b] * disagreement
            for b in range(min(WIDTH, n_rows - first)):
                n_shared = left[:, b].sum()
                expected = _expected(left[:, b], right[:, b], cost)
                if n_shared >= min_shared and expected > 0.0:
                    who, other = shared[offsets[pair], 0], shared[offsets[pair], 1]
                    pair_weight = copies[first + b, who] * copies[first + b, other]
                    total[b] += pair_weight * (1.0 - observed[b] * n_shared / expected)
                    weight[b] += pair_weight
        for b in range(min(WIDTH, n_rows - first)):
            if weight[b] > 0:
                result[first + b] = total[b] / weight[b]
    return result


@jit
def _list_shared(units: Integers, annotators: Integers, categories: Integers) -> Integers:
    """All pairs of votes on the same unit, from votes sorted by unit, then annotator."""
    n_pairs = 0
    start = 0
    for k in range(1, len(units) + 1):
        if k == len(units) or units[k] != units[start]:
            n_pairs += (k - start) * (k - start - 1) // 2
            start = k
    shared = np.empty((n_pairs, 5), np.int64)
    row = 0
    start = 0
    for k in range(1, len(units) + 1):
        if k == len(units) or units[k] != units[start]:
            for i in range(start, k):
                for j in range(i + 1, k):
                    shared[row, 0] = annotators[i]
                    shared[row, 1] = annotators[j]
                    shared[row, 2] = units[i]
                    shared[row, 3] = categories[i]
                    shared[row, 4] = categories[j]
                    row += 1
            start = k
    return shared


@jit
def _expected(left: Floats, right: Floats, cost: Floats) -> float:
    """Expected cost if the two annotators answer independently."""
    total = 0.0
    for a in range(len(left)):
        if left[a] > 0.0:
            for b in range(len(right)):
                total += cost[a, b] * left[a] * right[b]
    return total
