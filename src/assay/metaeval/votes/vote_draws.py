"""Statistics of votes with intervals over units, items, annotators or several of them.

By default items are drawn, and intervals come from the jackknife and Student's t (`t`): bootstrap percentiles of few
items are too narrow. Where no method holds its confidence, the interval is a gap with a reason.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError, did_you_mean
from assay.kernels.statistics.intervals import Interval, bca, percentile
from assay.kernels.statistics.jackknife import t_interval
from assay.kernels.statistics.resample import BLOCK, Block, bootstrap_counts, leave_one_out, map_blocks
from assay.metaeval.estimate import Estimate
from assay.metaeval.questions.question import Method, Resampling
from assay.metaeval.votes.votes import Votes

FACTORS = ("units", "items", "annotators")
"""Drawing an item draws all its outputs."""

FEWEST = {"units": 20, "items": 20, "annotators": 5}
"""From fewer, intervals do not hold their confidence (simulated: docs/rates.md), and none is given."""

MOST_GROUPS = 200
"""Of more items or annotators, so many random groups are left out instead of single members."""


@dataclass(frozen=True, eq=False)
class Draws:
    """One block of resamples: how often each unit and each annotator counts."""

    units: NDArray[np.int32]
    annotators: NDArray[np.int32]


VoteStatistic = Callable[[Draws], NDArray[np.float64]]
"""Returns (draws, ...): numbers of any shape for each draw."""


@dataclass(frozen=True)
class Link:
    """A scale on which a statistic is closer to normal, such as Fisher's z of a correlation."""

    forward: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    back: Callable[[NDArray[np.float64]], NDArray[np.float64]]


def _fisher(r: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.arctanh(np.where(np.abs(r) < 1.0 - 1e-12, r, np.nan))


def _logarithm(x: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.log(np.where(x > 0.0, x, np.nan))


CORRELATION = Link(_fisher, np.tanh)
POSITIVE = Link(_logarithm, lambda z: np.exp(np.minimum(z, 700.0)))
"""Neither covers a perfect 1 or 0, which therefore has no interval."""


@dataclass(frozen=True, eq=False)
class Resampled:
    """A statistic, its values under the draws, and, for t and BCa, without each member of each factor."""

    value: NDArray[np.float64]
    draws: NDArray[np.float64]
    jackknives: tuple[NDArray[np.float64], ...]
    confidence: float
    method: Method = "percentile"
    reason: str = ""

    def estimate(
        self,
        index: tuple[int, ...],
        n: int,
        reason: str,
        *,
        link: Link | None = None,
        corrected: bool = False,
        no_interval: str = "",
        **about: Any,
    ) -> Estimate:
        """One number of the statistic with its interval.

        `reason` explains a NaN, `no_interval` a missing interval; `corrected` centers the interval without the
        small-sample bias of the statistic.
        """
        value = float(self.value[index])
        if np.isnan(value):
            return Estimate.undefined(n, reason, **about)
        why = no_interval or self.reason
        if why:
            return Estimate(value, np.nan, np.nan, n, why, about)
        interval = self._interval(value, (slice(None), *index), link, corrected)
        if interval.n_undefined:
            about["n_undefined_resamples"] = interval.n_undefined
        if np.isnan(interval.low) or interval.low == interval.high:
            return Estimate(value, np.nan, np.nan, n, _why_none(interval), about)
        return Estimate(value, interval.low, interval.high, n, "", about)

    def _interval(self, value: float, of_all: Any, link: Link | None, corrected: bool) -> Interval:
        left_out = [values[of_all] for values in self.jackknives]
        if self.method != "t":
            draws = self.draws[of_all]
            return (
                bca(draws, value, left_out, self.confidence)
                if self.method == "bca"
                else percentile(draws, self.confidence)
            )
        if link is None:
            return t_interval(value, left_out, self.confidence, corrected=corrected)
        forward = link.forward(np.array([value]))
        linked = t_interval(float(forward[0]), [link.forward(values) for values in left_out], self.confidence)
        low, high = link.back(np.array([linked.low, linked.high]))
        return Interval(float(low), float(high), linked.n_undefined)


def checked(resampling: Resampling) -> Resampling:
    """Resolve defaults, items being drawn; an error for factors that votes lack."""
    factors = tuple(dict.fromkeys(resampling.factors)) or ("items",)
    for factor in factors:
        if factor not in FACTORS:
            raise AssayError(f"cannot resample {factor!r} of votes.{did_you_mean(factor, FACTORS)}")
    if {"units", "items"} <= set(factors):
        raise AssayError("resample units or items, not both: an item holds its units.")
    return resampling.with_factors(factors).with_interval("t", ("t", "percentile", "bca"))


def over_units(resampling: Resampling) -> Resampling:
    """The same without annotators, for statistics of single annotators or that never draw them."""
    return replace(resampling, factors=tuple(factor for factor in resampling.factors if factor != "annotators"))


def resample(votes: Votes, resampling: Resampling, statistic: VoteStatistic) -> Resampled:
    """The statistic with what its interval needs; all statistics of the votes share the same draws."""
    value = statistic(undrawn(votes))
    reason = _why_not_drawn(votes, resampling)
    draws: list[NDArray[np.float64]] = []
    jackknives: tuple[NDArray[np.float64], ...] = ()
    if not reason and resampling.interval != "t":
        draws = map_blocks(
            lambda block: statistic(_drawn(votes, resampling, block)), resampling.resamples, resampling.seed
        )
    if not reason and resampling.interval != "percentile":
        jackknives = tuple(_without_each(votes, factor, statistic, resampling) for factor in resampling.factors)
    return Resampled(
        value[0],
        np.concatenate([value[:0], *draws]),
        jackknives,
        resampling.confidence,
        resampling.interval,
        reason,
    )


def undrawn(votes: Votes, size: int = 1) -> Draws:
    """Every unit and annotator once, for the estimate itself."""
    return Draws(np.ones((size, votes.n_units), np.int32), np.ones((size, votes.n_annotators), np.int32))


def clusters_of(votes: Votes, resampling: Resampling) -> NDArray[np.int64]:
    """What each unit is drawn with: itself, or its item."""
    return np.arange(votes.n_units) if "units" in resampling.factors else votes.item


def too_few(n: int, factor: str) -> str:
    """Why so few members give no interval; empty where they are enough."""
    if n >= FEWEST[factor]:
        return ""
    remedy = " (--resample units takes the outputs of an item as independent)" if factor == "items" else ""
    return f"{n} {factor if n != 1 else factor[:-1]}: an interval needs {FEWEST[factor]} or more{remedy}"


def few_clusters(votes: Votes, resampling: Resampling) -> str:
    """Why there are too few items or annotators for an interval; empty where there are enough."""
    sizes = _sizes(votes, resampling) if resampling.interval == "t" else {}
    return next(filter(None, (too_few(n, factor) for factor, n in sizes.items())), "")


def fewest_drawn(votes: Votes, resampling: Resampling) -> int:
    """The size of the smallest factor drawn."""
    return min(_sizes(votes, resampling).values())


def _sizes(votes: Votes, resampling: Resampling) -> dict[str, int]:
    members = {"units": votes.n_units, "items": _n_items(votes), "annotators": votes.n_annotators}
    return {factor: members[factor] for factor in resampling.factors}


def _why_not_drawn(votes: Votes, resampling: Resampling) -> str:
    if not resampling.resamples:
        return "no intervals were asked for"
    if not resampling.factors:
        return "an interval draws units or items here, and only annotators were to be drawn"
    return few_clusters(votes, resampling)


def _why_none(interval: Interval) -> str:
    if interval.n_undefined:
        return "most resamples leave it undefined"
    return "it hangs on one item or annotator, or nothing varies: no interval"


def _drawn(votes: Votes, resampling: Resampling, block: Block) -> Draws:
    drawn = undrawn(votes, block.size)
    units, annotators = drawn.units, drawn.annotators
    if "units" in resampling.factors:
        units = bootstrap_counts(block.rng(0), block.size, votes.n_units)
    if "items" in resampling.factors:
        units = bootstrap_counts(block.rng(1), block.size, _n_items(votes))[:, votes.item]
    if "annotators" in resampling.factors:
        annotators = bootstrap_counts(block.rng(2), block.size, votes.n_annotators)
    return Draws(units, annotators)


def _without_each(votes: Votes, factor: str, statistic: VoteStatistic, resampling: Resampling) -> NDArray[np.float64]:
    by_annotator = factor == "annotators"
    codes = np.arange(votes.n_annotators) if by_annotator else clusters_of(votes, resampling)
    groups, n_groups = _grouped(codes, resampling.seed)
    values = []
    for start in range(0, n_groups, BLOCK):
        weights = leave_one_out(groups, n_groups, start, start + BLOCK)
        draws = undrawn(votes, len(weights))
        draws = replace(draws, annotators=weights) if by_annotator else replace(draws, units=weights)
        values.append(statistic(draws))
    return np.concatenate(values)


def _grouped(codes: NDArray[np.int64], seed: int) -> tuple[NDArray[np.int64], int]:
    """Members as they are, or in groups of equal size that take their place."""
    n_codes = int(codes.max(initial=-1)) + 1
    if n_codes <= MOST_GROUPS:
        return codes, n_codes
    order = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(4,))).permutation(n_codes)
    return order[codes] % MOST_GROUPS, MOST_GROUPS


def _n_items(votes: Votes) -> int:
    return int(votes.item.max(initial=-1)) + 1
