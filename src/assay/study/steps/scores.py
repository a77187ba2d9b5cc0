"""The step `[scores]`: every evaluator on every system, and on every unit in a file beside the report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from assay.analyses.scores import missing, overview
from assay.analyses.system_scores import system_scores
from assay.io.score_tables import scores_as_csv
from assay.part import Cell, Number, Part, Table
from assay.part.visible import visible_line
from assay.records import Dataset
from assay.registry import parse
from assay.scores import Column, ScoreTable
from assay.study.keys import EvaluatorCall
from assay.study.proposals import usable_evaluators
from assay.study.step import Step
from assay.study.task import Task


@dataclass(frozen=True)
class Scores(Step):
    """Scores of systems; a system's score is pooled from its outputs or sets, as the evaluator defines it."""

    name: ClassVar[str] = "scores"
    about: ClassVar[str] = "Every evaluator on every system, and on every unit in out/scores."

    evaluators: tuple[EvaluatorCall, ...]

    def run(self, task: Task) -> Part:
        """Score the systems with each evaluator at its own unit."""
        by_evaluator = system_scores(task, self.evaluators, task.progress)
        tables = _tables(task, self.evaluators)
        numbers = tuple(number for scores in by_evaluator.values() for number in scores)
        cited = [(scores[0].signature, parse(name).about.cite) for name, scores in by_evaluator.items()]
        return Part(
            title="Scores",
            summary=(
                f"{len(self.evaluators)} evaluators. Each number is about a whole system, with a 95% interval over "
                "items. The scores of single units are in "
                f"{', '.join(f'scores/{name}.csv' for name in tables)}."
            ),
            answers={"missing": [line for table in tables.values() for line in missing(table)]},
            numbers=numbers,
            scores={name: scores_as_csv(table) for name, table in tables.items()},
            tables=(overview(by_evaluator, _cautions(tables)), _with_intervals(numbers), *_explained(tables)),
            methods=tuple(line for pair in cited for line in pair if line),
        )

    @classmethod
    def proposal(cls, dataset: Dataset) -> Mapping[str, Any]:
        """Every inexpensive evaluator that the data allows."""
        return {"evaluators": usable_evaluators(dataset)}


def _tables(task: Task, evaluators: tuple[str, ...]) -> dict[str, ScoreTable]:
    """One table per kind of unit (`outputs`, `sets` ...), with the evaluators that score it."""
    names: dict[str, list[str]] = {}
    for evaluator in evaluators:
        names.setdefault(task.unit([evaluator]), []).append(evaluator)
    return {f"{unit}s": task.score(chosen, unit) for unit, chosen in names.items()}


def _cautions(tables: Mapping[str, ScoreTable]) -> str:
    """Caveats of comparing systems by these scores."""
    return " ".join(f"{note}." for table in tables.values() for note in dict.fromkeys(table.notes))


def _with_intervals(numbers: tuple[Number, ...]) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (a["evaluator"], a["system"], n.cell, a["unit"], n.n, n.n_missing) for n in numbers for a in (n.about,)
    ]
    header = ("evaluator", "system", "score", "unit", "n", "missing")
    return Table("scores_with_intervals", "The same with intervals", header, tuple(rows))


# Explained units shown: this many of the lowest scores, of the highest, and of the gaps.
N_EXPLAINED = 3
# Longest explanation shown, in characters.
N_SHOWN = 300


def _explained(tables: Mapping[str, ScoreTable]) -> Iterator[Table]:
    """Explained units: the lowest and highest scores, and some gaps."""
    rows: list[tuple[Cell, ...]] = []
    for table in tables.values():
        for name, column in table.columns.items():
            rows += [
                (name, table.unit[row], table.system[row], float(column.values[row]), _shown(column, row))
                for row in _extremes(column)
            ]
    if rows:
        header = ("evaluator", "unit", "system", "score", "text")
        yield Table("explained", "Scores with their explanations", header, tuple(rows), "All are in scores/.")


def _extremes(column: Column) -> list[int]:
    if column.texts is None:
        return []
    explained = np.flatnonzero(column.texts.lengths > 0)
    order = explained[np.argsort(column.values[explained], kind="stable")]
    gaps = order[np.isnan(column.values[order])][:N_EXPLAINED]
    scored = order[~np.isnan(column.values[order])]
    ends = scored if len(scored) <= 2 * N_EXPLAINED else np.concatenate([scored[:N_EXPLAINED], scored[-N_EXPLAINED:]])
    return [*ends.tolist(), *gaps.tolist()]


def _shown(column: Column, row: int) -> str:
    assert column.texts is not None
    text = column.texts[row]
    text = text if len(text) <= N_SHOWN else f"{text[:N_SHOWN]} ..."
    return visible_line(f"({column.gaps[row]}) {text}" if column.gaps[row] else text)
