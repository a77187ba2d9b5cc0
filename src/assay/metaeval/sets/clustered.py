"""Many columns against one target, with intervals and tests that leave out whole clusters in turn.

Sets of one context are not independent: what varies from study to study are the contexts. The jackknife leaves out each
context with all its sets; its standard error and Student's t with (contexts - 1) degrees of freedom give an interval
and a p-value that answer one question and depend on no random draw, so that p can be as small as a correction for many
tests needs. Above MOST_GROUPS contexts groups of them are left out. Below FEWEST_CLUSTERS there is no interval.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import nan, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from assay.kernels.statistics.correlation import spearman
from assay.kernels.statistics.resample import Block, leave_one_out, map_blocks
from assay.kernels.statistics.significance import holm
from assay.kernels.statistics.weighted import weighted_spearman
from assay.metaeval.questions.question import Resampling

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
# (weights, values, target) -> one number per row of weights
Statistic = Callable[[NDArray[np.int32], Floats, Floats], Floats]

MOST_GROUPS = 1000
FEWEST_CLUSTERS = 5
NEAR_ONE = 0.99999
"""Where a correlation is cut before Fisher's transformation."""


@dataclass(frozen=True)
class Answer:
    """An interval and the p-value of "it is 0", or why there are none."""

    low: float = nan
    high: float = nan
    p_value: float = nan
    reason: str = ""


@dataclass(frozen=True)
class Difference:
    """The statistic of `left` minus that of `right` on the units that both have scored."""

    left: str
    right: str
    difference: float
    low: float
    high: float
    p_value: float
    p_holm: float
    n: int
    reason: str = ""


@dataclass(frozen=True, eq=False)
class Clusters:
    """Units in clusters, and the groups of clusters that are left out in turn."""

    group: Ints
    n_groups: int
    n_clusters: int

    @classmethod
    def of(cls, clusters: Ints, seed: int) -> Clusters:
        """Number the clusters; where there are very many, deal them into groups at random."""
        names, codes = np.unique(clusters, return_inverse=True)
        if len(names) <= MOST_GROUPS:
            return cls(codes, len(names), len(names))
        dealt = np.random.default_rng(seed).permutation(len(names)) % MOST_GROUPS
        return cls(dealt[codes], MOST_GROUPS, len(names))

    @property
    def too_few(self) -> str:
        """Why there can be no interval; empty where there can."""
        if self.n_clusters >= FEWEST_CLUSTERS:
            return ""
        return f"too few contexts for an interval ({self.n_clusters} < {FEWEST_CLUSTERS})"

    def without_each(self, statistic: Statistic, values: Floats, target: Floats, workers: int) -> Floats:
        """The statistic without each group in turn."""

        def work(block: Block) -> Floats:
            weights = leave_one_out(self.group, self.n_groups, block.start, block.start + block.size)
            return statistic(weights, values, target)

        return np.concatenate(map_blocks(work, self.n_groups, 0, workers=workers))

    def error(self, replicates: Floats) -> float:
        """The jackknife's standard error."""
        n = self.n_groups
        return float(np.sqrt((n - 1) / n * np.sum((replicates - replicates.mean()) ** 2)))

    def quantile(self, confidence: float) -> float:
        """How many standard errors an interval reaches to each side."""
        return float(stdtrit(self.n_groups - 1, (1 + confidence) / 2))

    def p_value(self, estimate: float, error: float) -> float:
        """Two-sided p of "it is 0"."""
        return float(2 * stdtr(self.n_groups - 1, -abs(estimate) / error))


def spearman_rows(weights: NDArray[np.int32], values: Floats, target: Floats) -> Floats:
    """Spearman's rho under each row of weights."""
    return weighted_spearman(values[:, None], target)(weights)[:, 0]


def clustered_interval(
    statistic: Statistic, values: Floats, target: Floats, clusters: Ints, how: Resampling, workers: int = 1
) -> Answer:
    """The t interval of a statistic such as a mean, clusters left out in turn."""
    if not how.resamples or not len(values):
        return Answer(reason="no interval was asked for" if len(values) else "no scores")
    groups = Clusters.of(clusters, how.seed)
    if groups.too_few:
        return Answer(reason=groups.too_few)
    estimate = float(statistic(np.ones((1, len(values)), np.int32), values, target)[0])
    error = groups.error(groups.without_each(statistic, values, target, workers))
    if np.isnan(error) or np.isnan(estimate):
        return Answer(reason="not defined without some of the contexts")
    reach = groups.quantile(how.confidence) * error
    return Answer(estimate - reach, estimate + reach, groups.p_value(estimate, error) if error else nan)


def correlation_interval(values: Floats, target: Floats, clusters: Ints, how: Resampling, workers: int = 1) -> Answer:
    """The interval of Spearman's rho, and the p-value of "rho is 0".

    The jackknife works on Fisher's z, of rho and of rho over the largest value that the ties allow (.87 with a label
    of two equal classes, near which rho is as skewed as near 1); the interval covers both intervals. Where every set
    is in its place nothing varies: the other end is then that of the share of contexts in place, all n being so,
    which is (1 - confidence) / 2 to the 1 / n, as if every pair of contexts with one out of place were turned around.
    """
    if not how.resamples:
        return Answer(reason="no interval was asked for")
    rho = spearman(values, target)
    if np.isnan(rho):
        return Answer(reason="all scores, or all targets, are the same")
    groups = Clusters.of(clusters, how.seed)
    if groups.too_few:
        return Answer(reason=groups.too_few)
    top = spearman(np.sort(values), np.sort(target))
    if abs(rho) >= top - 1e-9:
        return _all_in_place(rho, groups.n_clusters, how.confidence)
    replicates = groups.without_each(spearman_rows, values, target, workers)
    if np.isnan(replicates).any():
        return Answer(reason="not defined without some of the contexts")
    ends, p_values = [rho], []
    for scale in (1.0, top):
        z, error = float(_fisher(rho / scale)), groups.error(_fisher(replicates / scale))
        reach = groups.quantile(how.confidence) * error
        ends += [scale * float(np.tanh(z - reach)), scale * float(np.tanh(z + reach))]
        p_values.append(groups.p_value(z, error))
    return Answer(min(ends), max(ends), max(p_values))


def share_interval(correct: Floats, clusters: Ints, how: Resampling) -> Answer:
    """Wilson's interval of a mean of numbers from 0 to 1, with as many units as the clusters are worth."""
    if not how.resamples or not len(correct):
        return Answer(reason="no interval was asked for" if len(correct) else "no scores")
    groups = Clusters.of(clusters, how.seed)
    if groups.too_few:
        return Answer(reason=groups.too_few)
    share, n = float(correct.mean()), groups.n_groups
    sums = np.bincount(groups.group, correct - share, n)
    variance = n / (n - 1) * float(sums @ sums) / len(correct) ** 2
    worth = share * (1 - share) / variance if variance > 1e-15 else float(n)
    z = groups.quantile(how.confidence)
    middle = (share + z * z / (2 * worth)) / (1 + z * z / worth)
    reach = z / (1 + z * z / worth) * sqrt(share * (1 - share) / worth + z * z / (4 * worth**2))
    return Answer(max(0.0, middle - reach), min(1.0, middle + reach))


def differences(
    names: Sequence[str],
    columns: Sequence[Floats],
    target: Floats,
    clusters: Ints,
    how: Resampling,
    statistic: Statistic = spearman_rows,
    workers: int = 1,
) -> list[Difference]:
    """Compare every pair of columns on the units both have, p-values adjusted for their number (Holm 1979)."""
    left_out = _Replicates(columns, target, clusters, how.seed, statistic, workers)
    found: list[Difference] = []
    for left, right in combinations(range(len(names)), 2):
        both = ~np.isnan(columns[left]) & ~np.isnan(columns[right]) & ~np.isnan(target)
        once = np.ones((1, int(both.sum())), np.int32)
        a, b, y = columns[left][both], columns[right][both], target[both]
        observed = float(statistic(once, a, y)[0] - statistic(once, b, y)[0]) if len(y) else nan
        answer = _of_difference(observed, left_out, left, right, both, how)
        found.append(
            Difference(
                names[left],
                names[right],
                observed,
                answer.low,
                answer.high,
                answer.p_value,
                nan,
                len(y),
                answer.reason,
            )
        )
    adjusted = holm(np.array([one.p_value for one in found]))
    return [replace(one, p_holm=float(p)) for one, p in zip(found, adjusted, strict=True)]


@dataclass(eq=False)
class _Replicates:
    """The statistic of columns without each cluster in turn; each is computed once for the units it is asked on."""

    columns: Sequence[Floats]
    target: Floats
    clusters: Ints
    seed: int
    statistic: Statistic
    workers: int
    _known: dict[tuple[int, bytes], Floats] = field(default_factory=dict)

    def of(self, column: int, rows: NDArray[np.bool_]) -> Floats:
        key = (column, rows.tobytes())
        if key not in self._known:
            self._known[key] = self.groups(rows).without_each(
                self.statistic, self.columns[column][rows], self.target[rows], self.workers
            )
        return self._known[key]

    def groups(self, rows: NDArray[np.bool_]) -> Clusters:
        return Clusters.of(self.clusters[rows], self.seed)


def _of_difference(
    observed: float, left_out: _Replicates, left: int, right: int, both: NDArray[np.bool_], how: Resampling
) -> Answer:
    if not how.resamples:
        return Answer(reason="no interval was asked for")
    if np.isnan(observed):
        return Answer(reason="all scores, or all targets, are the same")
    groups = left_out.groups(both)
    if groups.too_few:
        return Answer(reason=groups.too_few)
    error = groups.error(left_out.of(left, both) - left_out.of(right, both))
    if np.isnan(error):
        return Answer(reason="not defined without some of the contexts")
    if error < 1e-12:
        return Answer(reason="the difference is the same without any of the contexts")
    reach = groups.quantile(how.confidence) * error
    return Answer(observed - reach, observed + reach, groups.p_value(observed, error))


def _fisher(rho: float | Floats) -> Floats:
    return np.arctanh(np.clip(rho, -NEAR_ONE, NEAR_ONE))


def _all_in_place(rho: float, n_clusters: int, confidence: float) -> Answer:
    share = ((1 - confidence) / 2) ** (1 / n_clusters)
    other = (2 * share**2 - 1) * rho
    # p is twice the tail at which the other end is 0.
    return Answer(min(rho, other), max(rho, other), min(1.0, 2 * sqrt(0.5) ** n_clusters))
