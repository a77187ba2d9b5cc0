"""The best and the average annotator by each measure.

The best annotator on some votes is partly lucky: of 20 equal annotators the best looks much better than they all are.
`best` is that number, as in published studies, without an interval. `best_held_out` is the one to report: the best on
one half of the items, measured on the other half, averaged over random halves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.kernels.statistics.jackknife import t_interval
from assay.metaeval.estimate import Estimate
from assay.metaeval.questions.question import Resampling
from assay.metaeval.votes.vote_draws import Draws, Link, VoteStatistic, clusters_of, over_units, resample, too_few
from assay.metaeval.votes.votes import Votes

N_SPLITS = 20
FEW_VOTES = 10  # an annotator with fewer may be the best by luck alone
CHOSEN = "chosen by the same votes, which flatters: see best_held_out"


@dataclass(frozen=True)
class Measure:
    """One measure of an annotator."""

    name: str
    higher_is_better: bool = True
    link: Link | None = None
    """The scale of its interval; None for its own."""
    of_numbers: bool = True
    """Undefined for answers that are labels."""
    of_ranks: bool = False
    """Undefined for answers, or means, that are all the same."""


MOST_VALUES = 4_000_000
"""Numbers held in memory at once: measures of annotators under as many draws as fit."""


def summary(
    votes: Votes,
    statistics: VoteStatistic,
    value: NDArray[np.float64],
    measures: Sequence[Measure],
    resampling: Resampling,
    reason: str,
) -> dict[str, dict[str, Estimate]]:
    """Rows best, best_held_out and average; `statistics` computes measures by annotator, `value` holds them."""
    halves = _halves(votes, resampling)
    held_out = _held_out(statistics, halves, measures, votes.n_annotators)
    averages = _averages(votes, statistics, value, measures, resampling, reason)
    best = {measure.name: _best(measure, value[m], votes, reason) for m, measure in enumerate(measures)}
    split = {
        name: Estimate.undefined(0, reason)
        if isnan(best[name].value)
        else Estimate(
            held_out[m],
            np.nan,
            np.nan,
            best[name].about["n_annotators"],
            "a mean over halves that choose differently: no interval"
            if not isnan(held_out[m])
            else "too few items to choose on one half and measure on the other",
            {"n_splits": N_SPLITS},
        )
        for m, name in enumerate(best)
    }
    return {"best": best, "best_held_out": split, "average": averages}


def _merit(measure: Measure, column: NDArray[np.float64]) -> NDArray[np.float64]:
    """A column of a measure, oriented so that the largest is best; gaps are worst."""
    signed = column if measure.higher_is_better else -column
    return np.where(np.isnan(signed), -np.inf, signed)


def _best(measure: Measure, column: NDArray[np.float64], votes: Votes, reason: str) -> Estimate:
    n_defined = int((~np.isnan(column)).sum())
    if not n_defined:
        return Estimate.undefined(0, reason)
    first = int(_merit(measure, column).argmax())
    n = int((votes.annotator == first).sum())
    about: dict[str, Any] = {"annotator": votes.annotator_names[first], "n_annotators": n_defined}
    few = f"{n} judgment{'s' * (n > 1)} only, which says little; " if n < FEW_VOTES else ""
    return Estimate(float(column[first]), np.nan, np.nan, n, few + CHOSEN, about)


def _halves(votes: Votes, resampling: Resampling) -> NDArray[np.int32]:
    """Two complementary halves of the clusters for each split: (2 splits, units)."""
    clusters = clusters_of(votes, resampling)
    n_clusters = int(clusters.max(initial=-1)) + 1
    rng = np.random.default_rng(np.random.SeedSequence(resampling.seed, spawn_key=(5,)))
    rows = []
    for _ in range(N_SPLITS):
        first = (rng.permutation(n_clusters) < n_clusters // 2)[clusters]
        rows += [first, ~first]
    return np.array(rows, np.int32)


def _held_out(
    statistics: VoteStatistic, halves: NDArray[np.int32], measures: Sequence[Measure], n_annotators: int
) -> list[float]:
    """Mean, over splits and both directions, of the best annotator of one half measured on the other."""
    measured: list[list[float]] = [[] for _ in measures]
    for start in range(0, len(halves), 2):
        rows = halves[start : start + 2]
        both = statistics(Draws(rows, np.ones((2, n_annotators), np.int32)))
        for m, measure in enumerate(measures):
            for chosen, other in ((0, 1), (1, 0)):
                # Only annotators with a value on both halves can be chosen on one and measured on the other.
                merit = np.where(np.isnan(both[other, m]), -np.inf, _merit(measure, both[chosen, m]))
                if np.isfinite(merit.max(initial=-np.inf)):
                    measured[m].append(float(both[other, m, merit.argmax()]))
    return [float(np.sum(values) / len(values)) if values else np.nan for values in measured]


def _averages(
    votes: Votes,
    statistics: VoteStatistic,
    value: NDArray[np.float64],
    measures: Sequence[Measure],
    resampling: Resampling,
    reason: str,
) -> dict[str, Estimate]:
    """The mean over annotators, with an interval over both annotators and items."""
    defined = ~np.isnan(value)
    at_once = max(1, MOST_VALUES // max(value.size, 1))

    def mean_over_annotators(draws: Draws) -> NDArray[np.float64]:
        means = []
        for start in range(0, len(draws.units), at_once):
            chunk = slice(start, start + at_once)
            measured = statistics(Draws(draws.units[chunk], draws.annotators[chunk]))
            counted = defined[None] & ~np.isnan(measured)
            sums = np.where(counted, measured, 0.0).sum(axis=2)
            means.append(
                np.divide(sums, counted.sum(axis=2), out=np.full_like(sums, np.nan), where=counted.any(axis=2))
            )
        return np.concatenate(means)

    resampled = resample(votes, over_units(resampling), mean_over_annotators)
    averages = {}
    for m, name in enumerate(measure.name for measure in measures):
        column = value[m][defined[m]]
        n = len(column)
        if not n:
            averages[name] = Estimate.undefined(0, reason)
            continue
        mean = float(column.sum() / n)
        why = resampled.reason or too_few(n, "annotators")
        if why or resampling.interval != "t":
            one = resampled.estimate((m,), n, reason, no_interval=why)
            averages[name] = Estimate(mean, one.low, one.high, n, one.reason, one.about)
            continue
        left_out = (column.sum() - column) / (n - 1)
        interval = t_interval(mean, [resampled.jackknives[0][:, m], left_out], resampling.confidence)
        why = "" if interval.low < interval.high else "all annotators are alike: no interval"
        averages[name] = Estimate(mean, interval.low, interval.high, n, why)
    return averages
