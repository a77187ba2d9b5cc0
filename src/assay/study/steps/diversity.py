"""The step `[diversity]`: how much each system's outputs for one item differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from assay.analyses.sources import people_of
from assay.analyses.system_scores import best_first, ranking_picture, system_scores
from assay.analyses.words import ALPHA, counted, listed
from assay.metaeval.sets.against_people import AgainstPeople, against_people
from assay.part import Bounded, Number, Part, Table
from assay.records import Dataset
from assay.records.equal_sets import EqualSets, equal_sets
from assay.registry import parse
from assay.study.keys import EvaluatorCall
from assay.study.proposals import diversity_metrics
from assay.study.step import Step
from assay.study.task import Task


@dataclass(frozen=True)
class Diversity(Step):
    """Systems ranked by diversity metrics over sets of outputs."""

    name: ClassVar[str] = "diversity"
    about: ClassVar[str] = "How much each system's outputs for one item differ, by several metrics."

    evaluators: tuple[EvaluatorCall, ...]

    def run(self, task: Task) -> Part:
        """Rank the systems by each metric, and compare each with human texts."""
        drawn = equal_sets(task.dataset, np.random.default_rng(task.seed))
        equal = task if drawn is None or not drawn.drawn else replace(task, dataset=drawn.dataset, _scored={})
        by_task = [
            (task, [name for name in self.evaluators if not _reads_texts(name)]),
            (equal, [name for name in self.evaluators if _reads_texts(name)]),
        ]
        scored = {name: part for own, names in by_task for name, part in system_scores(own, names).items()}
        by_metric = {name: scored[name] for name in self.evaluators}
        people = people_of(task)
        held = {name: _against(own, name, people) for own, names in by_task for name in names}
        cited = [(part[0].signature, parse(name).about.cite) for name, part in by_metric.items()]
        return Part(
            title="Diversity",
            summary=(
                f"{len(by_metric)} metrics over {len(task.dataset.sets)} sets of outputs, the most diverse system"
                f" first. {_sizes(drawn)}"
                "A metric of form (words, n-grams) can rise with noise: [contest] and [dectest] say what it follows."
            ),
            answers={"wrong": less_diverse(held)},
            numbers=tuple(number for part in by_metric.values() for number in part),
            tables=(_table(by_metric), *_differences(held)),
            pictures=tuple(ranking_picture(name, part) for name, part in by_metric.items()),
            methods=tuple(line for pair in cited for line in pair if line),
        )

    @classmethod
    def proposal(cls, dataset: Dataset) -> Mapping[str, Any] | None:
        """Needs sets of several outputs."""
        metrics = diversity_metrics(dataset)
        return {"evaluators": metrics} if metrics else None


def less_diverse(held: Mapping[str, Sequence[AgainstPeople]]) -> list[str]:
    """Name the systems that every metric finds clearly less diverse than people."""
    less = [{one.system for one in some if one.is_less(ALPHA)} for some in held.values()]
    shared = sorted(set.intersection(*less)) if less else []
    return [f"{listed(shared)}: less diverse than people by every metric."] if shared else []


def _reads_texts(name: str) -> bool:
    """Whether a metric can score a subset; judgments and columns refer to whole sets."""
    return {"columns", "judgments"}.isdisjoint(parse(name).about.needs)


def _against(task: Task, name: str, people: set[str]) -> list[AgainstPeople]:
    """Compare the systems with human texts by one metric, if it scores sets and there are human texts."""
    if not people or task.unit([name]) != "set":
        return []
    return against_people(task.score([name], "set"), name, people)


def _sizes(drawn: EqualSets | None) -> str:
    if drawn is None or not drawn.drawn:
        return ""
    left_out = f"; {counted(drawn.n_left_out, 'smaller set')} left out" if drawn.n_left_out else ""
    return f"Sets differ in size: metrics of texts see {drawn.size} texts drawn from each{left_out}. "


def _table(by_metric: Mapping[str, Sequence[Number]]) -> Table:
    rows = tuple(
        (name, number.about["rank"], number.about["system"], number.cell, number.n)
        for name, part in by_metric.items()
        for number in best_first(part)
    )
    header = ("metric", "rank", "system", "score", "sets")
    return Table("diversity", "Systems by diversity", header, rows, "Rank 1 is the most diverse.")


def _differences(held: Mapping[str, Sequence[AgainstPeople]]) -> list[Table]:
    rows = tuple(
        (name, one.system, Bounded(one.difference, one.low, one.high), one.p_value, one.p_holm, one.n)
        for name, some in held.items()
        for one in some
    )
    if not rows:
        return []
    header = ("metric", "system", "less or more than people", "p", "p (Holm)", "items")
    note = "Below 0 is less diverse than people, whichever way a metric points; over the items that both were given."
    return [Table("diversity-people", "Systems against people", header, rows, note)]
