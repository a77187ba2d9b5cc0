"""The difference of the means of two groups of clustered rows, with an interval that holds where answers are rare."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log, nan, prod, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from assay.metaeval.probes.bounded import BoundedMean, bounded_mean
from assay.metaeval.probes.slopes import varies

Floats = NDArray[np.float64]

LEAST_P, MOST_P = 1e-12, 0.999


@dataclass(frozen=True, eq=False)
class BoundedDifference:
    """The mean of one group less that of another, whose clusters may be the same.

    The interval joins those of the two means (Zou and Donner 2008, "Construction of confidence limits about effect
    measures"). A slope's standard error takes a small group in which nothing varies for one that never varies.
    `correlation` is that of the two means, and if it is lower so, as if in one cluster more they had been at opposite
    ends: few clusters in which the groups go together cannot tell that they always do.
    """

    one: BoundedMean
    other: BoundedMean
    correlation: float

    @property
    def value(self) -> float:
        """The difference."""
        return self.one.value - self.other.value

    @property
    def n(self) -> int:
        """The rows of both."""
        return self.one.n + self.other.n

    @property
    def has_interval(self) -> bool:
        """Whether both groups have enough clusters, and anything varies."""
        return self.one.has_interval and self.other.has_interval

    def interval(self, confidence: float) -> tuple[float, float]:
        """Two-sided; NaN where clusters are too few or nothing varies."""
        if not self.has_interval:
            return nan, nan
        tail = (1 - confidence) / 2
        return self._lower(tail), self._upper(tail)

    @property
    def p_value(self) -> float:
        """Two-sided p against 0: where the interval begins to hold it."""
        if not self.has_interval:
            return nan

        def beyond(log_p: float) -> float:
            tail = exp(log_p) / 2
            return self._lower(tail) if self.value > 0 else -self._upper(tail)

        if self.value == 0 or beyond(log(MOST_P)) <= 0:
            return 1.0
        if beyond(log(LEAST_P)) >= 0:
            return LEAST_P
        return exp(float(brentq(beyond, log(LEAST_P), log(MOST_P), xtol=1e-4)))

    def _lower(self, tail: float) -> float:
        one, other = self.one.lower(tail), self.other.upper(tail)
        return self.value - self._joined(self.one.value - one, other - self.other.value)

    def _upper(self, tail: float) -> float:
        one, other = self.one.upper(tail), self.other.lower(tail)
        return self.value + self._joined(one - self.one.value, self.other.value - other)

    def _joined(self, one: float, other: float) -> float:
        return sqrt(max(one**2 + other**2 - 2 * self.correlation * one * other, 0.0))


def bounded_difference(values: Floats, is_one: NDArray[np.bool_], cluster: NDArray[np.int64]) -> BoundedDifference:
    """The mean of some rows less that of the others, on the scale between the least and the greatest of all."""
    low, high = (float(values.min()), float(values.max())) if varies(values) else (nan, nan)
    groups = [bounded_mean(values[rows], cluster[rows], low, high) for rows in (is_one, ~is_one)]
    shifts, unseen = [], []
    for rows, group in zip((is_one, ~is_one), groups, strict=True):
        shifts.append(np.bincount(cluster[rows], values[rows] - group.value, int(cluster.max()) + 1))
        unseen.append(group.unseen * max(high - group.value, group.value - low))
    correlations = []
    for apart in (0.0, 1.0):
        spread = prod(sqrt(float(ours @ ours) + (apart * one) ** 2) for ours, one in zip(shifts, unseen, strict=True))
        together = float(shifts[0] @ shifts[1]) - apart * prod(unseen)
        correlations.append(together / spread if spread > 0 else 0.0)
    return BoundedDifference(groups[0], groups[1], min(correlations))
