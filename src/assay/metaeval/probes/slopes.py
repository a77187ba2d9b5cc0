"""Slopes over clustered rows, with intervals and p-values."""

from __future__ import annotations

from math import nan, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

Floats = NDArray[np.float64]

LEAST_CLUSTERS = 5
"""From fewer items the spread between items cannot be told."""
LEAST_REST = 1e-6
"""Below this share of the spread, what is left without a cluster is rounding."""
ROUNDING = 1e-13
"""Numbers that differ by less than this share of the largest are equal."""


class ClusterEstimate(NamedTuple):
    """An estimate with its standard error and degrees of freedom; NaN where clusters are too few."""

    value: float
    error: float
    freedom: float
    n: int

    @property
    def has_interval(self) -> bool:
        """Whether there are enough clusters, and anything varies."""
        return self.error > 0

    def interval(self, confidence: float) -> tuple[float, float]:
        """Student's t; NaN where there is no error."""
        if not self.has_interval:
            return nan, nan
        reach = float(stdtrit(self.freedom, (1 + confidence) / 2)) * self.error
        return self.value - reach, self.value + reach

    @property
    def p_value(self) -> float:
        """Two-sided p against 0; NaN where there is no error."""
        return float(2 * stdtr(self.freedom, -abs(self.value) / self.error)) if self.has_interval else nan


def cluster_slope(x: Floats, y: Floats, cluster: NDArray[np.int64]) -> ClusterEstimate:
    """The least-squares slope of y on x, with the variance between clusters."""
    if not varies(x):
        return ClusterEstimate(nan, nan, nan, len(x))
    x, largest = x - x.mean(), np.abs(y).max()
    y = y - y.mean() if varies(y) else np.zeros(len(y))
    spread = float((x**2).sum())
    slope = float((x * y).sum() / spread)
    weight = _weights(x, cluster)
    if weight is None:
        return ClusterEstimate(slope, nan, nan, len(x))
    residual = y - slope * x
    residual[np.abs(residual) <= ROUNDING * largest] = 0.0
    found = _from_influences(slope, weight * residual / spread, cluster)
    return found._replace(freedom=min(found.freedom, _freedom(x, weight, cluster)))


def varies(values: Floats) -> bool:
    """Whether numbers differ by more than rounding, whatever their size."""
    return bool(len(values)) and bool(np.ptp(values) > ROUNDING * np.abs(values).max())


def _weights(x: Floats, cluster: NDArray[np.int64]) -> Floats | None:
    """What a row's residual counts for in a slope's error: the slope less what it is without the row's cluster.

    Residuals of a cluster are too small by its own share in the line (the jackknife; HC3 where clusters are single
    rows). None if there is no slope without some cluster: how far its rows are off is not known then.
    """
    _, code = np.unique(cluster, return_inverse=True)
    code = code.ravel()
    columns = np.stack([np.full(len(x), 1 / sqrt(len(x))), x / sqrt(float((x**2).sum()))])
    shares = np.array([[np.bincount(code, one * other) for other in columns] for one in columns])
    rest = np.eye(2)[:, :, None] - shares
    determinant = rest[0, 0] * rest[1, 1] - rest[0, 1] ** 2
    if (determinant < LEAST_REST).any():
        return None
    pulls = np.array([np.bincount(code, one * x) for one in columns])
    added = np.array([rest[1, 1] * pulls[0] - rest[0, 1] * pulls[1], rest[0, 0] * pulls[1] - rest[0, 1] * pulls[0]])
    return np.asarray(x + (columns * (added / determinant)[:, code]).sum(axis=0), np.float64)


def _freedom(x: Floats, weight: Floats, cluster: NDArray[np.int64]) -> float:
    """Degrees of freedom of the variance of a slope (Bell and McCaffrey 2002): few, where a few rows make the slope.

    Sums of `weight` times residual, by cluster, make the variance. With equal errors its mean and its spread are the
    trace and the norm of the matrix of their covariances: a diagonal, less what the mean and the slope take up.
    """
    _, code = np.unique(cluster, return_inverse=True)
    diagonal, by_mean, by_slope = (
        np.bincount(code.ravel(), terms)
        for terms in (weight**2, weight / sqrt(len(x)), weight * x / sqrt(float((x**2).sum())))
    )
    taken = by_mean**2 + by_slope**2
    trace = float((diagonal - taken).sum())
    norm = float((diagonal**2 - 2 * diagonal * taken).sum()) + sum(
        float(one @ other) ** 2 for one in (by_mean, by_slope) for other in (by_mean, by_slope)
    )
    return float(trace**2 / norm) if norm > 0 else nan


def _from_influences(value: float, influence: Floats, cluster: NDArray[np.int64]) -> ClusterEstimate:
    clusters, code = np.unique(cluster, return_inverse=True)
    n = len(clusters)
    if n < LEAST_CLUSTERS:
        return ClusterEstimate(value, nan, nan, len(influence))
    sums = np.bincount(code.ravel(), influence)
    sums[np.abs(sums) <= ROUNDING * np.abs(influence).sum()] = 0.0
    error = sqrt(n / (n - 1) * float((sums**2).sum()))
    return ClusterEstimate(value, error, n - 1.0, len(influence))
