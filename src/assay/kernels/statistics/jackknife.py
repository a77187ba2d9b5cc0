"""Intervals from the jackknife and Student's t, which hold their confidence where resamples of few things do not.

The variance of an estimate comes from its values without each member of what was drawn (Efron and Stein 1981).
Student's t has as many degrees of freedom as that variance is worth: members - 1, or fewer where few members hold most
of it: 2 members / (k - 1), k being the kurtosis of their influences (Satterthwaite's rule for a variance).
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
    """A variance with its degrees of freedom, and by how much the estimate is too large on average."""

    value: float
    freedom: float
    bias: float


def jackknife(estimate: float, left_out: Floats) -> Variance:
    """The variance of an estimate from its values without each member; NaN where one of them is undefined."""
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
    """Estimate -+ t times its standard error; the variances of several factors that were drawn are added.

    `corrected` centres the interval on the estimate less its bias. NaN where nothing varies or a value is undefined.
    """
    parts = [jackknife(estimate, values) for values in left_out]
    total = sum(part.value for part in parts)
    if not parts or not total > 0.0:
        return NO_INTERVAL
    freedom = total**2 / sum(part.value**2 / part.freedom for part in parts)
    centre = estimate - (sum(part.bias for part in parts) if corrected else 0.0)
    half = float(stdtrit(freedom, 0.5 + confidence / 2.0)) * sqrt(total)
    return Interval(centre - half, centre + half, 0)


def of_influences(influences: Floats) -> Variance:
    """The variance of an estimate from the influence of each member, as the jackknife would give it."""
    n = len(influences)
    return jackknife(0.0, influences * (n / (n - 1))) if n > 1 else Variance(nan, nan, nan)
