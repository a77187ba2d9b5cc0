"""Means of ratings that do not depend on the order in which they are added up.

A mean of whole numbers is a ratio: three votes of 3, 3 and 4 are 10/3. As floating-point numbers such ratios are
rounded, their sums are rounded again, and two systems with the same votes get means that differ in the last bit: a tie
is broken by noise, and a rank correlation with it. Here values that are ratios with one small denominator are brought
to it, added up as whole numbers, and divided once.
"""

from itertools import pairwise
from math import fsum, lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
CANDIDATES = np.array([*range(1, 201), 10**3, 10**4, 10**5, 10**6])
"""Denominators that are looked for: means of up to 200 whole numbers, and decimals."""
MOST = 2.0**53
"""Whole numbers up to here are exact as floating-point numbers."""
DRAWN_OFTEN = 64
"""Room for resamples that draw a unit many times."""
KEPT_BITS = 40


def common_denominator(values: NDArray[Any], n: int) -> int:
    """The smallest d that makes every value, to the last bit, a ratio k / d; 0 where there is none.

    Denominators up to 200 and decimals up to six places are looked for; sums of `n` values are then exact. NaN and
    infinite values are left out.
    """
    finite = values[np.isfinite(values)]
    if not len(finite):
        return 1
    if float(np.abs(finite).max()) * max(n, 1) >= MOST:
        return 0
    few = finite[:: max(1, len(finite) // 8), None]
    if not (np.round(few * CANDIDATES) / CANDIDATES == few).any(axis=1).all():
        return 0  # scores of a metric are as a rule no ratios, which a few of them tell
    distinct = np.unique(np.abs(finite))
    found = _denominator(distinct)
    return found if max(1.0, float(distinct[-1])) * found * max(n, 1) < MOST else 0


def _denominator(distinct: Floats) -> int:
    found, left = 1, distinct
    for candidate in CANDIDATES.tolist():
        given = np.round(left * candidate) / candidate == left
        if given.any():
            found, left = lcm(found, candidate), left[~given]
        if not len(left):
            return found
    return 0


def exact_means(values: NDArray[Any], groups: NDArray[np.int64], n: NDArray[Any]) -> Floats:
    """Mean per group, `n` being the size of each: the same values give the same bits, in whatever order they stand.

    Means of ratios with a common denominator are exact up to one rounding; sums of others are rounded once.
    """
    denominator = common_denominator(values, len(values))
    if denominator:
        whole: Floats = np.round(values * denominator)
        sums = np.bincount(groups, weights=whole, minlength=len(n)).astype(np.float64)
    else:
        sums = _rounded_once(values, groups, len(n))
    n = np.asarray(n, np.float64)
    return np.divide(sums, n * max(denominator, 1), out=np.full(len(n), np.nan), where=n > 0)


def _rounded_once(values: NDArray[Any], groups: NDArray[np.int64], n_groups: int) -> Floats:
    order = np.argsort(groups, kind="stable")
    ends = np.searchsorted(groups[order], np.arange(n_groups + 1))
    ordered = values[order].tolist()
    return np.array([_sum(ordered[start:stop]) for start, stop in pairwise(ends.tolist())], np.float64)


def _sum(values: list[float]) -> float:
    try:
        return fsum(values)
    except (OverflowError, ValueError):  # infinities of both signs, or beyond the largest number
        return float(sum(values))


def as_whole_numbers(columns: Floats) -> tuple[Floats, Floats]:
    """Columns (n, m) over their common denominators, (m): sums of them under resamples are exact.

    A column without a denominator stays as it is, over 1.
    """
    denominators = np.array([common_denominator(column, DRAWN_OFTEN * len(column)) for column in columns.T])
    whole = np.where(denominators > 1, np.round(columns * denominators), columns)
    return whole, np.maximum(denominators, 1).astype(np.float64)


def without_noise(values: Floats) -> Floats:
    """Values rounded to 40 bits of the largest, for means of ratios whose denominators differ from draw to draw."""
    largest = float(np.nanmax(np.abs(values), initial=0.0)) if not np.isnan(values).all() else 0.0
    if largest == 0.0 or np.isinf(largest):
        return values
    unit = 2.0 ** (np.ceil(np.log2(largest)) - KEPT_BITS)
    return np.asarray(np.round(values / unit) * unit)
