"""Intraclass correlations of ratings (Shrout & Fleiss 1979), under many weightings of the units.

A weight of 2 means the unit was drawn twice; a row of ones is the point estimate. NaN where nothing varies.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def one_way(ratings: Floats, weights: Floats) -> Floats:
    """ICC(1,1): every unit has its own annotators. `ratings` is (units, votes per unit)."""
    n, k = weights.sum(axis=1), ratings.shape[1]
    of_units, between = _between(ratings, weights, n)
    within = weights @ ((ratings - of_units[:, None]) ** 2).sum(axis=1) / (n * (k - 1))
    return _ratio(between - within, between + (k - 1) * within)


def two_way(ratings: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """ICC(2,1) and ICC(3,1): the same annotators, one per column, judge all units.

    The first takes them as a sample of annotators, so that one who is stricter than another counts as disagreement;
    the second as the only ones there are.
    """
    n, k = weights.sum(axis=1), ratings.shape[1]
    of_units, between = _between(ratings, weights, n)
    of_annotators = weights @ ratings / n[:, None]
    mean = of_annotators.mean(axis=1)
    annotators = n * ((of_annotators - mean[:, None]) ** 2).sum(axis=1) / (k - 1)
    within = weights @ ((ratings - of_units[:, None]) ** 2).sum(axis=1)
    error = (within - annotators * (k - 1)) / ((n - 1) * (k - 1))
    strictness = k * (annotators - error) / n
    below = between + (k - 1) * error
    return _ratio(between - error, below + strictness), _ratio(between - error, below)


def of_mean(single: Floats, k: int) -> Floats:
    """The intraclass correlation of the mean of k ratings, by Spearman and Brown's formula."""
    result: Floats = k * single / (1 + (k - 1) * single)
    return result


def _between(ratings: Floats, weights: Floats, n: Floats) -> tuple[Floats, Floats]:
    """The mean of each unit, and the mean square between units."""
    of_units = ratings.mean(axis=1)
    mean = weights @ of_units / n
    squares = weights @ of_units**2 - n * mean**2
    return of_units, ratings.shape[1] * squares / (n - 1)


def _ratio(above: Floats, below: Floats) -> Floats:
    return np.divide(above, below, out=np.full(len(below), np.nan), where=below > 0)
