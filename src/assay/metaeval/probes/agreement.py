"""Judges beside each other: how each correlates with people and with the others, and what people themselves reach."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import combinations
from math import atanh, nan, tanh

import numpy as np
from numpy.typing import NDArray

from assay.kernels.statistics.jackknife import t_interval
from assay.metaeval.estimate import Estimate
from assay.metaeval.questions.question import Resampling
from assay.metaeval.votes.ceiling import human_ceiling
from assay.metaeval.votes.votes import Votes, votes_of
from assay.records import Dataset

Floats = NDArray[np.float64]
LEAST_UNITS, LEAST_ITEMS = 20, 5
LABELS = "answers are labels, not numbers"


@dataclass(frozen=True)
class JudgesAgreement:
    """Pearson's r of each judge with the mean of people, of judges with each other, and what people reach.

    `person` is the mean over people of the r of one with the mean of the others; `ceiling` is what a judge would reach
    that knew what people say on average.
    """

    with_people: dict[str, Estimate]
    with_each_other: dict[tuple[str, str], Estimate]
    person: Estimate
    ceiling: Estimate

    def share(self, judge: str) -> float:
        """How much of the ceiling a judge reaches; NaN where there is none."""
        return self.with_people[judge].value / self.ceiling.value if self.ceiling.value > 0 else nan


def judges_agreement(
    dataset: Dataset,
    criterion: str,
    scores: Mapping[str, Floats | None],
    *,
    ignore: Collection[str] = (),
    confidence: float = 0.95,
    seed: int = 0,
) -> JudgesAgreement:
    """Compare judges of outputs; `scores` of evaluators are turned as the answers are; None for annotators."""
    view = dataset.judgments.about("output").of(criterion)
    names = dataset.judgments.annotators.to_list()
    out = {*scores, *ignore} | dataset.judgments.models()

    def mean_of(chosen: Collection[str]) -> Floats:
        rows = np.array([name in chosen for name in names], np.bool_)[view.annotator]
        counts = np.bincount(view.unit[rows], minlength=len(dataset))
        sums = np.bincount(view.unit[rows], view.value[rows], len(dataset))
        return np.divide(sums, counts, out=np.full(len(dataset), nan), where=counts > 0)

    item = dataset.outputs.item
    people = mean_of([name for name in names if name not in out])
    answers = {name: mean_of([name]) if values is None else values for name, values in scores.items()}
    person = ceiling = Estimate.undefined(0, "no answers of people")
    if not np.isnan(people).all():
        votes = votes_of(dataset, criterion, ignore=out)
        person = _person(votes)
        ceiling = human_ceiling(votes, Resampling(factors=("items",), confidence=confidence, seed=seed))["ceiling"]
    return JudgesAgreement(
        {name: correlation(values, people, item, confidence) for name, values in answers.items()},
        {
            (one, other): correlation(answers[one], answers[other], item, confidence)
            for one, other in combinations(answers, 2)
        },
        person,
        ceiling,
    )


def correlation(x: Floats, y: Floats, item: NDArray[np.int64], confidence: float) -> Estimate:
    """Pearson's r, with a jackknife over items on Fisher's scale."""
    known = ~np.isnan(x) & ~np.isnan(y)
    n = int(np.count_nonzero(known))
    if n < LEAST_UNITS:
        return Estimate.undefined(n, f"too few units with both answers ({n} < {LEAST_UNITS})")
    x, y = (values[known] - values[known].mean() for values in (x, y))
    items, code = np.unique(item[known], return_inverse=True)
    parts = np.stack([np.bincount(code.ravel(), terms) for terms in (np.ones(n), x, y, x * x, y * y, x * y)])
    whole = parts.sum(axis=1)
    if not min(_spread(whole[0], whole[1], whole[3]), _spread(whole[0], whole[2], whole[4])) > 1e-12 * n:
        return Estimate.undefined(n, "one of the two always gives the same answer")
    r = float(np.clip(_pearson(whole), -1, 1))
    if len(items) < LEAST_ITEMS:
        return Estimate(r, nan, nan, n, f"too few items for an interval ({len(items)} < {LEAST_ITEMS})")
    if abs(r) > 1 - 1e-12:
        return Estimate(r, nan, nan, n, "the two always agree")
    left_out = np.arctanh(np.clip(_pearson(whole[:, None] - parts), -1 + 1e-12, 1 - 1e-12))
    ends = t_interval(atanh(r), [left_out], confidence)
    return Estimate(r, tanh(ends.low), tanh(ends.high), n)


def _pearson(sums: Floats) -> Floats:
    n, x, y, xx, yy, xy = sums
    with np.errstate(divide="ignore", invalid="ignore"):
        value: Floats = (xy - x * y / n) / np.sqrt(_spread(n, x, xx) * _spread(n, y, yy))
    return value


def _spread(n: Floats, total: Floats, squares: Floats) -> Floats:
    return squares - total**2 / n


def _person(votes: Votes) -> Estimate:
    """The mean over people of the correlation of one with the mean of the others."""
    if not votes.numeric:
        return Estimate.undefined(len(votes), LABELS)
    sums = np.bincount(votes.unit, votes.answers, votes.n_units)
    found = []
    for person in range(votes.n_annotators):
        rows = np.flatnonzero((votes.annotator == person) & (votes.per_unit[votes.unit] > 1))
        own, unit = votes.answers[rows], votes.unit[rows]
        others = (sums[unit] - own) / (votes.per_unit[unit] - 1)
        if len(rows) >= LEAST_UNITS and np.ptp(own) > 0 and np.ptp(others) > 0:
            found.append(float(np.corrcoef(own, others)[0, 1]))
    if not found:
        return Estimate.undefined(0, f"nobody shares {LEAST_UNITS} units with others")
    return Estimate(float(np.mean(found)), nan, nan, len(found), "a mean over people")
