"""The step `[diversity]`: how far each system's answers to one item differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from assay.records import Dataset
from assay.registry import parse
from assay.report.pieces import Cell, Number, Part, Table
from assay.study.keys import EvaluatorCall
from assay.study.proposals import diversity_metrics, people_of
from assay.study.step import Step
from assay.study.system_scores import best_first, ranking_picture, system_scores
from assay.study.task import Task
from assay.study.words import listed


@dataclass(frozen=True)
class Diversity(Step):
    """Systems by metrics of diversity over sets of outputs."""

    name: ClassVar[str] = "diversity"
    about: ClassVar[str] = "How far each system's outputs for one item differ, by several metrics."

    evaluators: tuple[EvaluatorCall, ...]

    def run(self, task: Task) -> Part:
        """Rank the systems by each metric."""
        found = system_scores(task, self.evaluators)
        cited = [(part[0].signature, parse(name).about.cite) for name, part in found.items()]
        return Part(
            title="Diversity",
            summary=(
                f"{len(found)} metrics over {len(task.dataset.sets)} sets of outputs, the most diverse system first. "
                "A metric of form (words, n-grams) can rise with noise: [contest] and [dectest] say what it follows."
            ),
            answers={"wrong": _said(found, people_of(task.dataset))},
            numbers=tuple(number for part in found.values() for number in part),
            tables=(_table(found),),
            pictures=tuple(ranking_picture(name, part) for name, part in found.items()),
            methods=tuple(line for pair in cited for line in pair if line),
        )

    @classmethod
    def proposal(cls, dataset: Dataset) -> Mapping[str, Any] | None:
        """Sets of several outputs are needed."""
        metrics = diversity_metrics(dataset)
        return {"evaluators": metrics} if metrics else None


def _table(found: Mapping[str, Sequence[Number]]) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (name, number.about["rank"], number.about["system"], number.value, number.low, number.high, number.n)
        for name, part in found.items()
        for number in best_first(part)
    ]
    header = ("metric", "rank", "system", "score", "low", "high", "sets")
    return Table("diversity", "Systems by diversity", header, tuple(rows), "Rank 1 is the most diverse.")


def _said(found: Mapping[str, Sequence[Number]], people: set[str]) -> list[str]:
    """Name the systems that every metric puts clearly below people, whose interval theirs does not touch."""
    low: list[set[str]] = []
    for part in found.values():
        ranks = {number.about["system"]: number for number in part if number.about["rank"] is not None}
        references = [ranks[name] for name in people if name in ranks]
        low.append(
            {
                system
                for system, number in ranks.items()
                if references and all(_below(number, reference) for reference in references)
            }
        )
    shared = sorted(set.intersection(*low)) if low else []
    return [f"{listed(shared)}: less diverse than people by every metric."] if shared else []


def _below(number: Number, reference: Number) -> bool:
    apart = number.high < reference.low or number.low > reference.high
    return apart and number.about["rank"] > reference.about["rank"]
