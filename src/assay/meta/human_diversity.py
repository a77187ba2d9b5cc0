"""What human diversity scores say about each set, how surely, and what they cost.

An interval draws a set's annotators anew. The cost of a set is the number of judgments it took, which is what
differs most between the ways of asking: a set of n texts has n (n - 1) / 2 pairs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.errors import DataError, did_you_mean
from assay.kernels.intervals import percentile
from assay.records import JUDGED, Dataset

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class SetRow:
    """One set: its score with the 95% interval, and how many people gave how many answers."""

    set: str
    value: float
    low: float
    high: float
    n_judgments: int
    n_annotators: int


@dataclass(frozen=True)
class HumanDiversity:
    """All sets that were judged by one criterion. `cost` is per set, at the price of one judgment."""

    criterion: str
    asked_about: str
    sets: tuple[SetRow, ...]
    judgments_per_set: float
    annotators_per_set: float
    cost_per_set: float
    mean_width: float
    seed: int


def human_diversity(
    dataset: Dataset, criterion: str, *, price: float = 1.0, n_resamples: int = 1000, seed: int = 0
) -> HumanDiversity:
    """Summarise the judgments of a criterion: about sets, about pairs of outputs, or about pairs of sets.

    Similarities of pairs of outputs are averaged over annotators, then over pairs, and negated (simHDS).
    Comparisons of sets count for the first and, negated, for the second (rnkHDS).
    """
    answers = _answers(dataset, criterion)
    rng = np.random.default_rng(seed)
    rows = []
    for number in np.unique(answers.set):
        own = np.flatnonzero(answers.set == number)
        value, low, high = _summary(answers, own, n_resamples, rng)
        n_annotators = len(np.unique(answers.annotator[own]))
        rows.append(SetRow(dataset.sets.id[int(number)], value, low, high, len(own), n_annotators))
    per_set = float(np.mean([row.n_judgments for row in rows]))
    widths = np.array([row.high - row.low for row in rows])
    return HumanDiversity(
        criterion,
        answers.asked_about,
        tuple(rows),
        judgments_per_set=per_set,
        annotators_per_set=float(np.mean([row.n_annotators for row in rows])),
        cost_per_set=per_set * price,
        mean_width=float(np.mean(widths[~np.isnan(widths)])) if (~np.isnan(widths)).any() else np.nan,
        seed=seed,
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


def _answers(dataset: Dataset, criterion: str) -> _Answers:
    table = dataset.judgments
    mine = _asked(dataset, criterion) & ~np.isnan(table.value)
    of_sets, paired = table.kind == JUDGED.index("set"), table.other >= 0
    of_outputs = table.kind == JUDGED.index("output")
    rows = np.flatnonzero(mine & of_sets & ~paired)
    if len(rows):
        return _Answers("sets", table.unit[rows], table.value[rows], np.zeros_like(rows), table.annotator[rows])
    rows = np.flatnonzero(mine & of_outputs & paired)
    if len(rows):
        left, right = table.unit[rows], table.other[rows]
        pair = np.minimum(left, right) * len(dataset.outputs) + np.maximum(left, right)
        sets = dataset.outputs.set[left]
        return _Answers("pairs of outputs", sets, -table.value[rows], pair, table.annotator[rows])
    rows = np.flatnonzero(mine & of_sets & paired)
    if not len(rows):
        raise DataError(f"{criterion!r} was not asked about sets, pairs of outputs or pairs of sets.")
    return _Answers(
        "pairs of sets",
        np.concatenate([table.unit[rows], table.other[rows]]),
        np.concatenate([table.value[rows], -table.value[rows]]),
        np.zeros(2 * len(rows), np.int64),
        np.concatenate([table.annotator[rows], table.annotator[rows]]),
    )


def _asked(dataset: Dataset, criterion: str) -> NDArray[np.bool_]:
    known = dataset.judgments.criteria.to_list()
    if criterion not in known:
        raise DataError(f"the data has no judgments of {criterion!r}.{did_you_mean(criterion, known)}")
    return np.asarray(dataset.judgments.criterion == known.index(criterion))


def _summary(
    answers: _Answers, own: NDArray[np.int64], n_resamples: int, rng: np.random.Generator
) -> tuple[float, float, float]:
    """Mean over pairs of the mean over annotators, and its interval over drawn annotators."""
    values = answers.value[own]
    people, who = np.unique(answers.annotator[own], return_inverse=True)
    _, pair = np.unique(answers.pair[own], return_inverse=True)

    def mean(weights: Floats) -> float:
        n = np.bincount(pair, weights=weights)
        sums = np.bincount(pair, weights=weights * values)
        return float((sums[n > 0] / n[n > 0]).mean())

    value = mean(np.ones(len(values)))
    if len(people) < 2 or not n_resamples:
        return value, np.nan, np.nan
    drawn = rng.integers(0, len(people), (n_resamples, len(people)))
    counts = [np.bincount(row, minlength=len(people)).astype(np.float64)[who] for row in drawn]
    low, high, _ = percentile(np.array([mean(weights) for weights in counts]))
    return value, low, high
