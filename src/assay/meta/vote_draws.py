"""Statistics of votes with their resamples: units, whole items, annotators, or several of them are drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError, did_you_mean
from assay.kernels.intervals import NO_INTERVAL, bca, percentile
from assay.kernels.resample import BLOCK, Block, bootstrap_counts, leave_one_out, map_blocks
from assay.meta.estimate import Estimate
from assay.meta.question import Resampling
from assay.meta.votes import Votes

FACTORS = ("units", "items", "annotators")
"""All outputs of an item move together when items are drawn."""


@dataclass(frozen=True, eq=False)
class Draws:
    """One block of resamples: how often each unit and each annotator counts."""

    units: NDArray[np.int32]
    annotators: NDArray[np.int32]


Statistic = Callable[[Draws], NDArray[np.float64]]
"""Gives (draws, ...): any shape of numbers for each draw."""


@dataclass(frozen=True, eq=False)
class Resampled:
    """A statistic, its values under the draws, and, for BCa, without each member of each factor."""

    value: NDArray[np.float64]
    draws: NDArray[np.float64]
    jackknives: tuple[NDArray[np.float64], ...]
    confidence: float

    def estimate(self, index: tuple[int, ...], n: int, reason: str, **about: Any) -> Estimate:
        """One number of the statistic with its interval; `reason` is used where it is NaN."""
        value = float(self.value[index])
        if np.isnan(value):
            return Estimate.undefined(n, reason, **about)
        of_all: Any = (slice(None), *index)
        draws = self.draws[of_all]
        interval = NO_INTERVAL
        if len(draws):
            left_out = [values[of_all] for values in self.jackknives]
            interval = bca(draws, value, left_out, self.confidence) if left_out else percentile(draws, self.confidence)
        if interval.n_undefined:
            about["n_undefined_resamples"] = interval.n_undefined
        return Estimate(value, interval.low, interval.high, n, "", about)


def checked(resampling: Resampling) -> Resampling:
    """The factors that were asked for, or units; an error where votes do not have them."""
    factors = tuple(dict.fromkeys(resampling.factors)) or ("units",)
    for factor in factors:
        if factor not in FACTORS:
            raise AssayError(f"cannot resample {factor!r} of votes.{did_you_mean(factor, FACTORS)}")
    if {"units", "items"} <= set(factors):
        raise AssayError("resample units or items, not both: an item holds its units.")
    return resampling.with_factors(factors).with_interval("percentile", ("percentile", "bca"))


def resample(votes: Votes, resampling: Resampling, statistic: Statistic) -> Resampled:
    """The statistic with its resamples. Every statistic of the votes meets the same draws."""

    def task(block: Block) -> NDArray[np.float64]:
        drawn = undrawn(votes, block.size)
        units, annotators = drawn.units, drawn.annotators
        if "units" in resampling.factors:
            units = bootstrap_counts(block.rng(0), block.size, votes.n_units)
        if "items" in resampling.factors:
            units = bootstrap_counts(block.rng(1), block.size, _n_items(votes))[:, votes.item]
        if "annotators" in resampling.factors:
            annotators = bootstrap_counts(block.rng(2), block.size, votes.n_annotators)
        return statistic(Draws(units, annotators))

    value = statistic(undrawn(votes))
    draws = map_blocks(task, resampling.resamples, resampling.seed)
    jackknives: tuple[NDArray[np.float64], ...] = ()
    if resampling.interval == "bca" and draws:
        jackknives = tuple(_without_each(votes, factor, statistic) for factor in resampling.factors)
    return Resampled(value[0], np.concatenate([value[:0], *draws]), jackknives, resampling.confidence)


def undrawn(votes: Votes, size: int = 1) -> Draws:
    """Everything once: the estimate itself."""
    return Draws(np.ones((size, votes.n_units), np.int32), np.ones((size, votes.n_annotators), np.int32))


def _without_each(votes: Votes, factor: str, statistic: Statistic) -> NDArray[np.float64]:
    codes = {
        "units": np.arange(votes.n_units),
        "items": votes.item,
        "annotators": np.arange(votes.n_annotators),
    }[factor]
    n_codes = int(codes.max(initial=-1)) + 1
    parts = []
    for start in range(0, n_codes, BLOCK):
        kept = leave_one_out(codes, n_codes, start, start + BLOCK)
        drawn = undrawn(votes, len(kept))
        by_annotator = factor == "annotators"
        parts.append(
            statistic(Draws(drawn.units if by_annotator else kept, kept if by_annotator else drawn.annotators))
        )
    return np.concatenate(parts)


def _n_items(votes: Votes) -> int:
    return int(votes.item.max(initial=-1)) + 1
