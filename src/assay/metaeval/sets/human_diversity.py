"""Human diversity scores of sets, with intervals and cost.

Intervals are over annotators: Student's t on each annotator's contribution to the score of a set. The cost of a set is
the number of its judgments, which differs most between protocols: a set of n texts has n (n - 1) / 2 pairs, and a
comparison of two sets is paid for once, half by each.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.special import stdtrit

from assay.errors import DataError
from assay.kernels.statistics.intervals import NO_INTERVAL, Interval
from assay.limits import check_share
from assay.records import Dataset, JudgmentView

FEWEST_ANNOTATORS = 3
"""Of two annotators' answers Student's t has one degree of freedom: an interval wider than any scale."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class SetRow:
    """One set: its score with its interval, or why there is none, and its numbers of judgments and annotators."""

    set: str
    value: float
    low: float
    high: float
    n_judgments: int
    n_annotators: int
    reason: str = ""


@dataclass(frozen=True)
class HumanDiversity:
    """All sets judged by one criterion.

    `judgments_per_set` is judgments over sets, `cost_per_set` that times the price of one.
    """

    criterion: str
    asked_about: str
    sets: tuple[SetRow, ...]
    judgments_per_set: float
    annotators_per_set: float
    cost_per_set: float
    mean_width: float
    confidence: float


def human_diversity(
    dataset: Dataset, criterion: str, *, price: float = 1.0, confidence: float = 0.95
) -> HumanDiversity:
    """Summarize the judgments of a criterion: about sets, about pairs of outputs, or about pairs of sets.

    Similarities of pairs of outputs are averaged over annotators, then over pairs, and negated (simHDS).
    Comparisons of sets count for the first and, negated, for the second (rnkHDS).
    """
    check_share("confidence", confidence)
    answers = _answers(dataset, criterion)
    order = np.argsort(answers.set, kind="stable")
    rows = []
    for of_set in np.split(order, np.flatnonzero(np.diff(answers.set[order])) + 1):
        name = dataset.sets.id[int(answers.set[of_set[0]])]
        annotators = answers.annotator[of_set]
        value, (low, high, _), reason = score_of_set(
            answers.value[of_set], annotators, answers.pair[of_set], confidence
        )
        rows.append(SetRow(name, value, low, high, len(of_set), len(np.unique(annotators)), reason))
    per_set = answers.n_judgments / len(rows)
    widths = np.array([row.high - row.low for row in rows])
    return HumanDiversity(
        criterion,
        answers.asked_about,
        tuple(rows),
        judgments_per_set=per_set,
        annotators_per_set=float(np.mean([row.n_annotators for row in rows])),
        cost_per_set=per_set * price,
        mean_width=float(np.mean(widths[~np.isnan(widths)])) if (~np.isnan(widths)).any() else np.nan,
        confidence=confidence,
    )


def set_ratings(dataset: Dataset, criterion: str) -> list[Floats]:
    """The answers about each set, for `stability_of_ratings`; empty where a set was not judged."""
    about_sets = dataset.judgments.about("set").of(criterion)
    return [about_sets.value[about_sets.unit == number] for number in range(len(dataset.sets))]


@dataclass(frozen=True)
class _SetAnswers:
    """Judgments as numbers that grow with diversity: the set each is about, and the pair of outputs, if any."""

    asked_about: str
    set: NDArray[np.int64]
    value: Floats
    pair: NDArray[np.int64]
    annotator: NDArray[np.int64]
    n_judgments: int


def _answers(dataset: Dataset, criterion: str) -> _SetAnswers:
    def about(subject: str) -> JudgmentView:
        judgments = dataset.judgments.about(subject).of(criterion)
        return judgments.where(~np.isnan(judgments.value))

    if sets := about("set"):
        return _SetAnswers("sets", sets.unit, sets.value, np.zeros_like(sets.unit), sets.annotator, len(sets))
    if pairs := about("pair"):
        first, second = np.minimum(pairs.unit, pairs.other), np.maximum(pairs.unit, pairs.other)
        pair, set_of_pair = first * len(dataset.outputs) + second, dataset.outputs.set[pairs.unit]
        return _SetAnswers("pairs of outputs", set_of_pair, -pairs.value, pair, pairs.annotator, len(pairs))
    compared = about("set pair")
    if not compared:
        raise DataError(f"{criterion!r} was not asked about sets, pairs of outputs or pairs of sets.")
    return _SetAnswers(
        "pairs of sets",
        np.concatenate([compared.unit, compared.other]),
        np.concatenate([compared.value, -compared.value]),
        np.zeros(2 * len(compared), np.int64),
        np.concatenate([compared.annotator, compared.annotator]),
        len(compared),
    )


def score_of_set(
    values: Floats, annotators: NDArray[np.int64], pairs_asked: NDArray[np.int64], confidence: float = 0.95
) -> tuple[float, Interval, str]:
    """Mean over pairs of the mean over annotators, its interval, and why there is none.

    An annotator's contribution is the weighted sum of their answers minus the mean answer to each pair. Residuals are
    scaled by sqrt(n / (n - 1)), n being the answers to the pair, as a mean lies closest to its own answers. With one
    group of annotators for all pairs this is Student's t of their means; with a group per pair, the degrees of freedom
    are annotators minus pairs.
    """
    people, who = np.unique(annotators, return_inverse=True)
    pairs, pair = np.unique(pairs_asked, return_inverse=True)
    n = np.bincount(pair)
    means = np.bincount(pair, weights=values) / n
    value = float(means.mean())
    if len(people) < FEWEST_ANNOTATORS:
        counted = f"{len(people)} annotator{'s' if len(people) != 1 else ''}"
        return value, NO_INTERVAL, f"{counted}: an interval needs {FEWEST_ANNOTATORS} or more"
    n_people = np.bincount(np.unique(pair * len(people) + who) // len(people))
    if n_people.min() < 2:
        return (
            value,
            NO_INTERVAL,
            f"{int((n_people < 2).sum())} of {len(pairs)} pairs were judged by one annotator only",
        )
    residuals = (values - means[pair]) * np.sqrt(n[pair] / (n[pair] - 1.0)) / (n[pair] * len(pairs))
    contributions = np.bincount(who, weights=residuals)
    variance, freedom = float((contributions**2).sum()), len(people) - _groups(who, pair)
    if not variance > 0.0:
        return value, NO_INTERVAL, "all annotators gave the same answers: no interval"
    half = float(stdtrit(freedom, 0.5 + confidence / 2.0)) * sqrt(variance)
    return value, Interval(value - half, value + half, 0), ""


def _groups(who: NDArray[np.int64], pair: NDArray[np.int64]) -> int:
    """The number of connected components of annotators who share pairs."""
    edges = coo_array((np.ones(len(who)), (who, pair + who.max() + 1)), shape=(who.max() + pair.max() + 2,) * 2)
    return int(connected_components(edges, directed=False, return_labels=False))
