"""How much one system sways a correlation, and correlations between systems next to those within them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isnan, nan

import numpy as np

from assay.metaeval.questions.correlation import Correlation, correlate
from assay.metaeval.questions.inquiry import FEWEST, Inquiry
from assay.metaeval.questions.question import Question

FAR_APART = 0.3
"""A gap between the correlations between and within systems that deserves a warning."""


@dataclass(frozen=True)
class WithoutSystem:
    """The correlation without one system, or with human texts added as one more system."""

    candidate: str
    statistic: str
    level: str
    change: str
    """`without <system>`, or `with <system>` for human texts."""
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


def leave_one_out(study: Inquiry, humans: Sequence[str] = ()) -> list[WithoutSystem]:
    """The correlations over generators with each human system, then without each generator, against all generators."""
    names = study.sample.system_names
    generators = [name for name in names if name not in humans]
    base = _by_key(study, generators)
    changes = [(f"with {name}", [*generators, name]) for name in names if name in humans]
    changes += [(f"without {name}", [other for other in generators if other != name]) for name in generators]
    return [
        WithoutSystem(*key, change, one.value, one.value - base[key].value if key in base else nan, one.n)
        for change, systems in changes
        for key, one in _by_key(study, systems).items()
    ]


def _by_key(study: Inquiry, systems: Sequence[str]) -> dict[tuple[str, str, str], Correlation]:
    numbers = [study.sample.system_names.index(name) for name in systems]
    rows = np.flatnonzero(np.isin(study.sample.system, numbers))
    question = _question(study, [statistic.name for statistic in study.statistics], study.levels, ("pooled",))
    answers = correlate(Inquiry(study.table.take(rows), question))
    return {(answer.candidate, answer.statistic, answer.level): answer for answer in answers}


def _question(study: Inquiry, statistics: Sequence[str], levels: Sequence[str], groupings: Sequence[str]) -> Question:
    """A question about the same candidates and target, without resampling."""
    return Question(
        study.target.name,
        tuple(column.name for column in study.candidates),
        tuple(statistics),
        tuple(levels),
        tuple(groupings),
        replace(study.resampling, resamples=0, factors=()),
    )


def between_within(study: Inquiry) -> list[BetweenWithin]:
    """Correlations between and within systems, with a warning where they are far apart."""
    if study.table.kind == "system" or len(study.sample.system_names) < FEWEST:
        return []
    kind = study.table.kind
    statistics = [statistic.name for statistic in study.statistics if statistic.is_correlation]
    question = _question(study, statistics, (kind, "system"), ("pooled", "system"))
    answers = {
        (answer.candidate, answer.statistic, answer.level, answer.grouping): answer
        for answer in correlate(Inquiry(study.table, question, study.sample))
    }
    rows = []
    for statistic in statistics:
        for column in study.candidates:
            pooled = answers[column.name, statistic, kind, "pooled"]
            between = answers[column.name, statistic, "system", "pooled"]
            within = answers[column.name, statistic, kind, "system"]
            rows.append(
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
    return rows


def _warning(candidate: str, target: str, kind: str, between: float, within: float) -> str:
    if isnan(between) or isnan(within) or abs(between - within) < FAR_APART:
        return ""
    if abs(between) > abs(within):
        story = f"what it says about systems does not hold for single {kind}s of one system, judged by {target}"
    else:
        story = f"it tells {kind}s of one system apart better than it orders systems"
    return f"{candidate}: {between:.2f} between systems, {within:.2f} within them: {story}"
