"""How HUSE converges with items and annotators, and the size of a study for a target precision (Figure 5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from assay.analyses.huse.uncertainty import JudgmentPanel, judged_by
from assay.evaluators.huse.measure import MEASURES, Rules, measure
from assay.evaluators.huse.problem import Floats, Problem
from assay.metaeval.estimate import Estimate

N_DRAWS = 40
N_SIZES = 8


@dataclass(frozen=True, eq=False)
class Curve:
    """The mean and the standard deviation of each measure over random subsamples of several sizes."""

    sizes: NDArray[np.int64]
    mean: Mapping[str, Floats]
    deviation: Mapping[str, Floats]


@dataclass(frozen=True)
class StudySize:
    """The size of a study whose 95% interval of HUSE has the target half-width.

    `n_items_by_measure` holds the items for each measure; the other numbers are for HUSE. `enough_annotators` is False
    if HUSE had not converged with all annotators: `n_annotators` is then all of them, and more may be needed.
    """

    n_items: int
    n_items_by_measure: Mapping[str, int]
    n_outputs: int
    n_annotators: int
    enough_annotators: bool
    n_judgments: int
    cost: float


def item_curve(problem: Problem, rules: Rules, seed: int) -> Curve:
    """Draw subsamples of items without replacement."""
    groups = np.unique(problem.group)
    fewest = ceil(2 * (rules.k + 1) * len(groups) / len(problem))
    sizes = _sizes(min(fewest, len(groups)), len(groups))

    def draw(size: int, rng: np.random.Generator) -> Problem:
        return problem.take(np.flatnonzero(np.isin(problem.group, rng.permutation(groups)[:size])))

    return _curve(sizes, draw, rules, np.random.default_rng([seed, 2]))


def annotator_curve(problem: Problem, panel: JudgmentPanel, rules: Rules, seed: int) -> Curve:
    """Draw subsamples of the judgments of every output."""
    most = int(np.bincount(panel.position).max())

    def draw(size: int, rng: np.random.Generator) -> Problem:
        order = np.lexsort((rng.random(len(panel.position)), panel.position))
        starts = np.searchsorted(panel.position[order], panel.position[order])
        kept = np.zeros(len(order), np.bool_)
        kept[order[np.arange(len(order)) - starts < size]] = True
        return judged_by(problem, panel, kept)

    return _curve(_sizes(1, most), draw, rules, np.random.default_rng([seed, 3]))


def study_size(
    problem: Problem,
    rules: Rules,
    intervals: Mapping[str, Estimate],
    annotators: Curve | None,
    *,
    half_width: float,
    price: float,
    shift: float = 0.02,
) -> StudySize:
    """Turn intervals and a curve over annotators into numbers of items and annotators, and their price.

    An interval narrows with the square root of the number of items; there must be enough outputs for an interval at
    all. Annotators are enough when HUSE moves by no more than `shift` from there on.
    """
    n_groups = len(np.unique(problem.group))
    fewest = ceil(2 * (rules.k + 1) * n_groups / len(problem))
    needed = {
        name: max(fewest, ceil(n_groups * ((part.high - part.low) / 2 / half_width) ** 2))
        for name, part in intervals.items()
    }
    n_items = needed["huse"]
    n_outputs = ceil(n_items * len(problem) / n_groups)
    n_annotators, enough = 1, True
    if annotators is not None:
        means = annotators.mean["huse"]
        settled = np.abs(means - means[-1]) <= shift
        last_moving = np.flatnonzero(~settled)
        first = int(last_moving[-1]) + 1 if len(last_moving) else 0
        n_annotators, enough = int(annotators.sizes[first]), first < len(means) - 1
    n_judgments = n_outputs * n_annotators
    return StudySize(n_items, needed, n_outputs, n_annotators, enough, n_judgments, n_judgments * price)


def _sizes(fewest: int, most: int) -> NDArray[np.int64]:
    return np.unique(np.rint(np.geomspace(fewest, most, N_SIZES)).astype(np.int64))


def _curve(
    sizes: NDArray[np.int64],
    draw: Callable[[int, np.random.Generator], Problem],
    rules: Rules,
    rng: np.random.Generator,
) -> Curve:
    means, deviations = [], []
    for size in sizes.tolist():
        drawn = [measure(draw(size, rng), rules).values for _ in range(N_DRAWS if size < sizes[-1] else 1)]
        values = np.array([[one[name] for name in MEASURES] for one in drawn])
        known = values[~np.isnan(values).any(axis=1)]
        means.append(known.mean(axis=0) if len(known) else np.full(3, np.nan))
        deviations.append(known.std(axis=0, ddof=1) if len(known) > 1 else np.full(3, np.nan))
    return Curve(
        sizes,
        dict(zip(MEASURES, np.array(means).T, strict=True)),
        dict(zip(MEASURES, np.array(deviations).T, strict=True)),
    )
