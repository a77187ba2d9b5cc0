"""t intervals from a jackknife by clusters, and the difference of two correlations from their intervals.

Scores of outputs are crossed: every system has an output for every item, and scores are correlated within both. Each
factor's jackknife gives the variance due to its members; the variance of the cells, part of both, is counted once
(Cameron, Gelbach and Miller 2011): V = V(items) + V(systems) - V(cells), but at least the larger of the two. Degrees of
freedom are Satterthwaite's, so few systems give wide intervals and many items narrow ones.

Pearson's and Spearman's correlations use Fisher's z, all other statistics their own scale. The interval of a difference
combines the two intervals and the correlation of their errors (Zou 2007): unlike one from the standard error of the
difference, it respects that correlations end at 1. Its p-value is the level at which the interval reaches 0, so that
the two always agree. No p-value is below the probability of one particular order of n points, or of one way to swap two
evaluators: extreme tails of t from few systems are not credible.

Every resample of a perfect ranking is a perfect ranking: only there, the interval comes from the standard errors of
rank correlations (Bonett and Wright 2000), half a step below 1.

Against a target of two classes, ties keep Spearman's rho below a ceiling (.87 if the classes are equal), near which it
is as skewed as other correlations near 1. The interval then also covers the one of rho divided by its ceiling. At the
ceiling nothing varies: the far end follows from the share of clusters in order, of which (1 - confidence) / 2 to the
1 / n is the lower limit when all n are, as if every pair with a cluster out of order were reversed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import factorial, inf, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from assay.kernels.statistics.fisher_error import RankError

Floats = NDArray[np.float64]
FEWEST_POINTS = 5
"""In simulations, intervals from fewer points or fewer clusters miss their nominal coverage."""
FEWEST_COMPARED = 6
"""With 5 systems there are 16 ways to swap two evaluators: no outcome is rarer than 1 in 20."""
LARGEST, NEAR_CEILING = 1 - 1e-12, 0.99999
"""Where correlations, and those over their ceiling, are cut before Fisher's transformation."""
FLAT = 1e-20
"""Variances below this are rounding error."""
STEPS = 60
FARTHEST = 1e5


@dataclass(frozen=True)
class Scale:
    """The range of a statistic, and the scale on which its errors are even."""

    fisher: bool = False
    low: float = -inf
    high: float = inf
    order: RankError | None = None
    """The error of the rank correlation that it is, or reduces to for a perfect ranking."""
    largest: float = LARGEST
    """Where values are cut before Fisher's transformation, if `order` does not say."""


class Ends(NamedTuple):
    """Low and high ends of intervals; NaN where undefined."""

    low: Floats
    high: Floats


class CrossedSpread(NamedTuple):
    """Variances with their degrees of freedom."""

    variance: Floats
    df: Floats


@dataclass(frozen=True, eq=False)
class Jackknifed:
    """Values (m) of a statistic of n points, and its leave-one-cluster-out values, (clusters, m) per factor.

    `overlap` is the jackknife of the cells where two factors cross, `ceilings` the largest values that ties allow (None
    where they do not matter).
    """

    scale: Scale
    values: Floats
    parts: Sequence[Floats]
    overlap: Floats | None
    n: int
    ceilings: Floats | None = None

    def intervals(self, confidence: float) -> Ends:
        """Interval of each value."""
        every = np.arange(len(self.values))
        variance, df = self._spread(every)
        quantile = _quantile(confidence, df)
        ends = self._limits(every, variance, quantile, df)
        over = self._over_ceiling
        if over is None or self.ceilings is None:
            return ends
        scaled = over._limits(every, over._spread(every).variance, quantile, df)
        low, high = np.minimum(ends.low, self.ceilings * scaled.low), np.maximum(ends.high, self.ceilings * scaled.high)
        return Ends(np.where(self._at_ceiling, ends.low, low), np.where(self._at_ceiling, ends.high, high))

    def p_values(self) -> Floats:
        """Two-sided p-value of each value for the null hypothesis that it is 0."""
        spread = self._spread(np.arange(len(self.values)))
        center, error = self._transformed(self.values), np.sqrt(spread.variance)
        perfect = self._perfect(self.values, spread.variance)
        if self.scale.order and perfect.any():
            top, top_error = self.scale.order.perfect(self.n)
            center, error = np.where(perfect, top, center), np.where(perfect, top_error, error)
        with np.errstate(divide="ignore", invalid="ignore"):
            p_values = _two_sided(np.abs(center) / error, spread.df)
        p_values = np.maximum(p_values, 2 / factorial(min(self.n, 50)))
        if self._over_ceiling is None:
            return p_values
        # Twice the tail at which the far end is 0.
        at_ceiling = min(1.0, 2 * sqrt(0.5) ** self.n)
        return np.where(self._at_ceiling, at_ceiling, np.maximum(p_values, self._over_ceiling.p_values()))

    def differences(self, pairs: Sequence[tuple[int, int]], confidence: float) -> tuple[Ends, Floats]:
        """Intervals of first minus second, and the matching p-values."""
        first, second = np.array(pairs, np.int64).reshape(-1, 2).T
        one, other, difference = self._spread(first), self._spread(second), self._spread(first, second)
        x, y = self.values[first], self.values[second]
        with np.errstate(divide="ignore", invalid="ignore"):
            shared = (one.variance + other.variance - difference.variance) / (
                2 * np.sqrt(one.variance * other.variance)
            )
        shared = np.clip(np.where(np.isfinite(shared), shared, 0.0), -1.0, 1.0)

        def ends(quantile: Floats) -> Ends:
            x_low, x_high = self._limits(first, one.variance, quantile, difference.df)
            y_low, y_high = self._limits(second, other.variance, quantile, difference.df)
            return Ends(
                x - y - _hypotenuse(x - x_low, y_high - y, shared),
                x - y + _hypotenuse(x_high - x, y - y_low, shared),
            )

        interval = ends(_quantile(confidence, difference.df))
        # Evaluators that are equal up to scale never differ.
        same = (difference.variance <= FLAT) & (np.abs(x - y) <= 1e-12)
        low, high = (np.where(same, x - y, end) for end in interval)
        above = np.where(x >= y, interval.low, -interval.high)
        inside, outside = np.zeros(len(x)), np.full(len(x), FARTHEST)
        for _ in range(STEPS):
            middle = (inside + outside) / 2
            at = ends(middle)
            beyond = np.where(x >= y, at.low, -at.high) > 0
            inside, outside = np.where(beyond, middle, inside), np.where(beyond, outside, middle)
        p_values = np.where(np.isnan(above), np.nan, _two_sided(outside, difference.df))
        return Ends(low, high), np.where(same, 1.0, np.maximum(p_values, 2.0 ** (1 - self.n)))

    def _spread(self, first: NDArray[np.int64], second: NDArray[np.int64] | None = None) -> CrossedSpread:
        """Variance of values on their scale, or of differences of two."""

        def jackknife(left_out: Floats) -> tuple[Floats, Floats]:
            turned = self._transformed(left_out)
            return _variance(turned[:, first] if second is None else turned[:, first] - turned[:, second])

        factors = [jackknife(part) for part in self.parts]
        by_factor = np.stack([variance for variance, _ in factors])
        df = np.stack([n - 1 for _, n in factors])
        total = by_factor.sum(axis=0)
        if self.overlap is not None:
            total = total - jackknife(self.overlap)[0]
        total = np.maximum(total, by_factor.max(axis=0))
        with np.errstate(divide="ignore", invalid="ignore"):
            satterthwaite = total**2 / (by_factor**2 / df).sum(axis=0)
        return CrossedSpread(total, np.clip(np.nan_to_num(satterthwaite, nan=1.0), df.min(axis=0), df.max(axis=0)))

    @cached_property
    def _over_ceiling(self) -> Jackknifed | None:
        """The same with values divided by their ceilings."""
        if self.ceilings is None:
            return None
        return replace(
            self,
            scale=Scale(fisher=True, low=-1.0, high=1.0, largest=NEAR_CEILING),
            values=self.values / self.ceilings,
            parts=[part / self.ceilings for part in self.parts],
            overlap=None if self.overlap is None else self.overlap / self.ceilings,
            ceilings=None,
        )

    @cached_property
    def _at_ceiling(self) -> NDArray[np.bool_]:
        assert self.ceilings is not None
        return np.asarray(np.abs(self.values) >= self.ceilings - 1e-9)

    def _limits(self, which: NDArray[np.int64], variance: Floats, quantile: Floats, df: Floats) -> Ends:
        """Intervals that reach `quantile` standard errors to each side."""
        values = self.values[which]
        ends = self._limits_on_scale(values, variance, quantile)
        if self.ceilings is None:
            return ends
        at_ceiling = self._at_ceiling[which]
        far = (2 * stdtr(df, -quantile) ** (2 / self.n) - 1) * values
        low = np.where(at_ceiling, np.minimum(values, far), ends.low)
        return Ends(low, np.where(at_ceiling, np.maximum(values, far), ends.high))

    def _limits_on_scale(self, values: Floats, variance: Floats, quantile: Floats) -> Ends:
        center, reach = self._transformed(values), quantile * np.sqrt(variance)
        back = np.tanh if self.scale.fisher else np.asarray
        ends = [np.clip(back(end), self.scale.low, self.scale.high) for end in (center - reach, center + reach)]
        # A perfect ranking, which is moved half a step back, still lies in its interval.
        ends = [np.minimum(ends[0], values), np.maximum(ends[1], values)]
        ends = [np.where(variance <= FLAT, np.nan, end) for end in ends]
        perfect = self._perfect(values, variance)
        if self.scale.order and perfect.any():
            top, error = self.scale.order.perfect(self.n)
            half = (self.scale.high - self.scale.low) / 2
            inner = half * (np.tanh(top - quantile * error) + 1)
            upward = perfect & (values == self.scale.high)
            downward = perfect & (values == self.scale.low)
            low = np.where(upward, self.scale.low + inner, np.where(downward, self.scale.low, ends[0]))
            high = np.where(upward, self.scale.high, np.where(downward, self.scale.high - inner, ends[1]))
            ends = [low, high]
        return Ends(*ends)

    def _transformed(self, values: Floats) -> Floats:
        """Values on the scale of their errors; a perfect ranking is half a step below 1 instead of at infinity."""
        if not self.scale.fisher:
            return values
        top = self.scale.order.perfect(self.n)[0] if self.scale.order else float(np.arctanh(self.scale.largest))
        with np.errstate(divide="ignore"):
            return np.clip(np.arctanh(np.clip(values, -1.0, 1.0)), -top, top)

    def _perfect(self, values: Floats, variance: Floats) -> NDArray[np.bool_]:
        at_end = (values == self.scale.high) | (values == self.scale.low)
        return np.asarray(at_end & (variance <= FLAT) & bool(self.scale.order))


def _variance(left_out: Floats) -> tuple[Floats, Floats]:
    """Jackknife variance of each column and the number of clusters behind it; NaN if half are undefined."""
    defined = ~np.isnan(left_out)
    n = defined.sum(axis=0).astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.where(defined, left_out, 0.0).sum(axis=0) / n
        squares = np.where(defined, (left_out - mean) ** 2, 0.0).sum(axis=0)
        variance = (n - 1) / n * squares
    return np.where((2 * n >= len(left_out)) & (n > 1), variance, np.nan), np.maximum(n, 2)


def _quantile(confidence: float, df: Floats) -> Floats:
    return np.asarray(stdtrit(df, (1 + confidence) / 2), np.float64)


def _two_sided(quantile: Floats, df: Floats) -> Floats:
    return np.asarray(2 * stdtr(df, -quantile), np.float64)


def _hypotenuse(x: Floats, y: Floats, shared: Floats) -> Floats:
    return np.sqrt(np.maximum(x * x + y * y - 2 * shared * x * y, 0.0))
