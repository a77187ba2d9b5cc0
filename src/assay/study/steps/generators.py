"""The step `[generators]`: which generator is best, and how sure that is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from assay.meta.question import Resampling
from assay.meta.systems import Difference, SystemClusters, compare_systems
from assay.records import Dataset
from assay.report.pieces import Cell, Number, Part, Table
from assay.report.trade_off import trade_off_picture
from assay.study.keys import EvaluatorCall
from assay.study.proposals import diversity_metrics, quality_evaluators
from assay.study.step import Step
from assay.study.system_scores import best_first, ranking_picture, system_scores
from assay.study.task import Task
from assay.study.words import listed

# The smallest p a permutation test can give is 1 / (swaps + 1); Holm multiplies it by the number of tests. With fewer
# swaps than this for each test no difference could ever be significant.
SWAPS_PER_TEST = 100


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
        systems = task.dataset.systems
        people = {systems.id[row] for row in np.flatnonzero(systems.human).tolist()}
        swaps = max(task.resamples, SWAPS_PER_TEST * len(systems) * (len(systems) - 1) // 2)
        asked = dict.fromkeys((*self.evaluators, *([self.diversity] if self.diversity else [])))
        scores = system_scores(task, list(asked))
        differences: list[Difference] = []
        clusters: list[SystemClusters] = []
        for name in self.evaluators:
            found, grouped = compare_systems(
                task.score([name]), resampling=Resampling(swaps, ("items",), seed=task.seed)
            )
            differences += found
            clusters += grouped
        ranked = {name: scores[name] for name in self.evaluators}
        pictures = [ranking_picture(name, numbers) for name, numbers in ranked.items()]
        if self.diversity:
            first = self.evaluators[0]
            pictures.insert(0, trade_off_picture(first, scores[first], self.diversity, scores[self.diversity], people))
        return Part(
            title="Generators",
            summary=(
                f"Systems by {listed(self.evaluators)}, drawing items anew {task.resamples} times. Systems in one "
                f"cluster cannot be told apart ({_design(differences)}, {swaps} permutations, Holm's correction, "
                "alpha .05)."
            ),
            answers={"best": [_best(clusters[0], ranked, people)], "next": _next(clusters[0], people)},
            numbers=(*(number for part in scores.values() for number in part), *map(_number, differences)),
            tables=_tables(ranked, differences, clusters),
            pictures=tuple(pictures),
            methods=tuple(dict.fromkeys(row.signature for row in differences)),
        )

    @classmethod
    def proposal(cls, dataset: Dataset) -> Mapping[str, Any] | None:
        """People decide where they judged; else what the data allows."""
        chosen = quality_evaluators(dataset)[:2]
        if not chosen or len(dataset.systems) < 2:
            return None
        metrics = diversity_metrics(dataset)
        return {"evaluators": chosen, "diversity": metrics[0]} if metrics else {"evaluators": chosen}


def _number(difference: Difference) -> Number:
    about = ("left", "right", "evaluator", "left_value", "right_value", "p_value", "p_adjusted", "better")
    further = ("paired", "win", "tie", "loss", "superiority", "effect_size", "test", "correction", "resamples")
    return Number(
        "difference",
        difference.difference,
        difference.n,
        difference.signature,
        difference.n_missing,
        difference.low,
        difference.high,
        difference.reason,
        {key: getattr(difference, key) for key in (*about, *further)},
    )


def _best(clusters: SystemClusters, ranked: Mapping[str, Sequence[Number]], people: set[str]) -> str:
    score = {number.about["system"]: number for number in ranked[clusters.evaluator]}
    for cluster in clusters.clusters:
        machines = [system for system in cluster if system not in people]
        if machines:
            leader = score[machines[0]]
            interval = f"{leader.low:.3f} to {leader.high:.3f}"
            said = f"By {clusters.evaluator}, {machines[0]} leads with {leader.value:.3f} ({interval})"
            if len(machines) > 1:
                return f"{said}, but cannot be told apart from {listed(machines[1:])}."
            others = len([system for system in score if system not in people]) - 1
            return f"{said}, and differs significantly from every other generator." if others else _alone(leader, score)
    return f"No generator has a score by {clusters.evaluator}."


def _alone(generator: Number, score: Mapping[str, Number]) -> str:
    """What is said of the only generator: it is beside people, or beside nothing."""
    own = f"{generator.value:.3f} ({generator.low:.3f} to {generator.high:.3f})"
    others = [f"{name} {number.value:.3f}" for name, number in score.items() if number is not generator]
    beside = f", beside {listed(others)}" if others else ""
    return f"{generator.about['system']} is the only generator: {own} by {generator.about['evaluator']}{beside}."


def _design(differences: Sequence[Difference]) -> str:
    kinds = {difference.paired for difference in differences}
    if kinds == {True}:
        return "paired over shared items"
    return "as independent samples: they share no items" if kinds == {False} else "paired where they share items"


def _next(clusters: SystemClusters, people: set[str]) -> list[str]:
    first = next((c for c in clusters.clusters if any(system not in people for system in c)), ())
    tied = [system for system in first if system not in people]
    return [f"More items for {listed(tied)}: they cannot be told apart yet."] if len(tied) > 1 else []


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
        (name, n.about["rank"], system, n.value, n.low, n.high, cluster_of.get((name, system)), n.n)
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
            ("evaluator", "rank", "system", "score", "low", "high", "cluster", "n"),
            tuple(ranking),
        ),
        Table(
            "differences",
            "Differences, left minus right",
            ("evaluator", "left", "right", "difference", "low", "high", "p (Holm)", "win", "tie", "loss", "items"),
            tuple(pairs),
        ),
    )
