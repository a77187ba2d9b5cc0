"""What a single system does to a result, and differences between systems against within them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isnan, nan

import numpy as np

from assay.metaeval.questions.correlation import FEWEST, Correlation, Inquiry, correlate
from assay.metaeval.questions.question import Question

FAR_APART = 0.3
"""Correlations between and within systems that differ by this much are a different story each."""


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


def leave_one_out(study: Inquiry, people: Sequence[str] = ()) -> list[WithoutSystem]:
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


def _values(study: Inquiry, systems: Sequence[str]) -> dict[tuple[str, str, str], Correlation]:
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
    answers = correlate(Inquiry(study.table.take(rows), question))
    return {(answer.candidate, answer.statistic, answer.level): answer for answer in answers}


def between_within(study: Inquiry) -> list[BetweenWithin]:
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
        for answer in correlate(Inquiry(study.table, question, study.sample))
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
