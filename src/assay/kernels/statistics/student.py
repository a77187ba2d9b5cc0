"""Student's t for means and for scores that are nearly means: an interval and a p-value from one test.

Percentile bootstrap intervals of few members are too narrow: with 3, 5 and 10 items a nominal 95% interval covers 72,
83 and 90%. The jackknife standard error with t quantiles keeps its coverage (Efron and Tibshirani 1993, chapter 11;
Welch 1947 for two samples), and p and interval always agree.
"""

from collections.abc import Sequence
from math import nan, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from assay.kernels.statistics.intervals import Interval
from assay.kernels.statistics.jackknife import jackknife

NOISE = 1e-11
"""A standard error this much smaller than the underlying numbers is rounding error."""


class Spread(NamedTuple):
    """A standard error (0 where nothing varies) and its degrees of freedom."""

    error: float
    free: float


def spread(left_out: Sequence[NDArray[Any]], scale: float) -> Spread:
    """Standard error of an estimate from its leave-one-out values, per sample.

    `scale` is the magnitude of the underlying numbers. Degrees of freedom are n - 1, or Welch-Satterthwaite for several
    samples. NaN if a sample has fewer than two members or an estimate is undefined.
    """
    variances = [jackknife(0.0, values).value for values in left_out]
    free = [len(values) - 1 for values in left_out]
    if np.isnan(variances).any():
        return Spread(nan, nan)
    error = sqrt(sum(variances))
    if error <= NOISE * scale:
        return Spread(0.0, float(sum(free)))
    degrees = sum(variances) ** 2 / sum(v**2 / f for v, f in zip(variances, free, strict=True))
    return Spread(error, degrees)


def student_interval(estimate: float, error_of_estimate: Spread, confidence: float) -> Interval:
    """The estimate -+ a t quantile times its error; NaN where nothing varies."""
    if not error_of_estimate.error > 0:
        return Interval(nan, nan, 0)
    reach = error_of_estimate.error * float(stdtrit(error_of_estimate.free, (1 + confidence) / 2))
    return Interval(estimate - reach, estimate + reach, 0)


def student_p(estimate: float, error_of_estimate: Spread) -> float:
    """Two-sided p-value for 0: below 1 - confidence if and only if `student_interval` excludes 0."""
    return (
        float(2 * stdtr(error_of_estimate.free, -abs(estimate) / error_of_estimate.error))
        if error_of_estimate.error > 0
        else nan
    )


def skewed_interval(estimate: float, left_out: NDArray[Any], scale: float, confidence: float) -> Interval:
    """Interval for one skewed sample, such as scores near the end of a scale.

    t with Hall's cubic transformation (Hall 1992, "On the removal of skewness by transformation").
    """
    error_of_estimate = spread([left_out], scale)
    if not error_of_estimate.error > 0:
        return Interval(nan, nan, 0)
    n = len(left_out)
    members = (n - 1) * (left_out.mean() - left_out)
    skewness = float((members**3).mean() / (members**2).mean() ** 1.5)
    reach = float(stdtrit(error_of_estimate.free, (1 + confidence) / 2)) / sqrt(n)
    ends = [estimate - error_of_estimate.error * sqrt(n) * untransformed(y, skewness, n) for y in (reach, -reach)]
    return Interval(ends[0], ends[1], 0)


def untransformed(y: float, skewness: float, n: int) -> float:
    """Solve w + skewness w^2 / 3 + skewness^2 w^3 / 27 + skewness / 6n = y for w."""
    if abs(skewness) < 1e-6:
        return y
    return float(3 / skewness * (np.cbrt(1 + skewness * (y - skewness / (6 * n))) - 1))
