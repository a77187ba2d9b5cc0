"""The step `[meta]`: which evaluators can be trusted here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from assay.analyses.names import plain_name
from assay.analyses.words import counted, listed
from assay.metaeval.questions.matrix import Matrix
from assay.metaeval.questions.question import Question, signature
from assay.metaeval.questions.sample import Sample
from assay.metaeval.questions.study import plan
from assay.part import Cell, Number, Part, Picture, Table
from assay.plot import Figure
from assay.records import Dataset
from assay.scores import ScoreTable
from assay.study.keys import EvaluatorCall
from assay.study.meta_words import SHOWN, Evidence, advice, gather, trust
from assay.study.proposals import human_evaluators, usable_evaluators
from assay.study.step import Step
from assay.study.task import Task


@dataclass(frozen=True)
class Meta(Step):
    """Every evaluator against each target, unit by unit, between systems and within them."""

    name: ClassVar[str] = "meta"
    about: ClassVar[str] = "Which evaluators can be trusted: each against a target, usually people."

    targets: tuple[EvaluatorCall, ...]
    evaluators: tuple[EvaluatorCall, ...]
    levels: tuple[Literal["output", "pair", "matchup", "set", "system"], ...] = ()

    def run(self, task: Task) -> Part:
        """Correlate, compare and cluster the evaluators."""
        asked = [each for target in self.targets for each in plan(self._question(target, task))]
        found = []
        for number, (unit, question) in enumerate(asked):
            table = task.score((*question.candidates, question.target), unit)
            progress = task.progress_of_part(number, len(asked))
            found.append(gather(table, question, dataset=task.dataset, progress=progress))
        return Part(
            title="Evaluators",
            summary=(
                f"{counted(len(self.evaluators), 'evaluator')} against {listed(self.targets)}. Agreement between "
                "systems says whether an evaluator orders generators; agreement within systems whether it orders texts "
                "of one generator. They are different questions."
            ),
            answers={
                "trust": [said for part in found for said in trust(part)],
                "next": [said for part in found for said in advice(part)],
            },
            numbers=tuple(number for part in found for number in _numbers(part, task)),
            tables=_tables(found),
            pictures=tuple(picture for part in found for picture in _pictures(part)),
            methods=tuple(dict.fromkeys(row.signature for part in found for row in part.answers.correlations)),
        )

    def _question(self, target: str, task: Task) -> Question:
        candidates = tuple(name for name in self.evaluators if name != target)
        return Question(target, candidates, levels=self.levels, resampling=task.resampling())

    @classmethod
    def proposal(cls, dataset: Dataset) -> Mapping[str, Any] | None:
        """A criterion of people, and something to hold against it."""
        people = human_evaluators(dataset)
        candidates = [name for name in usable_evaluators(dataset, unit="output") if name not in people]
        return {"targets": people[:2], "evaluators": candidates} if people and candidates else None


def _numbers(found: Evidence, task: Task) -> Iterator[Number]:
    kept = ("candidate", "target", "level", "grouping", "coverage", "n_units", "n_groups", "resampled", "interval")
    for row in found.answers.correlations:
        about = {("interval_method" if key == "interval" else key): getattr(row, key) for key in kept}
        reason = row.reason or task.why_no_interval(row.low)
        yield Number(row.statistic, row.value, row.n, row.signature, row.n_missing, row.low, row.high, reason, about)
    for matrix in found.answers.matrices:
        if matrix.statistic == SHOWN:
            yield from _matrix_numbers(matrix, found.table)


def _matrix_numbers(matrix: Matrix, table: ScoreTable) -> Iterator[Number]:
    """Each pair of evaluators once."""
    systems = Sample.of(table).system
    for row, one in enumerate(matrix.names):
        for column, other in enumerate(matrix.names[:row]):
            both = ~np.isnan(table[one].values) & ~np.isnan(table[other].values)
            n, total = int(both.sum()), len(table)
            if matrix.level == "system":
                n, total = (len(np.unique(systems[known & (systems >= 0)])) for known in (both, np.ones(total, bool)))
            value = matrix.values[row][column]
            reason = "the matrix has no intervals" if value == value else "too few different values"
            made = signature("matrix", left=table[one], right=table[other], statistic=SHOWN, level=matrix.level)
            about = {"left": one, "right": other, "level": matrix.level}
            yield Number(f"{SHOWN} of two evaluators", value, n, made, total - n, reason=reason, about=about)


def _tables(found: Sequence[Evidence]) -> tuple[Table, ...]:
    rows: list[tuple[Cell, ...]] = [
        (r.candidate, r.target, r.level, r.statistic, r.value, r.low, r.high, r.n, r.n_missing, r.coverage)
        for part in found
        for r in part.answers.correlations
    ]
    header = ("evaluator", "target", "level", "statistic", "value", "low", "high", "n", "missing", "coverage")
    tables = [Table("correlations", "Agreement with the target", header, tuple(rows))]
    clusters: list[tuple[Cell, ...]] = [
        (part.target, one.level, one.statistic, place, ", ".join(names))
        for part in found
        for one in part.answers.clusters
        for place, names in enumerate(one.clusters, 1)
    ]
    if clusters:
        note = "Evaluators in one cluster cannot be told apart on this data, with Holm's correction for all pairs."
        columns = ("target", "level", "statistic", "cluster", "evaluators")
        tables.append(Table("clusters", "Clusters of evaluators", columns, tuple(clusters), note))
    sides: list[tuple[Cell, ...]] = [
        (side.candidate, side.target, side.between, side.within, side.pooled, side.n_systems, side.n_units)
        for part in found
        for side in part.answers.between_within
        if side.statistic == SHOWN
    ]
    if sides:
        sides_of = ("evaluator", "target", "between systems", "within systems", "pooled", "systems", "units")
        tables.append(Table("between_within", f"Between and within systems ({SHOWN})", sides_of, tuple(sides)))
    return tuple(tables)


def _pictures(found: Evidence) -> Iterator[Picture]:
    rows, target = found.shown(), found.target
    suffix = f"{plain_name(target)}-{found.table.kind}"
    if rows:
        names = [row.candidate for row in rows]
        x_title = f"Spearman's rho, {rows[0].level} level"
        figure = Figure(f"Agreement with {target}", x_title, y_categories=names)
        figure.intervals([row.value for row in rows], [row.low for row in rows], [row.high for row in rows])
        figure.rule(x=0.0)
        yield Picture(f"agreement-{suffix}", figure.draw(), "Each evaluator with its 95% interval.")
    for matrix in found.answers.matrices:
        if matrix.statistic == SHOWN and len(matrix.names) > 2:
            figure = _heat_map(matrix)
            caption = f"How evaluators agree with each other at {matrix.level} level."
            yield Picture(f"matrix-{suffix}-{matrix.level}", figure.draw(), caption)


def _heat_map(matrix: Matrix) -> Figure:
    names = list(matrix.names)
    edges = np.arange(len(names) + 1) - 0.5
    figure = Figure(f"Evaluator by evaluator, {matrix.level} level", x_categories=names, y_categories=names)
    return figure.grid(edges, edges, matrix.values, name="rho", low=-1, high=1, middle=0, cell_text=".2f")
