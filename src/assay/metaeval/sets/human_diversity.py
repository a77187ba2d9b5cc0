"""What human diversity scores say about each set, how surely, and what they cost.

An interval is for other annotators: Student's t on what each of a set's annotators adds to its score. The cost of a set
is the number of judgments it took, which is what differs most between the ways of asking: a set of n texts has
n (n - 1) / 2 pairs, and a comparison of two sets is paid for once, half by each.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.special import stdtrit

from assay.errors import AssayError, DataError, did_you_mean
from assay.kernels.statistics.intervals import NO_INTERVAL, Interval
from assay.records import JUDGED, Dataset

FEWEST_ANNOTATORS = 3
"""Of two annotators' answers Student's t has one degree of freedom: an interval wider than any scale."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class SetRow:
    """One set: its score with the 95% interval or why it has none, and how many people gave how many answers."""

    set: str
    value: float
    low: float
    high: float
    n_judgments: int
    n_annotators: int
    reason: str = ""


@dataclass(frozen=True)
class HumanDiversity:
    """All sets that were judged by one criterion.

    `judgments_per_set` is all judgments over all sets, and `cost_per_set` that times the price of one.
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
    """Summarise the judgments of a criterion: about sets, about pairs of outputs, or about pairs of sets.

    Similarities of pairs of outputs are averaged over annotators, then over pairs, and negated (simHDS).
    Comparisons of sets count for the first and, negated, for the second (rnkHDS).
    """
    if not 0 < confidence < 1:
        raise AssayError(f"the confidence must lie between 0 and 1, such as 0.95, not {confidence}.")
    answers = _answers(dataset, criterion)
    order = np.argsort(answers.set, kind="stable")
    rows = []
    for own in np.split(order, np.flatnonzero(np.diff(answers.set[order])) + 1):
        name = dataset.sets.id[int(answers.set[own[0]])]
        n_annotators = len(np.unique(answers.annotator[own]))
        said = answers.value[own], answers.annotator[own], answers.pair[own]
        value, (low, high, _), reason = score_of_set(*said, confidence)
        rows.append(SetRow(name, value, low, high, len(own), n_annotators, reason))
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
    """Return the answers about each set, for `ratings_curve`; empty where a set was not judged."""
    table = dataset.judgments
    mine = _asked(dataset, criterion) & (table.kind == JUDGED.index("set")) & (table.other < 0)
    rows = np.flatnonzero(mine)
    return [table.value[rows[table.unit[rows] == number]] for number in range(len(dataset.sets))]


@dataclass(frozen=True)
class _Answers:
    """Judgments as numbers that grow with diversity: the set each is about, and the pair of outputs, if any."""

    asked_about: str
    set: NDArray[np.int64]
    value: Floats
    pair: NDArray[np.int64]
    annotator: NDArray[np.int64]
    n_judgments: int


def _answers(dataset: Dataset, criterion: str) -> _Answers:
    table = dataset.judgments
    mine = _asked(dataset, criterion) & ~np.isnan(table.value)
    of_sets, paired = table.kind == JUDGED.index("set"), table.other >= 0
    of_outputs = table.kind == JUDGED.index("output")
    rows = np.flatnonzero(mine & of_sets & ~paired)
    if len(rows):
        return _Answers(
            "sets", table.unit[rows], table.value[rows], np.zeros_like(rows), table.annotator[rows], len(rows)
        )
    rows = np.flatnonzero(mine & of_outputs & paired)
    if len(rows):
        left, right = table.unit[rows], table.other[rows]
        pair = np.minimum(left, right) * len(dataset.outputs) + np.maximum(left, right)
        sets = dataset.outputs.set[left]
        return _Answers("pairs of outputs", sets, -table.value[rows], pair, table.annotator[rows], len(rows))
    rows = np.flatnonzero(mine & of_sets & paired)
    if not len(rows):
        raise DataError(f"{criterion!r} was not asked about sets, pairs of outputs or pairs of sets.")
    return _Answers(
        "pairs of sets",
        np.concatenate([table.unit[rows], table.other[rows]]),
        np.concatenate([table.value[rows], -table.value[rows]]),
        np.zeros(2 * len(rows), np.int64),
        np.concatenate([table.annotator[rows], table.annotator[rows]]),
        len(rows),
    )


def _asked(dataset: Dataset, criterion: str) -> NDArray[np.bool_]:
    known = dataset.judgments.criteria.to_list()
    if criterion not in known:
        raise DataError(f"the data has no judgments of {criterion!r}.{did_you_mean(criterion, known)}")
    return np.asarray(dataset.judgments.criterion == known.index(criterion))


def score_of_set(
    values: Floats, annotators: NDArray[np.int64], pairs_asked: NDArray[np.int64], confidence: float = 0.95
) -> tuple[float, Interval, str]:
    """Mean over pairs of the mean over annotators, its interval, and why there is none.

    What an annotator adds is the sum of the own answers, each less the mean answer to its pair, by their weights in the
    score. Answers are enlarged by n / (n - 1), n being those to the pair, because a mean lies closest to its own
    answers. With one group of annotators for all pairs this is Student's t of their means; with a group for each pair,
    annotators less pairs are its degrees of freedom.
    """
    people, who = np.unique(annotators, return_inverse=True)
    pairs, pair = np.unique(pairs_asked, return_inverse=True)
    n = np.bincount(pair)
    means = np.bincount(pair, weights=values) / n
    value = float(means.mean())
    if len(people) < FEWEST_ANNOTATORS:
        told = f"{len(people)} annotator{'s' if len(people) != 1 else ''}"
        return value, NO_INTERVAL, f"{told}: an interval needs {FEWEST_ANNOTATORS} or more"
    n_people = np.bincount(np.unique(pair * len(people) + who) // len(people))
    if n_people.min() < 2:
        return (
            value,
            NO_INTERVAL,
            f"{int((n_people < 2).sum())} of {len(pairs)} pairs were judged by one annotator only",
        )
    apart = (values - means[pair]) * np.sqrt(n[pair] / (n[pair] - 1.0)) / (n[pair] * len(pairs))
    added = np.bincount(who, weights=apart)
    variance, freedom = float((added**2).sum()), len(people) - _groups(who, pair)
    if not variance > 0.0:
        return value, NO_INTERVAL, "all annotators gave the same answers: no interval"
    half = float(stdtrit(freedom, 0.5 + confidence / 2.0)) * sqrt(variance)
    return value, Interval(value - half, value + half, 0), ""


def _groups(who: NDArray[np.int64], pair: NDArray[np.int64]) -> int:
    """How many groups of annotators share no pair, directly or through others."""
    edges = coo_array((np.ones(len(who)), (who, pair + who.max() + 1)), shape=(who.max() + pair.max() + 2,) * 2)
    return int(connected_components(edges, directed=False, return_labels=False))
