"""Reactions of a metric to perturbed sets, in standard deviations over the original sets; and its speed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import process_time

import numpy as np
from numpy.typing import NDArray

from assay.kernels.statistics.crossed_jackknife import FEWEST_POINTS
from assay.kernels.statistics.intervals import NO_INTERVAL
from assay.kernels.statistics.student import spread, student_interval
from assay.metaeval.questions.oriented import oriented
from assay.metaeval.questions.question import Resampling, signature
from assay.metaeval.questions.sample import Sample
from assay.metaeval.sets.changes import CHANGES
from assay.part import Number
from assay.records import Dataset
from assay.scores import ScoreTable

Scorer = Callable[[Dataset], ScoreTable]


@dataclass(frozen=True)
class Reaction:
    """The effect of one perturbation on one metric; `n` counts sets."""

    change: str
    expected: str
    evaluator: str
    effect: float
    low: float
    high: float
    n: int
    reason: str
    signature: str

    def number(self) -> Number:
        """The effect as a number of a result."""
        about = {"change": self.change, "expected": self.expected, "evaluator": self.evaluator}
        return Number("reaction", self.effect, self.n, self.signature, 0, self.low, self.high, self.reason, about)


@dataclass(frozen=True)
class Speed:
    """CPU seconds for a thousand sets, texts tokenized afresh, and how many sets were timed."""

    evaluator: str
    seconds_per_1000_sets: float
    n_sets: int


def reactions(dataset: Dataset, score: Scorer, resampling: Resampling) -> list[Reaction]:
    """Perturb the sets in every known way and measure how each metric moves. Sets of one response are left out."""
    dataset = dataset.select(dataset.outputs_by_set.lengths[dataset.outputs.set] > 1)
    before = score(dataset)
    sample = Sample.of(before, dataset=dataset)
    rows = []
    for change, (make, expected) in CHANGES.items():
        after = score(make(dataset, np.random.default_rng(resampling.seed)))
        for name, column in before.columns.items():
            moved = oriented(replace(column, values=after[name].values)) - oriented(column)
            scored = np.flatnonzero(~np.isnan(moved))
            made_by = signature("reaction", evaluator=column, change=change, resampling=resampling)
            deviation = float(np.std(column.values[scored])) if len(scored) else 0.0
            if not deviation > 0:
                why = "all sets have the same score" if len(scored) else "no scores"
                rows.append(Reaction(change, expected, name, np.nan, np.nan, np.nan, len(scored), why, made_by))
                continue
            effects = moved[scored] / deviation
            low, high, why = _interval(effects, sample, scored, resampling)
            effect = float(effects.mean())
            rows.append(Reaction(change, expected, name, effect, low, high, len(scored), why, made_by))
    return rows


def _interval(
    effects: NDArray[np.float64], sample: Sample, rows: NDArray[np.int64], resampling: Resampling
) -> tuple[float, float, str]:
    """Student's t of a mean without each context in turn."""
    cluster, n = sample.clusters("contexts", rows, resampling.seed)
    if not resampling.resamples:
        return *NO_INTERVAL[:2], "no interval was requested"
    if n < FEWEST_POINTS:
        return *NO_INTERVAL[:2], f"no interval: {n} contexts are too few, {FEWEST_POINTS} are needed"
    group = cluster[sample.codes("contexts")[rows]]
    sums, sizes = np.bincount(group, effects, n), np.bincount(group, minlength=n)
    left_out = (effects.sum() - sums) / (len(effects) - sizes)
    errors = spread([left_out], float(np.abs(effects).max()))
    low, high, _ = student_interval(float(effects.mean()), errors, resampling.confidence)
    return low, high, "" if low == low else "no interval: the effect is the same whatever is left out"


def speeds(dataset: Dataset, names: Sequence[str], score: Callable[[Dataset, str], ScoreTable]) -> list[Speed]:
    """CPU time of each metric alone; a first run compiles kernels and caches embeddings."""
    rows = []
    for name in names:
        if name not in score(dataset, name).columns:
            continue
        start = process_time()
        n_sets = len(score(dataset, name))
        rows.append(Speed(name, (process_time() - start) / max(1, n_sets) * 1000, n_sets))
    return rows
