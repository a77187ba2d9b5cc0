"""The human ceiling: how well half of the annotators predicts the rest, and the limit of any evaluator.

The correlation r of the means of two random halves underestimates the reliability of the mean of all votes;
Spearman (1910) and Brown (1910) correct it: 2r / (1 + r). An evaluator that matched the ground truth would correlate
with the mean at the square root of that reliability: the ceiling.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from assay.kernels.ragged import Ragged
from assay.kernels.statistics.rank import order_within
from assay.kernels.statistics.weighted import weighted_pearson
from assay.metaeval.estimate import Estimate
from assay.metaeval.questions.question import Resampling
from assay.metaeval.votes.vote_draws import CORRELATION, Draws, Link, over_units, resample
from assay.metaeval.votes.votes import Votes

N_SPLITS = 20
MIN_UNITS = 3
DISAGREE = "the halves do not agree: r is below 0"
NAMES = ("split_half", "spearman_brown", "ceiling")
RELIABILITY = Link(lambda x: CORRELATION.forward(x / (2.0 - x)), lambda z: -np.expm1(-2.0 * np.maximum(z, -300.0)))
LINKS = (
    CORRELATION,
    RELIABILITY,
    Link(lambda x: RELIABILITY.forward(x * x), lambda z: np.sqrt(np.maximum(RELIABILITY.back(z), 0.0))),
)
"""All three are r on different scales, so their intervals are those of r."""


def human_ceiling(votes: Votes, resampling: Resampling) -> dict[str, Estimate]:
    """Mean over random splits of Pearson's r of half means, its correction, and the ceiling.

    Halves are drawn among the votes of each unit; units with one vote are left out. Intervals are over units or items;
    annotators are not resampled.
    """
    pairable = np.flatnonzero(votes.per_unit > 1)
    n = len(pairable)
    if not votes.numeric:
        return _undefined(n, "answers are labels, not numbers")
    if n < MIN_UNITS:
        return _undefined(n, f"fewer than {MIN_UNITS} units with two votes")
    first, second = _halves(votes, np.random.default_rng(np.random.SeedSequence(resampling.seed, spawn_key=(9,))))
    correlations = weighted_pearson(first[:, pairable].T, second[:, pairable].T)

    def statistics(draws: Draws) -> NDArray[np.float64]:
        weights = draws.units[:, pairable]
        splits = np.ascontiguousarray(correlations(weights).T)
        r = np.nan_to_num(splits).sum(axis=0) / np.maximum((~np.isnan(splits)).sum(axis=0), 1)
        r[np.isnan(splits).all(axis=0)] = np.nan
        with np.errstate(divide="ignore"):
            reliability = np.where(r > -1.0, 2.0 * r / (1.0 + r), np.nan)
        ceiling = np.sqrt(np.where(reliability >= 0.0, reliability, np.nan))
        return np.stack([r, reliability, ceiling], axis=1)

    resampled = resample(votes, over_units(resampling), statistics)
    reasons = ("halves are constant", "halves are constant", DISAGREE)
    estimates = {
        name: resampled.estimate((k,), n, reasons[k], link=LINKS[k], n_splits=N_SPLITS) for k, name in enumerate(NAMES)
    }
    reliability = _as_reliability(estimates["split_half"], estimates["spearman_brown"])
    return estimates | {"spearman_brown": reliability}


def _as_reliability(halves: Estimate, estimate: Estimate) -> Estimate:
    """A reliability is a share of variance: below 0 the formula has no meaning, and its interval ends there."""
    if halves.value < 0:
        return Estimate.undefined(estimate.n, DISAGREE, **estimate.about)
    return replace(estimate, low=max(estimate.low, 0.0)) if estimate.low < 0 else estimate


def _halves(votes: Votes, rng: np.random.Generator) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Means of two halves of each unit's votes, for each split: (splits, units)."""
    by_unit = Ragged.grouped(votes.unit, votes.n_units)
    unit, place = by_unit.row_of, np.arange(len(votes)) - np.repeat(by_unit.offsets[:-1], by_unit.lengths)
    first = np.empty((N_SPLITS, votes.n_units))
    second = np.empty((N_SPLITS, votes.n_units))
    half = votes.per_unit // 2
    for split in range(N_SPLITS):
        order = by_unit.values[order_within(by_unit.offsets, rng.random(len(votes))[by_unit.values])]
        answers = votes.answers[order]
        in_first = place < half[unit]
        for means, chosen in ((first, in_first), (second, ~in_first)):
            total = np.bincount(unit[chosen], weights=answers[chosen], minlength=votes.n_units)
            size = np.bincount(unit[chosen], minlength=votes.n_units)
            means[split] = np.divide(total, size, out=np.full(votes.n_units, np.nan), where=size > 0)
    return first, second


def _undefined(n: int, reason: str) -> dict[str, Estimate]:
    return {name: Estimate.undefined(n, reason) for name in NAMES}
