"""Intervals from resampled values: percentile and BCa (Efron 1987; Davison and Hinkley 1997, section 5.3)."""

from collections.abc import Sequence
from math import nan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri


class Interval(NamedTuple):
    """Two ends, and the number of undefined resamples that were left out."""

    low: float
    high: float
    n_undefined: int


NO_INTERVAL = Interval(nan, nan, 0)


def percentile(values: NDArray[Any], confidence: float = 0.95) -> Interval:
    """The middle `confidence` of the resampled values; NaN when fewer than half of them are defined."""
    defined = values[~np.isnan(values)]
    missing = len(values) - len(defined)
    if 2 * len(defined) < len(values) or not len(defined):
        return Interval(nan, nan, missing)
    tail = (1 - confidence) / 2
    low, high = np.quantile(defined, [tail, 1 - tail])
    return Interval(float(low), float(high), missing)


def bca(
    values: NDArray[Any],
    estimate: float,
    jackknives: Sequence[NDArray[Any]],
    confidence: float = 0.95,
) -> Interval:
    """Percentiles corrected for bias and acceleration.

    `jackknives` holds the leave-one-out estimates of each factor that was resampled; with several factors their
    influence values are pooled as for several samples. NaN where either correction is undefined (all resamples on one
    side of the estimate, or no variation in the jackknife).
    """
    defined = values[~np.isnan(values)]
    missing = len(values) - len(defined)
    if 2 * len(defined) < len(values) or not len(defined) or np.isnan(estimate):
        return Interval(nan, nan, missing)
    below = (np.count_nonzero(defined < estimate) + 0.5 * np.count_nonzero(defined == estimate)) / len(defined)
    acceleration = _acceleration(jackknives)
    if not 0 < below < 1 or np.isnan(acceleration):
        return Interval(nan, nan, missing)
    bias = ndtri(below)
    tail = (1 - confidence) / 2
    normal = bias + ndtri(np.array([tail, 1 - tail]))
    low, high = np.quantile(defined, ndtr(bias + normal / (1 - acceleration * normal)))
    return Interval(float(low), float(high), missing)


def _acceleration(jackknives: Sequence[NDArray[Any]]) -> float:
    """From influence values l: sum_i n_i^-3 sum_j l_ij^3 / (6 (sum_i n_i^-2 sum_j l_ij^2)^1.5)."""
    cubes = squares = 0.0
    for left_out in jackknives:
        left_out = left_out[~np.isnan(left_out)]
        n = len(left_out)
        if n < 2:
            return nan
        influence = (n - 1) * (left_out.mean() - left_out)
        cubes += float((influence**3).sum()) / n**3
        squares += float((influence**2).sum()) / n**2
    return cubes / (6 * squares**1.5) if squares > 0 else nan
