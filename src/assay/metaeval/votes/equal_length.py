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
LEAST_ITEMS = 5
ROUNDS = 100
PSEUDO = 1.0
"""Comparisons that are added to each pair of systems, half won, at equal length: no rate is 0 or 1 for certain."""


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
    value, error = _fitted(ratio, wins, pair, len(pairs), item.ravel())
    n_items = int(item.max()) + 1
    reach = error * stdtrit(n_items - 1, (1 + confidence) / 2) if n_items >= LEAST_ITEMS else np.full(len(pairs), nan)
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


def _fitted(
    ratio: Floats, wins: Floats, pair: NDArray[np.int64], n_pairs: int, item: NDArray[np.int64]
) -> tuple[Floats, Floats]:
    """The intercept of each pair, on the scale of log odds, and its standard error over items."""
    design = np.zeros((len(wins), n_pairs + 1))
    design[np.arange(len(wins)), pair] = 1.0
    design[:, -1] = ratio
    prior = np.append(np.full(n_pairs, PSEUDO), 0.0)
    weights = np.zeros(n_pairs + 1)
    for _ in range(ROUNDS):
        p, q = expit(design @ weights), expit(weights)
        gradient = design.T @ (wins - p) + prior * (0.5 - q)
        hessian = (design * (p * (1 - p))[:, None]).T @ design + np.diag(prior * q * (1 - q))
        hessian[-1, -1] += 1e-6
        step = np.linalg.solve(hessian, gradient)
        weights += np.clip(step, -2, 2)
        if np.abs(step).max() < 1e-9:
            break
    inverse = np.linalg.inv(hessian)
    scores = design * (wins - p)[:, None]
    by_item = np.stack([np.bincount(item, column) for column in scores.T], axis=1)
    n_items = len(by_item)
    covariance = inverse @ (by_item.T @ by_item) @ inverse * n_items / max(n_items - 1, 1)
    # So few comparisons do not show that a rate is certain: never less than independent comparisons would tell.
    independent = inverse.diagonal()[:n_pairs]
    return weights[:n_pairs], np.sqrt(np.maximum(covariance.diagonal()[:n_pairs], independent / 4))
