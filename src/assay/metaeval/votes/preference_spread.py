"""Uncertainty of the strengths of systems when judgments are clustered by annotator and by item.

Three variances of a difference of strengths:

- `information`: the information matrix, which takes judgments as independent.
- `clustered`: the sum of squared influences of whole clusters (the sandwich of Liang and Zeger 1986).
- `bootstrap`: the variance over resamples of whole clusters, times n / (n - 1).

With annotators and items both drawn, the variances of both are added and that of their cells is subtracted (Cameron,
Gelbach and Miller 2011); the result is never below the larger one. Intervals and p come from one variance and Student's
t, so they never disagree, and resamples set no lower limit on p.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, nan, sqrt
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from assay.errors import AssayError
from assay.kernels.statistics.jackknife import Variance, of_influences
from assay.kernels.statistics.resample import Block, bootstrap_counts, map_blocks
from assay.kernels.votes.bradley_terry import Strengths, bradley_terry, influences
from assay.limits import check_share
from assay.metaeval.votes.pair_judgments import Comparisons

Floats = NDArray[np.float64]
Intervals = Literal["clustered", "information", "bootstrap"]
Factor = Literal["items", "annotators"]
FEWEST = {"items": 10, "annotators": 4}
"""From fewer clusters there is no interval and no p."""


@dataclass(frozen=True)
class PreferenceOptions:
    """How systems are ranked by comparisons.

    Attributes:
        prior_wins: wins added both ways to each pair of systems.
        intervals: `clustered` and `bootstrap` allow for clusters of judgments, `information` takes them as independent.
        over: the clusters: items, annotators or both; by default those with several judgments.
        resamples: of the bootstrap.
        confidence: of the intervals.
        seed: of the bootstrap.
    """

    prior_wins: float = 0.0
    intervals: Intervals = "clustered"
    over: tuple[Factor, ...] = ()
    resamples: int = 1000
    confidence: float = 0.95
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.prior_wins >= 0:
            raise AssayError(f"prior wins must be 0 or more, not {self.prior_wins}.")
        check_share("confidence", self.confidence)
        if self.resamples < 2:
            raise AssayError(f"resamples must be 2 or more, not {self.resamples}.")


class TestedStrength(NamedTuple):
    """An estimate with its interval and the p of its being 0."""

    value: float
    low: float
    high: float
    p: float


@dataclass(frozen=True, eq=False)
class VarianceShare:
    """Variances from one way to cluster: influences (clusters, systems), or a covariance with degrees of freedom."""

    influences: Floats | None
    covariance: Floats
    freedom: float

    def variance(self, i: int, j: int | None) -> Variance:
        """Of a strength, or of the difference of two."""
        if self.influences is not None:
            return of_influences(self.influences[:, i] - (0.0 if j is None else self.influences[:, j]))
        c = self.covariance
        return Variance(float(c[i, i] if j is None else c[i, i] + c[j, j] - 2.0 * c[i, j]), self.freedom, 0.0)


@dataclass(frozen=True, eq=False)
class StrengthSpread:
    """The variances behind intervals and p: `parts` are those of annotators and items, then of their cells."""

    strengths: Floats
    parts: tuple[VarianceShare, ...]
    confidence: float
    n_undefined: int = 0

    def of(self, i: int, j: int | None = None) -> TestedStrength:
        """The strength of a system, or its difference from another, with its interval and p."""
        value = float(self.strengths[i] - (0.0 if j is None else self.strengths[j]))
        variances = [part.variance(i, j) for part in self.parts]
        main, *others = sorted(variances[:2], key=lambda one: -one.value)
        # The variance of the cells is in the larger one already.
        further = [max(other.value - variances[2].value, 0.0) for other in others]
        total = main.value + sum(further)
        if not total > 0:
            return TestedStrength(value, nan, nan, nan)
        uncertain = main.value**2 / main.freedom
        uncertain += sum(size**2 / other.freedom for size, other in zip(further, others, strict=True))
        # An infinite number of degrees of freedom is the normal distribution.
        freedom = total**2 / max(uncertain, 1e-300 * total**2)
        error = sqrt(total)
        half = error * float(stdtrit(freedom, 0.5 + self.confidence / 2.0))
        return TestedStrength(value, value - half, value + half, float(2.0 * stdtr(freedom, -abs(value) / error)))


def factors_of(comparisons: Comparisons, over: Sequence[Factor]) -> tuple[Factor, ...]:
    """The factors drawn: those of `over`, or by default all with several judgments per member."""
    if over:
        return tuple(dict.fromkeys(over))
    n = len(comparisons.outcome)
    return tuple(factor for factor in ("annotators", "items") if len(np.unique(_codes(comparisons, factor))) < n)


def why_no_interval(comparisons: Comparisons, factors: Sequence[Factor]) -> str:
    """Why there are too few clusters to draw; empty where there are enough."""
    for factor in factors:
        n = len(np.unique(_codes(comparisons, factor)))
        if n < FEWEST[factor]:
            others = "items" if factor == "annotators" else "annotators"
            who = factor if n != 1 else factor[:-1]
            return (
                f"{n} {who}: intervals and p need {FEWEST[factor]} or more. "
                f"--resample {others} asks about these {factor} only."
            )
    return ""


def spread(
    comparisons: Comparisons,
    fitted: Strengths,
    factors: Sequence[Factor],
    options: PreferenceOptions,
) -> StrengthSpread:
    """The variances behind every interval and p."""
    intervals, confidence = options.intervals, options.confidence
    if intervals == "information" or not factors:
        return StrengthSpread(fitted.strengths, (VarianceShare(None, fitted.covariance, inf),), confidence)
    codes = [_codes(comparisons, factor) for factor in factors]
    if len(codes) == 2:
        codes.append(np.unique(np.stack(codes), axis=1, return_inverse=True)[1].ravel())
    if intervals == "clustered":
        outcomes = comparisons.left, comparisons.right, comparisons.outcome
        by_cluster = [influences(*outcomes, code, fitted) for code in codes]
        shares = tuple(VarianceShare(one, one[:0], len(one) - 1.0) for one in by_cluster)
        return StrengthSpread(fitted.strengths, shares, confidence)
    parts, n_undefined = [], 0
    for code in codes:
        draws = _resampled(comparisons, code, options)
        defined = draws[~np.isnan(draws[:, 0])]
        n_undefined = max(n_undefined, len(draws) - len(defined))
        if 2 * len(defined) < len(draws) or len(defined) < 2:
            raise AssayError("most resamples leave some system without a finite strength. Use --prior-wins 0.5.")
        n = int(code.max()) + 1
        parts.append(VarianceShare(None, np.cov(defined, rowvar=False) * n / (n - 1), n - 1.0))
    return StrengthSpread(fitted.strengths, tuple(parts), confidence, n_undefined=n_undefined)


def _codes(comparisons: Comparisons, factor: Factor) -> NDArray[np.int64]:
    return comparisons.annotator if factor == "annotators" else comparisons.item


def _resampled(comparisons: Comparisons, cluster: NDArray[np.int64], options: PreferenceOptions) -> Floats:
    n_clusters = int(cluster.max()) + 1

    def task(block: Block) -> Floats:
        drawn = bootstrap_counts(block.rng(0), block.size, n_clusters)
        counts = [comparisons.counts(row[cluster].astype(np.float64)) for row in drawn]
        fits = [bradley_terry(*one, prior_wins=options.prior_wins) for one in counts]
        return np.array([fit.strengths for fit in fits])

    return np.concatenate(map_blocks(task, options.resamples, options.seed))
