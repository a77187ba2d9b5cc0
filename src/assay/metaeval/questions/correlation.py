"""Candidates against a target: correlation, interval, how many units it rests on, and why it may be undefined."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from math import isnan, nan
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError, EvaluatorError, did_you_mean
from assay.kernels.statistics.correlation import is_constant
from assay.kernels.statistics.crossed_jackknife import FEWEST_POINTS, Jackknifed, Scale
from assay.kernels.statistics.intervals import NO_INTERVAL, Interval, bca, percentile
from assay.kernels.statistics.resample import BLOCK, Block, map_blocks
from assay.kernels.statistics.significance import bootstrap_p
from assay.metaeval.questions.levels import GROUPINGS, Cases
from assay.metaeval.questions.question import Question, signature
from assay.metaeval.questions.sample import Draw, Sample
from assay.metaeval.questions.statistics import MOST_PAIRS, Statistic, find
from assay.part import Number
from assay.scores import Column, ScoreTable

FEWEST = 3
"""Two points always lie on a line."""
NOTHING_VARIES = "no interval: the value is the same whatever is left out"


@dataclass(frozen=True)
class Correlation:
    """How one candidate agrees with the target.

    `n` counts the points of the statistic: units, or systems at system level. `n_missing` are those without both
    scores, `coverage` is n / (n + n_missing). `n_groups` counts the groups that gave a value. `p_value` is that of no
    correlation at all, for one evaluator that was chosen beforehand. `reason` says why a value or an interval is
    undefined.
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
        """The correlation as a result, named after its statistic."""
        return Number.of(self.statistic, self, "value")


class Inquiry:
    """A question about a table; draws are made once per complete-case pattern and shared by all that need them."""

    def __init__(
        self,
        table: ScoreTable,
        question: Question,
        sample: Sample | None = None,
        *,
        workers: int = 1,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        self.table = table
        self.sample = sample or Sample.of(table)
        self.target = _column(table, question.target, "target")
        names = question.candidates or tuple(name for name in table.columns if name != question.target)
        self.candidates = [_column(table, name, "candidate") for name in names]
        if not self.candidates:
            raise AssayError(f"there is nothing to hold against {question.target!r}: the table has no other column.")
        self.statistics = find(question.statistics)
        self.levels = tuple(_checked_level(table, level) for level in question.levels) or (table.kind,)
        self.groupings = tuple(_checked_grouping(grouping) for grouping in question.groupings)
        self.resampling = question.resampling.with_interval("t", ("t", "percentile", "bca"))
        self.workers = workers
        self.progress = progress
        self.done = 0
        self._replicates: dict[tuple[bytes, str, str, str, str], NDArray[np.float64]] = {}
        self._left_out: dict[tuple[bytes, str, str, str, str], list[NDArray[np.float64]]] = {}

    def asking(self, question: Question) -> Inquiry:
        """Another question about the same table: what both need is computed once."""
        other = Inquiry(self.table, question, self.sample, workers=self.workers)
        other._replicates, other._left_out = self._replicates, self._left_out
        return other

    def settings(self) -> list[tuple[Statistic, str, str]]:
        """Every statistic with its level and grouping; a pooled system level has no groups."""
        return [
            (statistic, level, grouping)
            for level in self.levels
            for grouping in self.groupings
            if level != "system" or grouping == "pooled"
            for statistic in self.statistics
        ]

    def finished(self) -> None:
        """Tell of one more setting that is answered; correlations and contrasts each go through all of them."""
        self.done += 1
        if self.progress:
            self.progress(self.done, 2 * len(self.settings()))

    def factors(self, level: str) -> tuple[str, ...]:
        """What is resampled at a level."""
        return self.sample.check(self.resampling.factors or self.sample.default_factors(level))

    def complete(self, columns: Sequence[Column], level: str, grouping: str) -> NDArray[np.bool_]:
        """Which units have all scores, and a system where one is needed."""
        mask = ~np.isnan(self.target.values)
        for column in columns:
            mask = mask & ~np.isnan(column.values)
        if level == "system" or grouping == "system":
            mask = mask & (self.sample.system >= 0)
        return mask

    def cases(
        self, columns: Sequence[Column], mask: NDArray[np.bool_], statistic: Statistic, level: str, grouping: str
    ) -> Cases:
        """The complete cases, as they are for errors and turned so that high is good for all else."""
        target = self.target
        if statistic.reads_scale:
            columns = [replace(column, higher_is_better=None) for column in columns]
            target = replace(target, higher_is_better=None)
        return Cases(self.sample, np.flatnonzero(mask), columns, target, level, grouping)

    def replicates(
        self, columns: Sequence[Column], mask: NDArray[np.bool_], statistic: Statistic, level: str, grouping: str
    ) -> NDArray[np.float64]:
        """The statistic of each column under every draw, (resamples, columns).

        The first that asks has the draws made for all statistics: they share weights and pooled scores.
        """
        key = (np.packbits(mask).tobytes(), level, grouping)
        missing = [column for column in columns if (*key, statistic.name, column.name) not in self._replicates]
        if missing:
            together = [other for other in self.statistics if other.reads_scale == statistic.reads_scale]
            cases = self.cases(missing, mask, statistic, level, grouping)
            factors = self.factors(level)

            def task(block: Block) -> NDArray[np.float64]:
                return cases.under(together, self.sample.draw(block, factors))

            parts = map_blocks(task, self.resampling.resamples, self.resampling.seed, workers=self.workers)
            values = np.concatenate(parts, axis=1)
            for own, other in zip(values, together, strict=True):
                for j, column in enumerate(missing):
                    self._replicates[(*key, other.name, column.name)] = own[:, j]
        return np.stack([self._replicates[(*key, statistic.name, column.name)] for column in columns], axis=1)

    def jackknives(
        self, columns: Sequence[Column], mask: NDArray[np.bool_], statistic: Statistic, level: str, grouping: str
    ) -> list[NDArray[np.float64]]:
        """Per factor the statistic without each of its members, (members, columns)."""
        cases = self.cases(columns, mask, statistic, level, grouping)
        found = []
        for factor in self.factors(level):
            n = self.sample.size(factor)
            draws = (self.sample.without_each(factor, start, start + BLOCK) for start in range(0, n, BLOCK))
            found.append(np.concatenate([cases.under([statistic], draw)[0] for draw in draws]))
        return found

    def jackknifed(self, cases: Cases, mask: NDArray[np.bool_], statistic: Statistic) -> Jackknifed:
        """The statistic of each candidate with its values without each cluster of what is resampled.

        The first that asks has clusters left out for all statistics: they share weights and pooled scores.
        """
        factors = self.factors(cases.level)
        crossed = {"items", "systems"} <= set(factors)
        key = (np.packbits(mask).tobytes(), cases.level, cases.grouping)
        missing = [c for c in cases.candidates if (*key, statistic.name, c.name) not in self._left_out]
        if missing:
            together = [other for other in self.statistics if other.reads_scale == statistic.reads_scale]
            own = self.cases(missing, mask, statistic, cases.level, cases.grouping)
            parts = []
            for factor in (*factors, "cells") if crossed else factors:
                draws = list(self.sample.leave_out(factor, own.rows, self.resampling.seed))
                parts.append(np.concatenate(self._each(lambda draw: own.under(together, draw), draws), axis=1))
            for at, other in enumerate(together):
                for j, column in enumerate(missing):
                    self._left_out[(*key, other.name, column.name)] = [part[at, :, j] for part in parts]
        by_column = [self._left_out[(*key, statistic.name, column.name)] for column in cases.candidates]
        parts = [np.stack(part, axis=1) for part in zip(*by_column, strict=True)]
        values = cases.values(statistic)
        scale = statistic.scale
        if cases.grouping != "pooled":  # a mean of correlations has even errors, and no order of its own
            scale = Scale(low=scale.low, high=scale.high)
        overlap = parts.pop() if crossed else None
        n = min(cases.n, max(len(part) for part in parts))
        return Jackknifed(scale, values, parts, overlap, n, cases.ceilings(statistic))

    def _each(self, task: Callable[[Draw], NDArray[np.float64]], draws: Sequence[Draw]) -> list[NDArray[np.float64]]:
        if self.workers < 2:
            return [task(draw) for draw in draws]
        with ThreadPoolExecutor(self.workers) as pool:
            return list(pool.map(task, draws))

    def why_no_interval(self, cases: Cases, fewest: int = FEWEST_POINTS) -> str:
        """Why there are too few things to draw from for any interval; empty where there are enough."""
        things = "systems" if cases.level == "system" else f"{self.table.kind}s"
        if cases.n < fewest:
            return f"no interval: {cases.n} {things} are too few, {fewest} are needed"
        sizes = {factor: self.sample.n_present(factor, cases.rows) for factor in self.factors(cases.level)}
        if max(sizes.values()) < FEWEST_POINTS:
            drawn = " and ".join(f"{size} {factor}" for factor, size in sizes.items())
            return f"no interval: {drawn} are too few to draw from, {FEWEST_POINTS} are needed"
        return ""

    def interval(
        self, values: NDArray[np.float64], estimate: float, jackknives: Sequence[NDArray[np.float64]]
    ) -> Interval:
        """The interval read off resamples that was asked for."""
        if isnan(estimate) or not len(values):
            return NO_INTERVAL
        if self.resampling.interval == "bca":
            return bca(values, estimate, jackknives, self.resampling.confidence)
        return percentile(values, self.resampling.confidence)


def correlate(study: Inquiry) -> list[Correlation]:
    """Hold every candidate against the target, at every level and grouping, by every statistic."""
    found: dict[tuple[str, str, str, str], Correlation] = {}
    for statistic, level, grouping in study.settings():
        for columns, mask in by_pattern(study, level, grouping):
            cases = study.cases(columns, mask, statistic, level, grouping)
            values = cases.values(statistic)
            reasons = [_why_undefined(study, cases, j, statistic, values[j]) for j in range(len(columns))]
            defined = [j for j, reason in enumerate(reasons) if not reason]
            intervals = _intervals(study, columns, defined, values, mask, (statistic, level, grouping))
            n_groups = cases.n_groups(statistic)
            for j, column in enumerate(columns):
                found[statistic.name, level, grouping, column.name] = _answer(
                    study,
                    cases,
                    column,
                    statistic,
                    nan if reasons[j] else float(values[j]),
                    reasons[j],
                    intervals.get(j),
                    int(n_groups[j]),
                )
        study.finished()
    return [
        found[statistic.name, level, grouping, column.name]
        for statistic, level, grouping in study.settings()
        for column in study.candidates
    ]


def by_pattern(study: Inquiry, level: str, grouping: str) -> list[tuple[list[Column], NDArray[np.bool_]]]:
    """Candidates with the same complete cases share draws, pooling and the sorting of the target."""
    patterns: dict[bytes, tuple[list[Column], NDArray[np.bool_]]] = {}
    for column in study.candidates:
        mask = study.complete([column], level, grouping)
        patterns.setdefault(mask.tobytes(), ([], mask))[0].append(column)
    return list(patterns.values())


class _Spread(NamedTuple):
    """An interval, or why there is none, and the p-value of no correlation."""

    interval: Interval
    p_value: float = nan
    reason: str = ""


def _intervals(
    study: Inquiry,
    columns: Sequence[Column],
    defined: Sequence[int],
    values: NDArray[np.float64],
    mask: NDArray[np.bool_],
    setting: tuple[Statistic, str, str],
) -> Mapping[int, _Spread]:
    if not defined or not study.resampling.resamples:
        return {}
    chosen = [columns[j] for j in defined]
    cases = study.cases(chosen, mask, *setting)
    why = study.why_no_interval(cases)
    if why:
        return {j: _Spread(NO_INTERVAL, reason=why) for j in defined}
    statistic = setting[0]
    if study.resampling.interval == "t":
        found = study.jackknifed(cases, mask, statistic)
        ends = found.intervals(study.resampling.confidence)
        p_values = found.p_values() if statistic.is_correlation else np.full(len(chosen), nan)
        return {
            j: _Spread(Interval(float(low), float(high), 0), float(p), "" if low == low else NOTHING_VARIES)
            for j, low, high, p in zip(defined, *ends, p_values, strict=True)
        }
    draws = study.replicates(chosen, mask, *setting)
    left_out = study.jackknives(chosen, mask, *setting) if study.resampling.interval == "bca" else []
    spreads = {}
    for at, j in enumerate(defined):
        interval = study.interval(draws[:, at], float(values[j]), [part[:, at] for part in left_out])
        reason = f"no interval: {interval.n_undefined} of {study.resampling.resamples} resamples are undefined"
        p_value = bootstrap_p(draws[:, at]) if statistic.is_correlation else nan
        spreads[j] = _Spread(interval, p_value, reason if isnan(interval.low) else "")
    return spreads


def _answer(
    study: Inquiry,
    cases: Cases,
    column: Column,
    statistic: Statistic,
    value: float,
    reason: str,
    spread: _Spread | None,
    n_groups: int,
) -> Correlation:
    spread = spread or _Spread(NO_INTERVAL)
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
        reason=reason or spread.reason,
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
    """Say why a value is no number, or empty where it is one."""
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


def _column(table: ScoreTable, name: str, role: str) -> Column:
    if name not in table.columns:
        raise EvaluatorError(f"the {role} {name!r} is no column of the scores.{did_you_mean(name, table.columns)}")
    return table.columns[name]


def _checked_level(table: ScoreTable, level: str) -> str:
    if level not in (table.kind, "system"):
        raise AssayError(
            f"the scores are about {table.kind}s, so the level can be {table.kind!r} or 'system', not {level!r}. "
            f"Score the data by {level} to compare at that level."
        )
    if level == "system" and not table.system.lengths.any():
        raise AssayError("the level 'system' needs to know the system of each unit; the scores have none.")
    return level


def _checked_grouping(grouping: str) -> str:
    if grouping not in GROUPINGS:
        raise AssayError(f"no grouping {grouping!r}.{did_you_mean(grouping, GROUPINGS)}")
    return grouping
