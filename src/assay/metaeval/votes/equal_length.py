"""Win rates of systems if their texts were equally long.

A judge that likes long texts makes winners of long-winded systems. A logistic regression of each comparison on the two
systems and on log2 of the ratio of their lengths says what is left where the ratio is 1 (as in the length-controlled
win rates of Dubois et al. 2024).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, stdtrit

from assay.metaeval.votes.pair_judgments import Comparisons

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
LEAST_ITEMS = 5
"""Items that a pair of systems needs for an interval."""
ROUNDS = 100
PSEUDO = 1.0
"""Comparisons that are added to each pair of systems, half won, at equal length: no rate is 0 or 1 for certain."""
RIDGE = 1e-6
"""Keeps the slope finite where all texts are about equally long."""


@dataclass(frozen=True)
class EqualLength:
    """How often left wins over right, a tie being half: as it is, and at equal length with an interval."""

    left: str
    right: str
    n: int
    as_it_is: float
    at_equal_length: float
    low: float
    high: float


def win_rates_at_equal_length(comparisons: Comparisons, confidence: float) -> tuple[EqualLength, ...]:
    """The win rate of each pair of systems that was compared; none where no lengths are known, or all are equal."""
    swapped = comparisons.left > comparisons.right
    ratio = np.where(swapped, -comparisons.length, comparisons.length)
    wins = (np.where(swapped, -comparisons.outcome, comparisons.outcome) + 1) / 2
    sides = np.sort(np.stack([comparisons.left, comparisons.right], axis=1), axis=1)
    known = ~np.isnan(ratio)
    if not known.any() or not np.any(ratio[known]):
        return ()
    pairs, pair = np.unique(sides[known], axis=0, return_inverse=True)
    pair = pair.ravel()
    ratio, wins, item = ratio[known], wins[known], np.unique(comparisons.item[known], return_inverse=True)[1]
    value, error, n_items = _fitted(ratio, wins, pair, len(pairs), item.ravel())
    reach = np.full(len(pairs), nan)
    enough = n_items >= LEAST_ITEMS
    reach[enough] = error[enough] * stdtrit(n_items[enough] - 1, (1 + confidence) / 2)
    n = np.bincount(pair)
    plain = np.bincount(pair, wins) / n
    return tuple(
        EqualLength(
            comparisons.systems[int(a)],
            comparisons.systems[int(b)],
            int(n[at]),
            float(plain[at]),
            float(expit(value[at])),
            float(expit(value[at] - reach[at])),
            float(expit(value[at] + reach[at])),
        )
        for at, (a, b) in enumerate(pairs)
    )


def _fitted(ratio: Floats, wins: Floats, pair: Codes, n_pairs: int, item: Codes) -> tuple[Floats, Floats, Codes]:
    """The intercept of each pair, on the scale of log odds, its standard error over items, and its number of items.

    The matrix of second derivatives is an arrow, a diagonal for the pairs and a border for the slope that they share,
    so nothing here is larger than the data.
    """
    intercept, slope = np.zeros(n_pairs), 0.0
    for _ in range(ROUNDS):
        p, q = expit(intercept[pair] + slope * ratio), expit(intercept)
        weight = p * (1 - p)
        diagonal = np.bincount(pair, weight, n_pairs) + PSEUDO * q * (1 - q)
        border = np.bincount(pair, weight * ratio, n_pairs)
        corner = float(weight @ ratio**2) + RIDGE
        score = np.bincount(pair, wins - p, n_pairs) + PSEUDO * (0.5 - q)
        slope_step = float(((wins - p) @ ratio - border @ (score / diagonal)) / (corner - border @ (border / diagonal)))
        step = (score - border * slope_step) / diagonal
        intercept += np.clip(step, -2, 2)
        slope += float(np.clip(slope_step, -2, 2))
        if max(abs(slope_step), float(np.abs(step).max())) < 1e-9:
            break

    # The jackknife over items, each left out by one step of Newton's method. A cell is an item and a pair.
    cells, cell = np.unique(np.stack([item, pair], axis=1), axis=0, return_inverse=True)
    cell, of_item, of_pair = cell.ravel(), cells[:, 0], cells[:, 1]
    n_items = int(item.max()) + 1
    left = diagonal[of_pair] - np.bincount(cell, weight)
    left_border = border[of_pair] - np.bincount(cell, weight * ratio)
    left_corner = corner - np.bincount(item, weight * ratio**2, n_items)
    shared = border @ (border / diagonal) + np.bincount(
        of_item, left_border**2 / left - (border**2 / diagonal)[of_pair], n_items
    )
    lost = np.bincount(cell, wins - p)
    lost_slope = np.bincount(item, (wins - p) * ratio, n_items) - np.bincount(
        of_item, left_border * lost / left, n_items
    )
    slope_moves = lost_slope / np.maximum(left_corner - shared, RIDGE)
    moves = (lost - left_border * slope_moves[of_item]) / left
    without = (slope_moves**2).sum() - np.bincount(of_pair, slope_moves[of_item] ** 2, n_pairs)
    variance = np.bincount(of_pair, moves**2, n_pairs) + (border / diagonal) ** 2 * np.maximum(without, 0.0)
    # Few comparisons that all agree do not show that a rate is certain: never less than independent ones would tell.
    independent = 1 / diagonal + (border / diagonal) ** 2 / (corner - border @ (border / diagonal))
    error = np.sqrt(np.maximum(variance * (n_items - 1) / max(n_items, 1), independent))
    return intercept, error, np.bincount(of_pair, minlength=n_pairs)
