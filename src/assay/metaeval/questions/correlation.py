"""Candidates against a target: correlation, interval, how many units it rests on, and why it may be undefined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isnan, nan
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.kernels.statistics.correlation import is_constant
from assay.kernels.statistics.intervals import NO_INTERVAL, Interval
from assay.kernels.statistics.significance import bootstrap_p
from assay.metaeval.questions.inquiry import FEWEST, NOTHING_VARIES, Inquiry
from assay.metaeval.questions.levels import Cases
from assay.metaeval.questions.question import signature
from assay.metaeval.questions.statistics import MOST_PAIRS, Statistic
from assay.part import Number
from assay.scores import Column


@dataclass(frozen=True)
class Correlation:
    """How one candidate agrees with the target.

    `n` counts the points of the statistic: units, or systems at system level. `n_missing` counts those without both
    scores, `coverage` is n / (n + n_missing). `n_groups` counts the groups with a value. `p_value` tests no
    correlation at all, for an evaluator chosen beforehand. `reason` says why a value or an interval is undefined.
    """

    candidate: str
    target: str
    statistic: str
    level: str
    grouping: str
    value: float
    low: float
    high: float
    p_value: float
    n: int
    n_missing: int
    coverage: float
    n_units: int
    n_groups: int
    resampled: tuple[str, ...]
    resamples: int
    n_undefined: int
    interval: str
    confidence: float
    seed: int
    reason: str
    signature: str

    def number(self) -> Number:
        """The correlation as a number named after its statistic."""
        return Number.of(self.statistic, self, "value")


def correlate(study: Inquiry) -> list[Correlation]:
    """Correlate every candidate with the target, at every level and grouping, by every statistic."""
    answers: dict[tuple[str, str, str, str], Correlation] = {}
    for statistic, level, grouping in study.settings():
        for columns, mask in study.by_pattern(level, grouping):
            cases = study.cases(columns, mask, statistic, level, grouping)
            values = cases.values(statistic)
            reasons = [_why_undefined(study, cases, j, statistic, value) for j, value in enumerate(values)]
            defined = [j for j, reason in enumerate(reasons) if not reason]
            spreads = dict(zip(defined, _spreads(study, cases, defined, values, statistic), strict=True))
            n_groups = cases.n_groups(statistic)
            for j, column in enumerate(columns):
                value = nan if reasons[j] else float(values[j])
                spread = spreads.get(j, _CorrelationSpread(reason=reasons[j]))
                answers[statistic.name, level, grouping, column.name] = _answer(
                    study, cases, column, statistic, value, spread, int(n_groups[j])
                )
        study.finished()
    return [
        answers[statistic.name, level, grouping, column.name]
        for statistic, level, grouping in study.settings()
        for column in study.candidates
    ]


class _CorrelationSpread(NamedTuple):
    """An interval, or why there is none, and the p-value of no correlation."""

    interval: Interval = NO_INTERVAL
    p_value: float = nan
    reason: str = ""


def _spreads(
    study: Inquiry, cases: Cases, defined: Sequence[int], values: NDArray[np.float64], statistic: Statistic
) -> list[_CorrelationSpread]:
    """The spread of each candidate with a value."""
    if not defined or not study.resampling.resamples:
        return [_CorrelationSpread()] * len(defined)
    if why := study.why_no_interval(cases) or study.why_too_few_of_a_kind(cases, statistic):
        return [_CorrelationSpread(reason=why)] * len(defined)
    cases = replace(cases, candidates=[cases.candidates[j] for j in defined])
    if study.resampling.interval == "t":
        jackknifed = study.jackknifed(cases, statistic)
        p_values = jackknifed.p_values() if statistic.is_correlation else np.full(len(defined), nan)
        return [
            _CorrelationSpread(Interval(float(low), float(high), 0), float(p), NOTHING_VARIES if isnan(low) else "")
            for low, high, p in zip(*jackknifed.intervals(study.resampling.confidence), p_values, strict=True)
        ]
    draws = study.replicates(cases, statistic)
    left_out = study.jackknives(cases, statistic) if study.resampling.interval == "bca" else []
    spreads = []
    for at, j in enumerate(defined):
        interval = study.interval(draws[:, at], float(values[j]), [part[:, at] for part in left_out])
        reason = f"no interval: {interval.n_undefined} of {study.resampling.resamples} resamples are undefined"
        p_value = bootstrap_p(draws[:, at]) if statistic.is_correlation else nan
        spreads.append(_CorrelationSpread(interval, p_value, reason if isnan(interval.low) else ""))
    return spreads


def _answer(
    study: Inquiry,
    cases: Cases,
    column: Column,
    statistic: Statistic,
    value: float,
    spread: _CorrelationSpread,
    n_groups: int,
) -> Correlation:
    low, high, n_undefined = spread.interval
    total = len(study.sample.system_names) if cases.pools else len(study.table)
    resampling = study.resampling.with_factors(study.factors(cases.level))
    return Correlation(
        candidate=column.name,
        target=study.target.name,
        statistic=statistic.name,
        level=cases.level,
        grouping=cases.grouping,
        value=value,
        low=low,
        high=high,
        p_value=spread.p_value,
        n=cases.n,
        n_missing=total - cases.n,
        coverage=cases.n / total if total else nan,
        n_units=len(cases.rows),
        n_groups=n_groups,
        resampled=resampling.factors,
        resamples=resampling.resamples,
        n_undefined=n_undefined,
        interval=resampling.interval,
        confidence=resampling.confidence,
        seed=resampling.seed,
        reason=spread.reason,
        signature=signature(
            "correlation",
            candidate=column,
            target=study.target,
            statistic=statistic.name,
            unit=study.table.kind,
            level=cases.level,
            grouping=cases.grouping,
            resampling=resampling,
        ),
    )


def _why_undefined(study: Inquiry, cases: Cases, j: int, statistic: Statistic, value: float) -> str:
    """Why a value is undefined; empty where it is not."""
    things = "systems" if cases.pools else f"{study.table.kind}s"
    column = cases.candidates[j]
    if not column.n:
        return f"{column.name} has no score at all ({_main_reason(column)})"
    if not study.target.n:
        return f"the target {study.target.name} has no score at all ({_main_reason(study.target)})"
    if cases.n < FEWEST:
        return f"only {cases.n} {things} have both scores; {FEWEST} are needed"
    if statistic.is_correlation and is_constant(cases.y):
        return f"the target {study.target.name} is constant"
    if statistic.is_correlation and is_constant(cases.x[:, j]):
        return f"{column.name} is constant"
    if not isnan(value):
        return ""
    if cases.grouping != "pooled":
        return f"no {cases.grouping} has two different scores in both columns"
    if statistic.calibrates_ties:
        return f"more than {MOST_PAIRS:,} pairs; group by item"
    return f"the {things} do not differ in both columns"


def _main_reason(column: Column) -> str:
    return next(iter(column.gaps.counts()), "missing")
