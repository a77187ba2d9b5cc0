"""A question joined to its table: the complete cases, and the draws and jackknives that answers share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from hashlib import blake2b
from math import isnan
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError, EvaluatorError, did_you_mean
from assay.kernels.statistics.crossed_jackknife import FEWEST_POINTS, Jackknifed, Scale
from assay.kernels.statistics.intervals import NO_INTERVAL, Interval, bca, percentile
from assay.kernels.statistics.resample import BLOCK, map_blocks
from assay.metaeval.questions.levels import GROUPINGS, Cases
from assay.metaeval.questions.question import Question
from assay.metaeval.questions.sample import Draw, Sample
from assay.metaeval.questions.statistics import Statistic, find
from assay.scores import Column, ScoreTable

FEWEST, FEWEST_OF_A_KIND = 3, 6
"""Two points always lie on a line."""
NOTHING_VARIES = "no interval: the value is the same whatever is left out"

Mask = NDArray[np.bool_]
Floats = NDArray[np.float64]
Member = TypeVar("Member")
_Store = dict[tuple[bytes, str, str, str, str], list[Floats]]


class Inquiry:
    """A question about a table; draws are made once per pattern of complete cases and shared."""

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
            raise AssayError(f"nothing to compare with {question.target!r}: the table has no other column.")
        self.statistics = find(question.statistics)
        self.levels = tuple(_checked_level(table, level) for level in question.levels) or (table.kind,)
        self.groupings = tuple(_checked_grouping(grouping) for grouping in question.groupings)
        self.resampling = question.resampling.with_interval("t", ("t", "percentile", "bca"))
        self.workers = workers
        self.progress = progress
        self.done = 0
        self._replicates: _Store = {}
        self._left_out: _Store = {}

    def asking(self, question: Question) -> Inquiry:
        """Another question about the same table, sharing what both compute."""
        other = Inquiry(self.table, question, self.sample, workers=self.workers)
        other._replicates, other._left_out = self._replicates, self._left_out
        return other

    def settings(self) -> list[tuple[Statistic, str, str]]:
        """Every statistic with its level and grouping; the system level is always pooled."""
        return [
            (statistic, level, grouping)
            for level in self.levels
            for grouping in self.groupings
            if level != "system" or grouping == "pooled"
            for statistic in self.statistics
        ]

    def finished(self) -> None:
        """Report one more finished setting; correlations and contrasts each go through all of them."""
        self.done += 1
        if self.progress:
            self.progress(self.done, 2 * len(self.settings()))

    def factors(self, level: str) -> tuple[str, ...]:
        """What is resampled at a level."""
        return self.sample.check(self.resampling.factors or self.sample.default_factors(level))

    def complete(self, columns: Iterable[Column], level: str, grouping: str) -> Mask:
        """Which units have all scores, and a system where one is needed."""
        mask = ~np.isnan(self.target.values)
        for column in columns:
            mask &= ~np.isnan(column.values)
        if level == "system" or grouping == "system":
            mask &= self.sample.system >= 0
        return mask

    def by_pattern(self, level: str, grouping: str) -> list[tuple[list[Column], Mask]]:
        """Candidates grouped by their complete cases."""
        return by_mask((column, self.complete([column], level, grouping)) for column in self.candidates)

    def cases(self, columns: Sequence[Column], mask: Mask, statistic: Statistic, level: str, grouping: str) -> Cases:
        """The complete cases, oriented so that high is good unless the statistic reads the scale itself."""
        target = self.target
        if statistic.reads_scale:
            columns = [replace(column, higher_is_better=None) for column in columns]
            target = replace(target, higher_is_better=None)
        return Cases(self.sample, np.flatnonzero(mask), columns, target, level, grouping)

    def replicates(self, cases: Cases, statistic: Statistic) -> Floats:
        """The statistic of each candidate under every draw, (resamples, candidates)."""
        factors = self.factors(cases.level)

        def drawn(cases: Cases, statistics: Sequence[Statistic]) -> list[Floats]:
            blocks = map_blocks(
                lambda block: cases.under(statistics, self.sample.draw(block, factors)),
                self.resampling.resamples,
                self.resampling.seed,
                workers=self.workers,
            )
            return [np.concatenate(blocks, axis=1)]

        return self._shared(self._replicates, cases, statistic, drawn)[0]

    def jackknives(self, cases: Cases, statistic: Statistic) -> list[Floats]:
        """Per factor the statistic without each of its members, (members, candidates)."""
        values = []
        for factor in self.factors(cases.level):
            starts = range(0, self.sample.size(factor), BLOCK)
            draws = (self.sample.without_each(factor, start, start + BLOCK) for start in starts)
            values.append(np.concatenate([cases.under([statistic], draw)[0] for draw in draws]))
        return values

    def jackknifed(self, cases: Cases, statistic: Statistic) -> Jackknifed:
        """The statistic of each candidate with its values without each cluster of what is resampled."""
        factors = self.factors(cases.level)
        crossed = {"items", "systems"} <= set(factors)

        def left_out(cases: Cases, statistics: Sequence[Statistic]) -> list[Floats]:
            values = []
            for factor in (*factors, "cells") if crossed else factors:
                draws = list(self.sample.leave_out(factor, cases.rows, self.resampling.seed))
                values.append(np.concatenate(self._each(lambda draw: cases.under(statistics, draw), draws), axis=1))
            return values

        by_factor = self._shared(self._left_out, cases, statistic, left_out)
        scale = statistic.scale
        if cases.grouping != "pooled":  # a mean of correlations has even errors, and no order of its own
            scale = Scale(low=scale.low, high=scale.high)
        overlap = by_factor.pop() if crossed else None
        n = min(cases.n, max(map(len, by_factor)))
        return Jackknifed(scale, cases.values(statistic), by_factor, overlap, n, cases.ceilings(statistic))

    def _shared(
        self,
        store: _Store,
        cases: Cases,
        statistic: Statistic,
        compute: Callable[[Cases, Sequence[Statistic]], list[Floats]],
    ) -> list[Floats]:
        """Arrays (draws, candidates) from the store; a miss computes all statistics, which share weights and pooling.

        `compute` gives arrays (statistics, draws, candidates).
        """
        key = (blake2b(cases.rows.tobytes()).digest(), cases.level, cases.grouping)
        missing = [column for column in cases.candidates if (*key, statistic.name, column.name) not in store]
        if missing:
            together = [other for other in self.statistics if other.reads_scale == statistic.reads_scale]
            arrays = compute(replace(cases, candidates=missing), together)
            for i, other in enumerate(together):
                for j, column in enumerate(missing):
                    store[(*key, other.name, column.name)] = [array[i, :, j] for array in arrays]
        by_column = [store[(*key, statistic.name, column.name)] for column in cases.candidates]
        return [np.stack(arrays, axis=1) for arrays in zip(*by_column, strict=True)]

    def _each(self, task: Callable[[Draw], Floats], draws: Sequence[Draw]) -> list[Floats]:
        if self.workers < 2:
            return [task(draw) for draw in draws]
        with ThreadPoolExecutor(self.workers) as pool:
            return list(pool.map(task, draws))

    def why_no_interval(self, cases: Cases, fewest: int = FEWEST_POINTS) -> str:
        """Why there is too little to draw from for any interval; empty where there is enough."""
        things = "systems" if cases.level == "system" else f"{self.table.kind}s"
        if cases.n < fewest:
            return f"no interval: {cases.n} {things} are too few, {fewest} are needed"
        sizes = {factor: self.sample.n_present(factor, cases.rows) for factor in self.factors(cases.level)}
        if max(sizes.values()) < FEWEST_POINTS:
            drawn = " and ".join(f"{size} {factor}" for factor, size in sizes.items())
            return f"no interval: {drawn} are too few to draw from, {FEWEST_POINTS} are needed"
        return ""

    def why_too_few_of_a_kind(self, cases: Cases, statistic: Statistic) -> str:
        """Why rho with a target of two kinds of systems, such as people and generators, has no interval over systems.

        In simulations, intervals from fewer systems of a kind miss their nominal coverage.
        """
        if "systems" not in self.factors(cases.level) or cases.ceilings(statistic) is None:
            return ""
        system = self.sample.codes("systems")[cases.rows]
        kinds = np.unique(np.stack([system, cases.y]), axis=1)
        fewest = int(np.unique(kinds[1], return_counts=True)[1].min())
        if kinds.shape[1] > len(np.unique(system)) or fewest >= FEWEST_OF_A_KIND:
            return ""
        return (
            f"no interval: the target has one value for each system, and of one of the two there are {fewest} systems, "
            f"{FEWEST_OF_A_KIND} are needed; resampling items alone is about these systems"
        )

    def interval(self, values: Floats, estimate: float, jackknives: Sequence[Floats]) -> Interval:
        """The bootstrap interval of the chosen method."""
        if isnan(estimate) or not len(values):
            return NO_INTERVAL
        if self.resampling.interval == "bca":
            return bca(values, estimate, jackknives, self.resampling.confidence)
        return percentile(values, self.resampling.confidence)


def by_mask(masked: Iterable[tuple[Member, Mask]]) -> list[tuple[list[Member], Mask]]:
    """Group members with the same mask: they share draws, pooling and the sorting of the target."""
    groups: dict[bytes, tuple[list[Member], Mask]] = {}
    for member, mask in masked:
        groups.setdefault(mask.tobytes(), ([], mask))[0].append(member)
    return list(groups.values())


def _column(table: ScoreTable, name: str, role: str) -> Column:
    if name not in table.columns:
        raise EvaluatorError(f"the {role} {name!r} is not a column of the scores.{did_you_mean(name, table.columns)}")
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
