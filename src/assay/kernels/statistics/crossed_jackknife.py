"""t intervals from a jackknife by clusters, and the difference of two correlations from their intervals.

Scores of outputs are crossed: an item has an output of every system, a system one for every item, and both make scores
alike. Each factor's jackknife gives the variance that its members cause; what two factors both hold, the variance of
their cells, is counted once (Cameron, Gelbach and Miller 2011): V = V(items) + V(systems) - V(cells), and at least the
larger of the two. The degrees of freedom are Satterthwaite's, so few systems make wide intervals and many items
narrow ones.

Pearson's and Spearman's correlations are spread on Fisher's z, everything else as it is. The interval of a difference
is made of the two intervals and the correlation of their errors (Zou 2007): unlike one from the standard error of the
difference, it knows that correlations end at 1. Its p-value is the level at which the interval reaches 0, so that the
two never disagree. No p-value is smaller than the rarest order of n points, or the rarest way to swap two evaluators of
them, is: tails of t that rest on few systems are not believed.

Every resample of a perfect order is a perfect order: there, and only there, the interval comes from the standard errors
of rank correlations (Bonett and Wright 2000), a half step below 1.
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
"""Simulated intervals of fewer points, or from fewer clusters, do not hold what they say."""
FEWEST_COMPARED = 6
"""Two evaluators of 5 systems can be swapped in 16 ways: none of them is rarer than 1 in 20."""
LARGEST = 1 - 1e-12
FLAT = 1e-20
"""Variance of what does not vary but for rounding."""
STEPS = 60
FARTHEST = 1e5


@dataclass(frozen=True)
class Scale:
    """Where a statistic lives: on which scale its errors are even, and where it ends."""

    fisher: bool = False
    low: float = -inf
    high: float = inf
    order: Literal["", "spearman", "kendall"] = ""
    """Which rank correlation it is, or turns into, when the order is perfect."""


class Ends(NamedTuple):
    """Low and high ends of some intervals; NaN where there is none."""

    low: Floats
    high: Floats


class Spread(NamedTuple):
    """Variances with their degrees of freedom."""

    variance: Floats
    df: Floats


@dataclass(frozen=True, eq=False)
class Jackknifed:
    """Values (m) of a statistic with n points, and its values without each cluster, (clusters, m) for each factor.

    `overlap` is the jackknife of the cells where two factors cross.
    """

    scale: Scale
    values: Floats
    parts: Sequence[Floats]
    overlap: Floats | None
    n: int

    def intervals(self, confidence: float) -> Ends:
        """The interval of each value."""
        spread = self._spread(np.arange(len(self.values)))
        return self._limits(self.values, spread.variance, _quantile(confidence, spread.df))

    def p_values(self) -> Floats:
        """Two-sided p of each value being 0."""
        spread = self._spread(np.arange(len(self.values)))
        centre, error = self._turned(self.values), np.sqrt(spread.variance)
        perfect = self._perfect(self.values, spread.variance)
        if perfect.any():
            top, top_error = _perfect_order(self.scale.order, self.n)
            centre, error = np.where(perfect, top, centre), np.where(perfect, top_error, error)
        with np.errstate(divide="ignore", invalid="ignore"):
            p_values = _two_sided(np.abs(centre) / error, spread.df)
        return np.maximum(p_values, 2 / factorial(min(self.n, 50)))

    def differences(self, pairs: Sequence[tuple[int, int]], confidence: float) -> tuple[Ends, Floats]:
        """Intervals of first minus second, and the p-values that belong to them."""
        first, second = np.array(pairs, np.int64).reshape(-1, 2).T
        one, other, both = self._spread(first), self._spread(second), self._spread(first, second)
        x, y = self.values[first], self.values[second]
        with np.errstate(divide="ignore", invalid="ignore"):
            shared = (one.variance + other.variance - both.variance) / (2 * np.sqrt(one.variance * other.variance))
        shared = np.clip(np.where(np.isfinite(shared), shared, 0.0), -1.0, 1.0)

        def ends(quantile: Floats) -> Ends:
            x_low, x_high = self._limits(x, one.variance, quantile)
            y_low, y_high = self._limits(y, other.variance, quantile)
            return Ends(
                x - y - _hypotenuse(x - x_low, y_high - y, shared),
                x - y + _hypotenuse(x_high - x, y - y_low, shared),
            )

        found = ends(_quantile(confidence, both.df))
        # Two evaluators that are the same but for their unit of measurement never differ.
        same = (both.variance <= FLAT) & (np.abs(x - y) <= 1e-12)
        low, high = (np.where(same, x - y, end) for end in found)
        above = np.where(x >= y, found.low, -found.high)
        inside, outside = np.zeros(len(x)), np.full(len(x), FARTHEST)
        for _ in range(STEPS):
            middle = (inside + outside) / 2
            at = ends(middle)
            beyond = np.where(x >= y, at.low, -at.high) > 0
            inside, outside = np.where(beyond, middle, inside), np.where(beyond, outside, middle)
        p_values = np.where(np.isnan(above), np.nan, _two_sided(outside, both.df))
        return Ends(low, high), np.where(same, 1.0, np.maximum(p_values, 2.0 ** (1 - self.n)))

    def _spread(self, first: NDArray[np.int64], second: NDArray[np.int64] | None = None) -> Spread:
        """Variance of some values on their scale, or of the differences of two."""

        def jackknife(left_out: Floats) -> tuple[Floats, Floats]:
            turned = self._turned(left_out)
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
        centre, reach = self._turned(values), quantile * np.sqrt(variance)
        back = np.tanh if self.scale.fisher else np.asarray
        ends = [np.clip(back(end), self.scale.low, self.scale.high) for end in (centre - reach, centre + reach)]
        # A perfect order, which is set half a step back, still lies in its interval.
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

    def _turned(self, values: Floats) -> Floats:
        """Values on the scale of their errors; a perfect order is half a step below 1, and not infinitely far."""
        if not self.scale.fisher:
            return values
        top = np.arctanh(LARGEST) if not self.scale.order else _perfect_order(self.scale.order, self.n)[0]
        with np.errstate(divide="ignore"):
            return np.clip(np.arctanh(values), -top, top)

    def _perfect(self, values: Floats, variance: Floats) -> NDArray[np.bool_]:
        at_end = (values == self.scale.high) | (values == self.scale.low)
        return np.asarray(at_end & (variance <= FLAT) & bool(self.scale.order))


def _perfect_order(order: str, n: int) -> tuple[float, float]:
    """Fisher's z of a perfect order of n, half a step below 1, and its standard error."""
    if order == "spearman":
        rho = 1 - 6 / (n * (n * n - 1))
        return float(np.arctanh(rho)), sqrt((1 + rho * rho / 2) / (n - 3))
    return float(np.arctanh(1 - 2 / (n * (n - 1)))), sqrt(0.437 / (n - 4))


def _variance(left_out: Floats) -> tuple[Floats, Floats]:
    """The jackknife's variance of each column and how many clusters it rests on; NaN where half are undefined."""
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
