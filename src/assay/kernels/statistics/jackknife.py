"""Jackknife intervals with Student's t, which keep their nominal coverage where a bootstrap of few members does not.

The variance of an estimate comes from its leave-one-out values (Efron and Stein 1981). The degrees of freedom are
members - 1, or fewer where few members contribute most of the variance: 2 members / (k - 1), with k the kurtosis of
their influences (Satterthwaite's rule for a variance).
"""

from collections.abc import Sequence
from math import inf, nan, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from assay.kernels.statistics.intervals import NO_INTERVAL, Interval

Floats = NDArray[np.float64]


class Variance(NamedTuple):
    """A variance with its degrees of freedom, and the bias of the estimate."""

    value: float
    freedom: float
    bias: float


def jackknife(estimate: float, left_out: Floats) -> Variance:
    """Variance of an estimate from its leave-one-out values; NaN if one of them is undefined."""
    n = len(left_out)
    if n < 2 or np.isnan(left_out).any():
        return Variance(nan, nan, nan)
    mean = float(left_out.sum()) / n
    squares = (left_out - mean) ** 2
    total = float(squares.sum())
    if total == 0.0:
        return Variance(0.0, n - 1.0, 0.0)
    kurtosis = n * float((squares**2).sum()) / total**2
    freedom = min(n - 1.0, 2.0 * n / (kurtosis - 1.0) if kurtosis > 1.0 else inf)
    return Variance((n - 1) / n * total, freedom, (n - 1) * (mean - estimate))


def t_interval(
    estimate: float, left_out: Sequence[Floats], confidence: float = 0.95, *, corrected: bool = False
) -> Interval:
    """Estimate -+ t times its standard error, adding the variances of several sampled factors.

    `corrected` centers the interval on the bias-corrected estimate. NaN where nothing varies or a value is undefined.
    """
    parts = [jackknife(estimate, values) for values in left_out]
    total = sum(part.value for part in parts)
    if not parts or not total > 0.0:
        return NO_INTERVAL
    freedom = total**2 / sum(part.value**2 / part.freedom for part in parts)
    center = estimate - (sum(part.bias for part in parts) if corrected else 0.0)
    half = float(stdtrit(freedom, 0.5 + confidence / 2.0)) * sqrt(total)
    return Interval(center - half, center + half, 0)


def of_influences(influences: Floats) -> Variance:
    """Variance of an estimate from the influence of each member, as the jackknife would give it."""
    n = len(influences)
    return jackknife(0.0, influences * (n / (n - 1))) if n > 1 else Variance(nan, nan, nan)
