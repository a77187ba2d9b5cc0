"""Annotator by annotator: agreement with the rest, error against the mean, constant answers, time.

An annotator is compared with the mean of all votes on a unit, own vote included, as in Ethayarajh & Sadigh (2020), and
with the mean of the others, which is fairer: a vote agrees with a mean that includes it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.kernels.ragged import Ragged
from assay.kernels.statistics.grouped import grouped_means, grouped_spearman
from assay.metaeval.estimate import Estimate
from assay.metaeval.questions.question import Resampling
from assay.metaeval.votes.annotator_summary import Measure, summary
from assay.metaeval.votes.vote_draws import (
    CORRELATION,
    FEWEST,
    POSITIVE,
    Draws,
    VoteStatistic,
    clusters_of,
    over_units,
    resample,
    too_few,
    undrawn,
)
from assay.metaeval.votes.votes import Votes

MEASURES = (
    Measure("agreement", of_numbers=False),
    Measure("mse", higher_is_better=False, link=POSITIVE),
    Measure("rho", link=CORRELATION, of_ranks=True),
    Measure("mse_left_out", higher_is_better=False, link=POSITIVE),
    Measure("rho_left_out", link=CORRELATION, of_ranks=True),
)
LABELS = "answers are labels, not numbers"
MOST_INTERVALS = 2000
"""Of more annotators, those with the most votes get intervals."""


@dataclass(frozen=True)
class Annotator:
    """One row of the table. `top_share` is the share of the most frequent answer: 1 is constant answering."""

    annotator: str
    n: int
    top_share: float
    constant: bool
    seconds_per_judgment: float
    accuracy: float
    measures: dict[str, Estimate]


@dataclass(frozen=True)
class AnnotatorQuality:
    """The table, and the best and the average annotator by each measure."""

    annotators: tuple[Annotator, ...]
    summary: dict[str, dict[str, Estimate]]


def annotator_quality(
    votes: Votes,
    accuracy: NDArray[np.float64],
    resampling: Resampling,
    answer_range: float | None,
    constant_rho: float | None,
) -> AnnotatorQuality:
    """Compare each annotator with the rest; `accuracy` comes from Dawid and Skene's model."""
    resampling = over_units(resampling)
    by_annotator = Ragged.grouped(votes.annotator, votes.n_annotators)
    n_votes = by_annotator.lengths
    span = answer_range or float(np.ptp(votes.values)) or 1.0
    constant = _is_constant(votes, by_annotator)
    everyone = np.arange(votes.n_annotators)
    statistics = _measures(votes, by_annotator, everyone, constant, span, constant_rho)
    value = statistics(undrawn(votes))[0]
    n_items = _items_of_each(votes, clusters_of(votes, resampling))
    chosen = _who_gets_an_interval(n_items, n_votes, resampling)
    resampled = resample(votes, resampling, _measures(votes, by_annotator, chosen, constant, span, constant_rho))
    position = np.full(votes.n_annotators, -1)
    position[chosen] = np.arange(len(chosen))
    factor = "units" if "units" in resampling.factors else "items"

    def row(a: int) -> Annotator:
        n = int(n_votes[a])
        measures = {}
        for m, measure in enumerate(MEASURES):
            name, reason = measure.name, _why(votes, measure, n, bool(constant[a]))
            if position[a] >= 0:
                measures[name] = resampled.estimate((m, int(position[a])), n, reason, link=measure.link)
            elif np.isnan(value[m, a]):
                measures[name] = Estimate.undefined(n, reason)
            else:
                few = resampled.reason or too_few(int(n_items[a]), factor)
                why = few or f"intervals are for the {MOST_INTERVALS:,} annotators with the most votes"
                measures[name] = Estimate(float(value[m, a]), np.nan, np.nan, n, why)
        return Annotator(
            annotator=votes.annotator_names[a],
            n=n,
            top_share=_top_share(votes, by_annotator[a]),
            constant=bool(constant[a]),
            seconds_per_judgment=_mean_or_nan(votes.seconds[by_annotator[a]]),
            accuracy=float(accuracy[a]),
            measures=measures,
        )

    reason = "no annotator has a value" if votes.numeric else LABELS
    return AnnotatorQuality(
        tuple(row(a) for a in range(votes.n_annotators)),
        summary(votes, statistics, value, MEASURES, resampling, reason),
    )


def _measures(
    votes: Votes,
    by_annotator: Ragged,
    chosen: NDArray[np.int64],
    constant: NDArray[np.bool_],
    span: float,
    constant_rho: float | None,
) -> VoteStatistic:
    """The measures of some annotators for draws of units: (draws, measures, annotators)."""
    votes_of_chosen = by_annotator.take(chosen)
    rows, offsets = votes_of_chosen.values, votes_of_chosen.offsets
    unit = votes.unit[rows]
    own, mean, others = _means(votes, rows)
    mean_agreement = grouped_means(offsets, unit, _agreement_with_rest(votes)[rows])
    targets = []
    for target in (mean, others) if votes.numeric else ():
        defined = ~np.isnan(target)
        defined_offsets = np.concatenate(([0], np.cumsum(defined)))[offsets]
        spearman = grouped_spearman(defined_offsets, unit[defined], own[defined], target[defined])
        targets.append((grouped_means(offsets, unit, ((own - target) / span) ** 2), spearman))

    def statistics(draws: Draws) -> NDArray[np.float64]:
        weights = draws.units
        columns = [mean_agreement(weights)]
        if not votes.numeric:
            columns += [np.full_like(columns[0], np.nan)] * 4
        for mean_error, spearman in targets:
            columns.append(mean_error(weights))
            rho = spearman(weights)
            if constant_rho is not None:
                rho[:, constant[chosen]] = constant_rho
            columns.append(rho)
        return np.stack(columns, axis=1)

    return statistics


def _items_of_each(votes: Votes, clusters: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many items, or units, each annotator judged."""
    cells = np.unique(votes.annotator * (int(clusters.max(initial=0)) + 1) + clusters[votes.unit])
    return np.bincount(cells // (int(clusters.max(initial=0)) + 1), minlength=votes.n_annotators)


def _who_gets_an_interval(
    n_items: NDArray[np.int64], n_votes: NDArray[np.int64], resampling: Resampling
) -> NDArray[np.int64]:
    """Annotators with enough items; of too many, those with the most votes."""
    factor = "units" if "units" in resampling.factors else "items"
    enough = np.flatnonzero(n_items >= (FEWEST[factor] if resampling.interval == "t" else 1))
    most = enough[np.argsort(-n_votes[enough], kind="stable")][:MOST_INTERVALS]
    return np.sort(most)


def _means(
    votes: Votes, rows: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Own answers, unit means and means of the others, each with a single division so that ties are exact."""
    unit, own = votes.unit[rows], votes.answers[rows]
    total = np.bincount(votes.unit, weights=votes.answers, minlength=votes.n_units)[unit]
    n = votes.per_unit[unit]
    others = np.divide(total - own, n - 1, out=np.full(len(rows), np.nan), where=n > 1)
    return own, total / n, others


def _agreement_with_rest(votes: Votes) -> NDArray[np.float64]:
    """For each vote the share of the other votes on its unit that agree; NaN for a single vote."""
    same = votes.counts()[0][votes.unit, votes.category] - 1
    others = votes.per_unit[votes.unit] - 1
    return np.divide(same, others, out=np.full(len(votes), np.nan), where=others > 0)


def _is_constant(votes: Votes, by_annotator: Ragged) -> NDArray[np.bool_]:
    """Whether an annotator gave one answer to several units."""
    first = votes.category[by_annotator.values[by_annotator.offsets[:-1]]]
    differs = votes.category[by_annotator.values] != first[by_annotator.row_of]
    n_different = np.bincount(by_annotator.row_of, weights=differs, minlength=len(by_annotator))
    return (n_different == 0) & (by_annotator.lengths > 1)


def _why(votes: Votes, measure: Measure, n: int, constant: bool) -> str:
    """Why a measure may be undefined."""
    if measure.of_numbers and not votes.numeric:
        return LABELS
    if not measure.of_ranks:
        return "nobody else judged these units"
    if n == 1:
        return "one judgment"
    return "constant answers" if constant else "the mean of the votes is constant"


def _top_share(votes: Votes, rows: NDArray[np.int64]) -> float:
    counts = np.bincount(votes.category[rows])
    return float(counts.max() / len(rows))


def _mean_or_nan(seconds: NDArray[np.float64]) -> float:
    defined = seconds[~np.isnan(seconds)]
    return float(defined.mean()) if len(defined) else float("nan")
