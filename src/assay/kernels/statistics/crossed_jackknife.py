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
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import factorial, inf, sqrt
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

Floats = NDArray[np.float64]
FEWEST_POINTS = 5
"""In simulations, intervals from fewer points or fewer clusters miss their nominal coverage."""
FEWEST_COMPARED = 6
"""With 5 systems there are 16 ways to swap two evaluators: no outcome is rarer than 1 in 20."""
LARGEST = 1 - 1e-12
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
    order: Literal["", "spearman", "kendall"] = ""
    """The rank correlation that it is, or reduces to for a perfect ranking."""


class Ends(NamedTuple):
    """Low and high ends of intervals; NaN where undefined."""

    low: Floats
    high: Floats


class Spread(NamedTuple):
    """Variances with their degrees of freedom."""

    variance: Floats
    df: Floats


@dataclass(frozen=True, eq=False)
class Jackknifed:
    """Values (m) of a statistic of n points, and its leave-one-cluster-out values, (clusters, m) per factor.

    `overlap` is the jackknife of the cells where two factors cross.
    """

    scale: Scale
    values: Floats
    parts: Sequence[Floats]
    overlap: Floats | None
    n: int

    def intervals(self, confidence: float) -> Ends:
        """Interval of each value."""
        spread = self._spread(np.arange(len(self.values)))
        return self._limits(self.values, spread.variance, _quantile(confidence, spread.df))

    def p_values(self) -> Floats:
        """Two-sided p-value of each value for the null hypothesis that it is 0."""
        spread = self._spread(np.arange(len(self.values)))
        center, error = self._transformed(self.values), np.sqrt(spread.variance)
        perfect = self._perfect(self.values, spread.variance)
        if perfect.any():
            top, top_error = _perfect_order(self.scale.order, self.n)
            center, error = np.where(perfect, top, center), np.where(perfect, top_error, error)
        with np.errstate(divide="ignore", invalid="ignore"):
            p_values = _two_sided(np.abs(center) / error, spread.df)
        return np.maximum(p_values, 2 / factorial(min(self.n, 50)))

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
            x_low, x_high = self._limits(x, one.variance, quantile)
            y_low, y_high = self._limits(y, other.variance, quantile)
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

    def _spread(self, first: NDArray[np.int64], second: NDArray[np.int64] | None = None) -> Spread:
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
        return Spread(total, np.clip(np.nan_to_num(satterthwaite, nan=1.0), df.min(axis=0), df.max(axis=0)))

    def _limits(self, values: Floats, variance: Floats, quantile: Floats) -> Ends:
        center, reach = self._transformed(values), quantile * np.sqrt(variance)
        back = np.tanh if self.scale.fisher else np.asarray
        ends = [np.clip(back(end), self.scale.low, self.scale.high) for end in (center - reach, center + reach)]
        # A perfect ranking, which is moved half a step back, still lies in its interval.
        ends = [np.minimum(ends[0], values), np.maximum(ends[1], values)]
        ends = [np.where(variance <= FLAT, np.nan, end) for end in ends]
        perfect = self._perfect(values, variance)
        if perfect.any():
            top, error = _perfect_order(self.scale.order, self.n)
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
        top = np.arctanh(LARGEST) if not self.scale.order else _perfect_order(self.scale.order, self.n)[0]
        with np.errstate(divide="ignore"):
            return np.clip(np.arctanh(values), -top, top)

    def _perfect(self, values: Floats, variance: Floats) -> NDArray[np.bool_]:
        at_end = (values == self.scale.high) | (values == self.scale.low)
        return np.asarray(at_end & (variance <= FLAT) & bool(self.scale.order))


def _perfect_order(order: str, n: int) -> tuple[float, float]:
    """Fisher's z of a perfect ranking of n, half a step below 1, and its standard error."""
    if order == "spearman":
        rho = 1 - 6 / (n * (n * n - 1))
        return float(np.arctanh(rho)), sqrt((1 + rho * rho / 2) / (n - 3))
    return float(np.arctanh(1 - 2 / (n * (n - 1)))), sqrt(0.437 / (n - 4))


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
