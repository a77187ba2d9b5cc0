"""Means of ratings that do not depend on summation order.

A mean of integers is a ratio: votes of 3, 3 and 4 average 10/3. In floating point such ratios are rounded, their sums
are rounded again, and two systems with the same votes get means that differ in the last bit: noise breaks a tie, and
changes a rank correlation. Here ratios with a small common denominator are scaled to integers, summed exactly, and
divided once.
"""

from collections.abc import Iterable
from itertools import pairwise
from math import fsum, lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import jit

Floats = NDArray[np.float64]
CANDIDATES = np.array([*range(1, 201), 10**3, 10**4, 10**5, 10**6])
"""Denominators tried: means of up to 200 integers, and decimals."""
MOST = 2.0**53
"""Integers up to here are exact in floating point."""
DRAWN_OFTEN = 64
"""Headroom for resamples that draw a unit many times."""
KEPT_BITS = 40


def common_denominator(values: NDArray[Any], n: int) -> int:
    """The smallest d such that every value is, to the last bit, a ratio k / d; 0 if there is none.

    Denominators up to 200 and decimals up to six places are tried; sums of `n` values are then exact. NaN and infinite
    values are ignored.
    """
    finite = values[np.isfinite(values)]
    if not len(finite):
        return 1
    if float(np.abs(finite).max()) * max(n, 1) >= MOST:
        return 0
    denominator = _denominator_of(finite)
    return denominator if max(1.0, float(np.abs(finite).max())) * denominator * max(n, 1) < MOST else 0


def _denominator_of(finite: Floats) -> int:
    """The smallest common denominator of finite values, however large they are; 0 if there is none."""
    few = finite[:: max(1, len(finite) // 8), None]
    if not (np.round(few * CANDIDATES) / CANDIDATES == few).any(axis=1).all():
        return 0  # metric scores are rarely ratios, and a few values are enough to tell
    denominator, remaining = 1, np.unique(np.abs(finite))
    for candidate in CANDIDATES.tolist():
        is_ratio = np.round(remaining * candidate) / candidate == remaining
        if is_ratio.any():
            denominator, remaining = lcm(denominator, candidate), remaining[~is_ratio]
        if not len(remaining):
            return denominator
    return 0


@jit
def common_denominators(values: Floats, ends: NDArray[np.int64], candidates: NDArray[np.int64]) -> NDArray[np.int64]:
    """The common denominator of each group of values; 0 if there is none, or sums of the group would not be exact.

    Group g is `values[ends[g]:ends[g + 1]]`; the other groups do not matter. Infinite values are ignored.
    """
    found = np.ones(len(ends) - 1, np.int64)
    for group in range(len(ends) - 1):
        size, largest, common = ends[group + 1] - ends[group], 1.0, 1
        for place in range(ends[group], ends[group + 1]):
            value = abs(values[place])
            if not np.isfinite(value):
                continue
            largest = max(largest, value)
            own = 0
            for candidate in candidates:
                if np.rint(value * candidate) / candidate == value:
                    own = candidate
                    break
            factor = own // np.gcd(common, own)
            if own == 0 or largest * common * factor * size >= MOST:
                common = 0
                break
            common *= factor
        found[group] = 0 if largest * common * size >= MOST else common
    return found


def exact_means(values: NDArray[Any], groups: NDArray[np.int64], n: NDArray[Any]) -> Floats:
    """Mean per group of size `n`: the same values give the same bits in any order, whatever other groups there are.

    Means of ratios with a common denominator are exact up to one rounding; other sums are rounded once.
    """
    values, n = np.asarray(values, np.float64), np.asarray(n, np.float64)
    order = np.argsort(groups, kind="stable")
    ends = np.searchsorted(groups[order], np.arange(len(n) + 1))
    ordered = values[order]
    denominators = common_denominators(ordered, ends, CANDIDATES)
    scaled = np.round(values * np.maximum(denominators, 1)[groups])
    sums = np.bincount(groups, weights=scaled, minlength=len(n)).astype(np.float64)
    for group in np.flatnonzero(denominators == 0).tolist():
        sums[group] = rounded_sum(ordered[ends[group] : ends[group + 1]].tolist())
    return np.divide(sums, n * np.maximum(denominators, 1), out=np.full(len(n), np.nan), where=n > 0)


def exact_sums(statistics: Floats, groups: NDArray[np.int64], n_groups: int) -> Floats:
    """Sum the rows of each group: the same rows give the same bits in any order.

    Sums of whole numbers are exact; others are rounded once.
    """
    if are_whole(statistics):
        sums = np.zeros((n_groups, statistics.shape[1]))
        np.add.at(sums, groups, statistics)
        return sums
    columns = [_rounded_once(column, groups, n_groups) for column in statistics.T]
    return np.column_stack(columns) if columns else np.zeros((n_groups, 0))


def are_whole(values: Floats) -> bool:
    """Whether all values are integers whose sums are exact in floating point."""
    if not np.isfinite(values).all():
        return False
    return bool(np.abs(values).sum() < MOST and (np.floor(values) == values).all())


def _rounded_once(values: NDArray[Any], groups: NDArray[np.int64], n_groups: int) -> Floats:
    order = np.argsort(groups, kind="stable")
    ends = np.searchsorted(groups[order], np.arange(n_groups + 1))
    ordered = values[order].tolist()
    return np.array([rounded_sum(ordered[start:stop]) for start, stop in pairwise(ends.tolist())], np.float64)


def rounded_sum(values: Iterable[float]) -> float:
    """The sum of values, rounded once."""
    values = list(values)
    try:
        return fsum(values)
    except (OverflowError, ValueError):  # infinities of both signs, or overflow
        return float(sum(values))


def as_whole_numbers(columns: Floats) -> tuple[Floats, Floats]:
    """Columns (n, m) scaled by their common denominators (m), so that resampled sums are exact.

    A column without a common denominator is unchanged, with denominator 1.
    """
    denominators = np.array([common_denominator(column, DRAWN_OFTEN * len(column)) for column in columns.T])
    scaled = np.where(denominators > 1, np.round(columns * denominators), columns)
    return scaled, np.maximum(denominators, 1).astype(np.float64)


def without_noise(values: Floats) -> Floats:
    """Round values to 40 bits of the largest, for means of ratios whose denominators differ between draws."""
    largest = float(np.nanmax(np.abs(values), initial=0.0)) if not np.isnan(values).all() else 0.0
    if largest == 0.0 or np.isinf(largest):
        return values
    unit = 2.0 ** (np.ceil(np.log2(largest)) - KEPT_BITS)
    return np.asarray(np.round(values / unit) * unit)
