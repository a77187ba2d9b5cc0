"""Means of clustered numbers that lie within known ends, with intervals that hold for rare and for large values alike.

Student's t takes the spread of the sample for that of the world. A sample of few items often lacks the rare answers
that matter: where none was seen there is no interval at all, and where one was it ends too early.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import ceil, log2, nan

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from assay.kernels.statistics.exponentials import chance_of_positive
from assay.metaeval.probes.slopes import LEAST_CLUSTERS

Floats = NDArray[np.float64]

MOST_ANSWERS = 10
"""Of a finer scale, only so many answers are taken for candidates for the most frequent one."""


@dataclass(frozen=True, eq=False)
class BoundedMean:
    """A mean of clustered rows that lie between `low` and `high`, which are 0 and 1 in the `sums` of clusters.

    The interval is Gaffke's (2005, "Three test statistics for a nonparametric one-sided hypothesis on the mean of a
    nonnegative variable"): clusters get random weights, and so does an observation at the end of the scale that was not
    seen but might have been. Of answers 0 and 1, one per cluster, it is Clopper and Pearson's exact interval.
    `unseen` is how many rows the observation at the end counts for: one where rows of a cluster have nothing in common,
    as many as a cluster has where they are all alike.
    """

    value: float
    n: int
    low: float
    high: float
    sums: Floats
    sizes: Floats
    unseen: float

    @property
    def has_interval(self) -> bool:
        """Whether there are enough clusters, and the ends are two."""
        return bool(self.n_clusters >= LEAST_CLUSTERS and self.low < self.high)

    @property
    def n_clusters(self) -> int:
        """The clusters that have any row."""
        return int(np.count_nonzero(self.sizes))

    def interval(self, confidence: float) -> tuple[float, float]:
        """Two-sided, never beyond the ends; NaN where clusters are too few or the ends are one."""
        if not self.has_interval:
            return nan, nan
        tail = (1 - confidence) / 2
        return self.lower(tail), self.upper(tail)

    def lower(self, tail: float) -> float:
        """The lower end, which is above the true mean in a share `tail` of samples at most."""
        return self._scaled(_root(lambda mean: self._below(mean) - tail, 0.0, self._unscaled), self.low, self.value)

    def upper(self, tail: float) -> float:
        """The upper end, which is below the true mean in a share `tail` of samples at most."""
        return self._scaled(_root(lambda mean: self._above(mean) - tail, 1.0, self._unscaled), self.value, self.high)

    @property
    def p_value(self) -> float:
        """Two-sided p against 0: at most 1 - confidence where the interval excludes 0."""
        return self.p_against(0.0)

    def p_against(self, mean: float) -> float:
        """Two-sided p against another mean."""
        if not self.has_interval:
            return nan
        place = (mean - self.low) / (self.high - self.low)
        return min(1.0, 2 * min(self._below(place), self._above(place)))

    @property
    def _unscaled(self) -> float:
        return float(np.clip(self.sums.sum() / self.sizes.sum(), 0.0, 1.0))

    def _scaled(self, place: float, least: float, most: float) -> float:
        """What a place between 0 and 1 stands for; rounding does not carry it beyond either bound."""
        return min(max(self.low + place * (self.high - self.low), least), most)

    def _above(self, mean: float) -> float:
        """The chance that the weighted mean, with the unseen observation at the upper end, is above `mean`."""
        return self._chance(1.0, mean, 1.0)

    def _below(self, mean: float) -> float:
        return self._chance(-1.0, mean, 0.0)

    def _chance(self, sign: float, mean: float, end: float) -> float:
        (sums, sizes), times = self._kinds
        # Rounding must not tell a cluster that is at the mean from it.
        weights = sums - mean * sizes
        weights = np.where(np.abs(weights) > 1e-12 * sizes, weights, 0.0)
        ahead = self.unseen * (end - mean)
        if not (weights * sign < 0).any():
            return 1.0
        return chance_of_positive(sign * np.append(weights, ahead), np.append(times, 1.0))

    @cached_property
    def _kinds(self) -> tuple[Floats, Floats]:
        """Sums and sizes that differ, and how many clusters have each: answers repeat."""
        kinds, times = np.unique(np.stack([self.sums, self.sizes]), axis=1, return_counts=True)
        return kinds, times.astype(np.float64)


def bounded_mean(values: Floats, cluster: NDArray[np.int64], low: float, high: float) -> BoundedMean:
    """The mean of rows that lie between `low` and `high`, clusters being independent."""
    _, code = np.unique(cluster, return_inverse=True)
    places = (values - low) / (high - low) if low < high else values * 0.0
    sums = np.bincount(code.ravel(), places).astype(np.float64)
    sizes = np.bincount(code.ravel()).astype(np.float64)
    value = float(values.mean()) if len(values) else nan
    typical = float((sizes**2).sum() / sizes.sum()) if len(values) else nan
    unseen = 1 + (typical - 1) * _likeness(places, sums, sizes, typical)
    return BoundedMean(value, len(values), low, high, sums, sizes, unseen)


def clusters_needed(n_tests: int, alpha: float) -> int:
    """From how many clusters on one of so many tests can be significant (Holm's first).

    Of n clusters of one size that are all at one end of the scale, p against its middle is 2^(1 - n).
    """
    return 1 + ceil(log2(n_tests / alpha))


@dataclass(frozen=True, eq=False)
class ModalShare:
    """The share of the most frequent answer, of which nobody knows for sure which it is.

    `shares` are those of the answers that may be it. One of them is above its true share in every sample, so that the
    lower end has to hold for all at once (Bonferroni); the upper end is that of the true one or above.
    """

    value: float
    n: int
    shares: tuple[BoundedMean, ...]

    @property
    def has_interval(self) -> bool:
        """Whether there are enough clusters."""
        return self.shares[0].has_interval

    def interval(self, confidence: float) -> tuple[float, float]:
        """The highest lower and the highest upper end; NaN where clusters are too few."""
        if not self.has_interval:
            return nan, nan
        tail = (1 - confidence) / 2
        low = max(share.lower(tail / len(self.shares)) for share in self.shares)
        return low, max(share.upper(tail) for share in self.shares)


def modal_share(answers: Floats, cluster: NDArray[np.int64]) -> ModalShare:
    """The share of the most frequent of answers."""
    values, counts = np.unique(answers, return_counts=True)
    frequent = values[np.argsort(-counts, kind="stable")[:MOST_ANSWERS]]
    shares = tuple(bounded_mean((answers == value).astype(np.float64), cluster, 0.0, 1.0) for value in frequent)
    return ModalShare(shares[0].value, len(answers), shares)


def _likeness(values: Floats, sums: Floats, sizes: Floats, typical: float) -> float:
    """How alike the rows of a cluster are, 0 to 1: 1 where nothing varies, so that nobody knows.

    The correlation within clusters, as if one cluster more had been seen whose rows are all the farthest from the mean:
    few clusters with rare answers cannot tell that rows are unlike.
    """
    n, n_clusters = len(values) + typical, len(sizes) + 1
    if not len(values) or n - n_clusters < 1e-9:
        return 1.0
    squares = (values - values.mean()) ** 2
    total = float(squares.sum() + typical * squares.max())
    if total <= 1e-12:
        return 1.0
    within = max(float((values**2).sum() - (sums**2 / sizes).sum()), 0.0)
    return float(np.clip(1 - within / (n - n_clusters) / (total / (n - 1)), 0.0, 1.0))


def _root(excess: Callable[[float], float], end: float, value: float) -> float:
    """Where the excess, which is positive at the estimate, falls to 0 on the way to the end of the scale, 0 or 1."""
    if abs(end - value) <= 1e-12:
        return end
    return float(brentq(excess, value, end, xtol=1e-9)) if excess(value) > 0 else value
