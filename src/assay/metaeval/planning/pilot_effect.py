"""Uncertainty of a pilot's effect: the effects it does not exclude, as multiples of the observed one.

With T the difference over its jackknife standard error, the standardized effects that T does not exclude follow from
the noncentral t distribution, which allows for the error of the standard deviation too. A study of n items with f times
the effect has the power of one of n f^2 items with the whole effect; so bounds of the effect are bounds of the power,
and of the items needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isnan, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import nctdtr, stdtrit

from assay.kernels.statistics.jackknife import jackknife
from assay.scores import Finish

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class PilotEffect:
    """The difference of a pilot with its interval; `least` and `most` bound the multiples of it not excluded.

    `least` is 0 where a difference of 0 is not excluded.
    """

    difference: float
    low: float
    high: float
    deviation: float
    n: int
    least: float
    most: float


def pilot_effect(left: Floats, right: Floats, finish: Finish | None, confidence: float) -> PilotEffect:
    """The effect between two systems from their (items, statistics); `finish` is None for plain means."""
    n = len(left)
    if finish is None:
        paired = (left - right)[:, 0]
        difference = float(paired.sum() / n)
        error = sqrt(float(((paired - difference) ** 2).sum()) / (n * (n - 1)))
    else:
        totals = left.sum(axis=0), right.sum(axis=0)
        difference = float((finish(totals[0][None]) - finish(totals[1][None]))[0])
        variance = jackknife(difference, finish(totals[0] - left) - finish(totals[1] - right)).value
        error = 0.0 if isnan(variance) else sqrt(variance)
    half = float(stdtrit(n - 1, 0.5 + confidence / 2.0)) * error
    ends = difference - half, difference + half
    if error <= 1e-12 * abs(difference):
        least, most = (1.0, 1.0) if difference else (0.0, inf)
    else:
        seen, tail = abs(difference) / error, (1.0 - confidence) / 2.0
        least = _noncentrality(n - 1, 1.0 - tail, seen) / seen if seen else 0.0
        most = _noncentrality(n - 1, tail, seen) / seen if seen else inf
    return PilotEffect(difference, *ends, error * sqrt(n), n, max(least, 0.0), most)


def _noncentrality(freedom: int, probability: float, seen: float) -> float:
    """The effect under which T is at most `seen` with this probability; 0 where no effect is needed for that."""
    if nctdtr(freedom, 0.0, seen) <= probability:
        return 0.0
    low, high = 0.0, seen + 1.0
    while nctdtr(freedom, high, seen) > probability:
        low, high = high, 2.0 * high
    while high - low > 1e-9 * high:
        middle = (low + high) / 2.0
        low, high = (middle, high) if nctdtr(freedom, middle, seen) > probability else (low, middle)
    return low
