"""The step `[generators]`: which generator is best, and how sure that is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any, ClassVar

import numpy as np

from assay.analyses.trade_off import trade_off_picture
from assay.analyses.words import ALPHA, interval, listed
from assay.metaeval.systems.comparison import Difference, compare_systems
from assay.metaeval.systems.ranks import SystemClusters
from assay.part import Cell, Number, Part, Table
from assay.records import Dataset
from assay.study.keys import EvaluatorCall
from assay.study.proposals import diversity_metrics, people_of, quality_evaluators
from assay.study.step import Step
from assay.study.system_scores import best_first, ranking_picture, system_scores
from assay.study.task import Task


@dataclass(frozen=True)
class Generators(Step):
    """Systems ranked by each evaluator with intervals, paired tests of every two, and quality against diversity."""

    name: ClassVar[str] = "generators"
    about: ClassVar[str] = (
        "Which generator is best, and how sure is that: rankings and paired tests over shared items. The first "
        "evaluator decides; diversity is what it is drawn against."
    )

    evaluators: tuple[EvaluatorCall, ...]
    diversity: EvaluatorCall | None = None

    def run(self, task: Task) -> Part:
        """Rank and compare the systems by each evaluator; the first decides."""
        people = people_of(task.dataset)
        asked = dict.fromkeys((*self.evaluators, *([self.diversity] if self.diversity else [])))
        scores = system_scores(task, list(asked))
        differences: list[Difference] = []
        clusters: list[SystemClusters] = []
        for part, name in enumerate(self.evaluators):
            found, grouped = compare_systems(
                task.score([name]),
                resampling=task.resampling("items"),
                against=_leading(scores[name], people),
                progress=task.progress_of_part(part, len(self.evaluators)),
            )
            differences += found
            clusters += grouped
        ranked = {name: scores[name] for name in self.evaluators}
        pictures = [ranking_picture(name, numbers) for name, numbers in ranked.items()]
        first = self.evaluators[0]
        if self.diversity:
            pictures.insert(0, trade_off_picture(first, scores[first], self.diversity, scores[self.diversity], people))
        leader = _Leader.of(first, [n for n in ranked[first] if n.about["system"] not in people], differences)
        return Part(
            title="Generators",
            summary=(
                f"Systems by {listed(self.evaluators)}, with 95% intervals over items. Systems in one cluster cannot "
                f"be told apart ({_design(differences)}, t tests, Holm's correction, alpha .05). The intervals of "
                "ranks hold for all systems at once."
            ),
            answers={
                "best": [_best(leader, ranked[first]) if leader else _nobody(first, ranked[first], people)],
                "next": _next(leader) if leader else [],
            },
            numbers=(
                *(number for part in scores.values() for number in part),
                *map(_number, differences),
            ),
            tables=_tables(ranked, differences, clusters),
            pictures=tuple(pictures),
            methods=tuple(dict.fromkeys(row.signature for row in differences)),
        )

    @classmethod
    def proposal(cls, dataset: Dataset) -> Mapping[str, Any] | None:
        """People decide where they judged; else what the data allows."""
        chosen = quality_evaluators(dataset)[:2]
        if not chosen or len(np.unique(dataset.outputs.system)) < 2:
            return None
        metrics = diversity_metrics(dataset)
        return {"evaluators": chosen, "diversity": metrics[0]} if metrics else {"evaluators": chosen}


def _leading(numbers: Sequence[Number], people: set[str]) -> list[str]:
    """The generator with the best score, if any has one."""
    generators = [number for number in best_first(numbers) if number.about["system"] not in people]
    return [number.about["system"] for number in generators[:1] if not isnan(number.value)]


@dataclass(frozen=True)
class _Leader:
    """The generator with the best score, and what its own tests say of the others."""

    number: Number
    open: list[str]
    """Generators that it cannot be told apart from."""
    untested: dict[str, str]
    """Generators that it could not be compared with, and why."""
    contrary: list[str]
    """Generators that are better where they are compared, on the items they share."""
    others: int

    @classmethod
    def of(cls, evaluator: str, generators: Sequence[Number], differences: Sequence[Difference]) -> _Leader | None:
        scored = [number for number in best_first(generators) if not isnan(number.value)]
        if not scored:
            return None
        name = scored[0].about["system"]
        known = {number.about["system"] for number in scored[1:]}
        open_, untested, contrary = [], {}, []
        for d in differences:
            other = d.right if d.left == name else d.left
            if d.evaluator != evaluator or name not in (d.left, d.right) or other not in known:
                continue
            if isnan(d.p_adjusted):
                untested[other] = d.reason
            elif d.p_adjusted >= ALPHA:
                open_.append(other)
            elif d.better == other:
                contrary.append(other)
        return cls(scored[0], open_, untested, contrary, len(known))


def _best(leader: _Leader, numbers: Sequence[Number]) -> str:
    number = leader.number
    system, evaluator = number.about["system"], number.about["evaluator"]
    if not leader.others:
        score = f"{number.value:.3f} ({interval(number.low, number.high, 3)})"
        beside = [f"{n.about['system']} {n.value:.3f}" for n in numbers if n is not number and not isnan(n.value)]
        return (
            f"{system} is the only generator: {score} by {evaluator}{', beside ' + listed(beside) if beside else ''}."
        )
    # The score of the best of several is too high on average, so it stands here without its interval.
    said = f"By {evaluator}, {system} leads with {number.value:.3f}"
    if leader.contrary:
        return f"{said} over all items, but on the items they share {listed(leader.contrary)} is better."
    if leader.untested:
        why = next(iter(leader.untested.values()))
        return f"{said}; it could not be tested against {listed(list(leader.untested))} ({why})."
    if leader.open:
        return f"{said}, but cannot be told apart from {listed(leader.open)}."
    return f"{said}, significantly above every other generator."


def _nobody(evaluator: str, numbers: Sequence[Number], people: set[str]) -> str:
    if all(number.about["system"] in people for number in numbers):
        return "All systems are people: there is no generator to rank."
    return f"No generator has a score by {evaluator}."


def _next(leader: _Leader) -> list[str]:
    if not leader.open:
        return []
    names = listed([leader.number.about["system"], *leader.open])
    return [f"More items for {names}: they cannot be told apart yet."]


def _design(differences: Sequence[Difference]) -> str:
    kinds = {difference.paired for difference in differences}
    if kinds == {True}:
        return "paired over shared items"
    return "as independent samples of items" if kinds == {False} else "paired where they share most items"


def _number(difference: Difference) -> Number:
    about = ("left", "right", "evaluator", "left_value", "right_value", "p_value", "p_adjusted", "better")
    further = ("standard_error", "paired", "win", "tie", "loss", "superiority", "effect_size")
    how = ("test", "permutations", "correction", "n_pairs", "resamples")
    return Number(
        "difference",
        difference.difference,
        difference.n,
        difference.signature,
        difference.n_missing,
        difference.low,
        difference.high,
        difference.reason,
        {"interval_method": difference.interval} | {key: getattr(difference, key) for key in (*about, *further, *how)},
    )


def _tables(
    ranked: Mapping[str, Sequence[Number]], differences: Sequence[Difference], clusters: Sequence[SystemClusters]
) -> tuple[Table, ...]:
    cluster_of = {
        (found.evaluator, system): place
        for found in clusters
        for place, cluster in enumerate(found.clusters, 1)
        for system in cluster
    }
    ranking: list[tuple[Cell, ...]] = [
        (name, n.about["rank"], _ranks(n), system, n.value, n.low, n.high, cluster_of.get((name, system)), n.n)
        for name, numbers in ranked.items()
        for n in best_first(numbers)
        for system in (n.about["system"],)
    ]
    pairs: list[tuple[Cell, ...]] = [
        (d.evaluator, d.left, d.right, d.difference, d.low, d.high, d.p_adjusted, d.win, d.tie, d.loss, d.n)
        for d in differences
    ]
    return (
        Table(
            "ranking",
            "Systems ranked",
            ("evaluator", "rank", "ranks", "system", "score", "low", "high", "cluster", "n"),
            tuple(ranking),
        ),
        Table(
            "differences",
            "Differences, left minus right",
            ("evaluator", "left", "right", "difference", "low", "high", "p (Holm)", "win", "tie", "loss", "items"),
            tuple(pairs),
        ),
    )


def _ranks(number: Number) -> str:
    """The interval of a rank, `1-3`."""
    ends = number.about["rank_interval"]
    return "-".join(f"{end:.0f}" for end in ends) if ends else ""
