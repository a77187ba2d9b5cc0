"""Annotator by annotator: agreement with the rest, error against the mean, constant answers, time.

An annotator is held against the mean of all votes on a unit, own vote included, as in Ethayarajh & Sadigh
(2020), and against the mean of the others, which is fairer: a vote agrees with a mean that it is part of.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.kernels.grouped import grouped_means, grouped_spearman
from assay.kernels.ragged import Ragged
from assay.kernels.resample import Block, bootstrap_counts, map_blocks
from assay.meta.estimate import Estimate
from assay.meta.question import Resampling
from assay.meta.vote_draws import Draws, Resampled, resample
from assay.meta.votes import Votes

MEASURES = ("agreement", "mse", "rho", "mse_left_out", "rho_left_out")
LABELS = "answers are labels, not numbers"


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

    def as_json(self, criterion: str) -> dict[str, Any]:
        """One entry of `annotators`."""
        return {
            "criterion": criterion,
            "annotator": self.annotator,
            "n": self.n,
            "constant": self.constant,
            "top_share": self.top_share,
            "seconds_per_judgment": _or_none(self.seconds_per_judgment),
            "dawid_skene_accuracy": _or_none(self.accuracy),
            **{name: estimate.as_json() for name, estimate in self.measures.items()},
        }


@dataclass(frozen=True)
class AnnotatorQuality:
    """The table, and the `best` and the `average` annotator by each measure."""

    annotators: tuple[Annotator, ...]
    summary: dict[str, dict[str, Estimate]]

    def summary_json(self) -> dict[str, Any]:
        """The best and the average annotator."""
        return {
            row: {name: estimate.as_json() for name, estimate in measures.items()}
            for row, measures in self.summary.items()
        }


def annotator_quality(
    votes: Votes,
    accuracy: NDArray[np.float64],
    resampling: Resampling,
    answer_range: float | None,
    constant_rho: float | None,
) -> AnnotatorQuality:
    """Hold each annotator against the rest; `accuracy` comes from Dawid and Skene's model."""
    by_annotator = Ragged.grouped(votes.annotator, votes.n_annotators)
    rows, offsets = by_annotator.values, by_annotator.offsets
    unit = votes.unit[rows]
    own, mean, others = _means(votes, rows)
    span = answer_range or float(np.ptp(votes.values)) or 1.0
    agreement = _agreement_with_rest(votes)[rows]
    constant = _is_constant(votes, by_annotator)

    mean_agreement = grouped_means(offsets, unit, agreement)
    targets = []
    for target in (mean, others) if votes.numeric else ():
        known = ~np.isnan(target)
        known_offsets = np.concatenate(([0], np.cumsum(known)))[offsets]
        spearman = grouped_spearman(known_offsets, unit[known], own[known], target[known])
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
                rho[:, constant] = constant_rho
            columns.append(rho)
        return np.stack(columns, axis=1)

    found = resample(votes, resampling, statistics)
    n_of = np.diff(offsets)
    table = tuple(
        Annotator(
            annotator=votes.annotator_names[a],
            n=int(n_of[a]),
            top_share=_top_share(votes, by_annotator[a]),
            constant=bool(constant[a]),
            seconds_per_judgment=_mean_or_nan(votes.seconds[by_annotator[a]]),
            accuracy=float(accuracy[a]),
            measures={
                name: found.estimate((m, a), int(n_of[a]), _why(votes, name, int(n_of[a]), bool(constant[a])))
                for m, name in enumerate(MEASURES)
            },
        )
        for a in range(votes.n_annotators)
    )
    reason = "no annotator has a value" if votes.numeric else LABELS
    best = {name: _best(name, [row.measures[name] for row in table], table, reason) for name in MEASURES}
    average = {name: _average(found.value[m], resampling, reason) for m, name in enumerate(MEASURES)}
    return AnnotatorQuality(table, {"best": best, "average": average})


def _best(name: str, column: list[Estimate], table: tuple[Annotator, ...], reason: str) -> Estimate:
    """The annotator with the lowest error, or the highest rho or agreement, with that annotator's interval."""
    known = [k for k, estimate in enumerate(column) if not isnan(estimate.value)]
    if not known:
        return Estimate.undefined(0, reason)
    sign = -1.0 if name.startswith("mse") else 1.0
    first = max(known, key=lambda k: sign * column[k].value)
    return replace(column[first], about={**column[first].about, "annotator": table[first].annotator})


def _average(column: NDArray[np.float64], resampling: Resampling, reason: str) -> Estimate:
    """The mean over annotators; its interval draws annotators, who are what it is a mean of."""
    known = column[~np.isnan(column)]

    def means(block: Block) -> NDArray[np.float64]:
        return bootstrap_counts(block.rng(3), block.size, len(known)) @ known / max(len(known), 1)

    if not len(known):
        return Estimate.undefined(0, reason)
    value = np.array([known.sum() / len(known)])
    draws = map_blocks(means, resampling.resamples, resampling.seed)
    left_out = (known.sum() - known) / max(len(known) - 1, 1)
    found = Resampled(
        value,
        np.concatenate([np.zeros(0), *draws])[:, None],
        (left_out[:, None],) if resampling.interval == "bca" else (),
        resampling.confidence,
    )
    return found.estimate((0,), len(known), "")


def _means(
    votes: Votes, rows: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Own answers, unit means, means of the others: a sum and one division, so that ties are exact."""
    unit, own = votes.unit[rows], votes.answers[rows]
    total = np.bincount(votes.unit, weights=votes.answers, minlength=votes.n_units)[unit]
    n = votes.per_unit[unit]
    others = np.divide(total - own, n - 1, out=np.full(len(rows), np.nan), where=n > 1)
    return own, total / n, others


def _agreement_with_rest(votes: Votes) -> NDArray[np.float64]:
    """For each vote the share of the other votes on its unit that say the same; NaN for the only vote."""
    same = votes.counts()[0][votes.unit, votes.category] - 1
    others = votes.per_unit[votes.unit] - 1
    return np.divide(same, others, out=np.full(len(votes), np.nan), where=others > 0)


def _is_constant(votes: Votes, by_annotator: Ragged) -> NDArray[np.bool_]:
    """Whether an annotator gave one answer to several units."""
    first = votes.category[by_annotator.values[by_annotator.offsets[:-1]]]
    differs = votes.category[by_annotator.values] != first[by_annotator.row_of]
    n_different = np.bincount(by_annotator.row_of, weights=differs, minlength=len(by_annotator))
    return (n_different == 0) & (by_annotator.lengths > 1)


def _why(votes: Votes, name: str, n: int, constant: bool) -> str:
    if name == "agreement" or votes.numeric:
        if name.startswith("rho"):
            if n == 1:
                return "one judgment"
            if constant:
                return "constant answers"
            return "the mean of the votes is constant"
        return "nobody else judged these units"
    return LABELS


def _top_share(votes: Votes, rows: NDArray[np.int64]) -> float:
    counts = np.bincount(votes.category[rows])
    return float(counts.max() / len(rows))


def _mean_or_nan(seconds: NDArray[np.float64]) -> float:
    known = seconds[~np.isnan(seconds)]
    return float(known.mean()) if len(known) else float("nan")


def _or_none(value: float) -> float | None:
    return None if isnan(value) else value
