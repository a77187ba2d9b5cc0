"""Rankings of systems, what a single system does to a result, and differences between systems against within them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isnan, nan

import numpy as np
from numpy.typing import NDArray

from assay.kernels.intervals import percentile
from assay.kernels.rank import average_ranks
from assay.kernels.resample import Block, map_blocks
from assay.meta.correlation import FEWEST, Correlation, Study, correlate
from assay.meta.levels import Cases
from assay.meta.oriented import orientation
from assay.meta.question import USUAL, Question, Resampling
from assay.meta.sample import Draw, Sample
from assay.scores import Column, ScoreTable

FAR_APART = 0.3
"""Correlations between and within systems that differ by this much are a different story each."""


@dataclass(frozen=True)
class Ranked:
    """One system by one evaluator: its score and its rank, 1 being the best, with intervals over items."""

    evaluator: str
    system: str
    score: float
    low: float
    high: float
    rank: float
    rank_low: float
    rank_high: float
    n: int


@dataclass(frozen=True)
class WithoutSystem:
    """The correlation when one system is left out, or people's texts are added as one more system."""

    candidate: str
    statistic: str
    level: str
    change: str
    """`without <system>`, or `with <system>` for people's texts."""
    value: float
    shift: float
    n: int


@dataclass(frozen=True)
class BetweenWithin:
    """One correlation three ways: over system scores, inside systems (mean), and over all units at once."""

    candidate: str
    target: str
    statistic: str
    between: float
    within: float
    pooled: float
    n_systems: int
    n_units: int
    warning: str


def rank_systems(
    table: ScoreTable,
    evaluators: Sequence[str],
    resampling: Resampling = USUAL,
    *,
    workers: int = 1,
) -> list[Ranked]:
    """Rank the systems by each evaluator, best first."""
    sample = Sample.of(table)
    found: list[Ranked] = []
    for name in evaluators:
        found += _ranked(sample, table[name], resampling, workers)
    return found


def _ranked(sample: Sample, column: Column, resampling: Resampling, workers: int) -> list[Ranked]:
    rows = np.flatnonzero(~np.isnan(column.values) & (sample.system >= 0))
    if not len(rows):
        return []
    cases = Cases(sample, rows, [column], column, "system", "pooled")
    if not cases.pools:
        cases = replace(cases, sample=replace(sample, kind="unit"))
    sign = orientation(column)
    scores = cases.system_scores(Draw(1), cases.y[None])[0][0, :, 0]
    present = np.flatnonzero(~np.isnan(scores))
    factors = ("items",) if sample.has_items else ("units",)

    def task(block: Block) -> NDArray[np.float64]:
        return cases.system_scores(sample.draw(block, factors), cases.y[None])[0][:, present, 0]

    parts = map_blocks(task, resampling.resamples, resampling.seed, workers=workers)
    draws = np.concatenate(parts) if parts else np.full((1, len(present)), nan)
    ranks = np.stack([_ranks(row) for row in draws])
    order = np.argsort(-scores[present], kind="stable")
    own = _ranks(scores[present])
    found = []
    for at in order.tolist():
        low, high, _ = percentile(sign * draws[:, at], resampling.confidence)
        rank_low, rank_high, _ = percentile(ranks[:, at], resampling.confidence)
        system = int(present[at])
        found.append(
            Ranked(
                column.name,
                sample.system_names[system],
                float(sign * scores[system]),
                low,
                high,
                float(own[at]),
                rank_low,
                rank_high,
                len(cases.groups[system]),
            )
        )
    return found


def _ranks(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 for the highest; undefined for all where one score is missing."""
    return np.full(len(scores), nan) if np.isnan(scores).any() else average_ranks(-scores)


def leave_one_out(study: Study, people: Sequence[str] = ()) -> list[WithoutSystem]:
    """The correlations without each system in turn; without any of `people`'s systems first, then with each."""
    names = study.sample.system_names
    generators = [name for name in names if name not in people]
    base = _values(study, generators)
    found = []
    changes = [(f"with {name}", [*generators, name]) for name in names if name in people]
    changes += [(f"without {name}", [other for other in generators if other != name]) for name in generators]
    for change, kept in changes:
        for key, answer in _values(study, kept).items():
            value = answer.value
            found.append(WithoutSystem(*key, change, value, value - base[key].value if key in base else nan, answer.n))
    return found


def _values(study: Study, systems: Sequence[str]) -> dict[tuple[str, str, str], Correlation]:
    numbers = [study.sample.system_names.index(name) for name in systems]
    rows = np.flatnonzero(np.isin(study.sample.system, numbers))
    question = Question(
        study.target.name,
        tuple(column.name for column in study.candidates),
        tuple(statistic.name for statistic in study.statistics),
        study.levels,
        ("pooled",),
        replace(study.resampling, resamples=0, factors=()),
    )
    answers = correlate(Study(study.table.take(rows), question))
    return {(answer.candidate, answer.statistic, answer.level): answer for answer in answers}


def between_within(study: Study) -> list[BetweenWithin]:
    """Set correlations between and within systems side by side, with a warning where they tell different stories."""
    if study.table.kind == "system" or len(study.sample.system_names) < FEWEST:
        return []
    kind = study.table.kind
    question = Question(
        study.target.name,
        tuple(column.name for column in study.candidates),
        tuple(statistic.name for statistic in study.statistics if statistic.is_correlation),
        (kind, "system"),
        ("pooled", "system"),
        replace(study.resampling, resamples=0, factors=()),
    )
    answers = {
        (answer.candidate, answer.statistic, answer.level, answer.grouping): answer
        for answer in correlate(Study(study.table, question, study.sample))
    }
    found = []
    for statistic in question.statistics:
        for column in study.candidates:
            pooled = answers[column.name, statistic, kind, "pooled"]
            between = answers[column.name, statistic, "system", "pooled"]
            within = answers[column.name, statistic, kind, "system"]
            found.append(
                BetweenWithin(
                    column.name,
                    study.target.name,
                    statistic,
                    between.value,
                    within.value,
                    pooled.value,
                    between.n,
                    pooled.n,
                    _warning(column.name, study.target.name, kind, between.value, within.value),
                )
            )
    return found


def _warning(candidate: str, target: str, kind: str, between: float, within: float) -> str:
    if isnan(between) or isnan(within) or abs(between - within) < FAR_APART:
        return ""
    if abs(between) > abs(within):
        story = f"what it says about systems does not hold for single {kind}s of one system, held against {target}"
    else:
        story = f"it tells {kind}s of one system apart better than it orders systems"
    return f"{candidate}: {between:.2f} between systems, {within:.2f} within them: {story}"
