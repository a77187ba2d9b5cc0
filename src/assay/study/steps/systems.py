"""The step `[systems]`: which generator is best, and how sure that is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from assay.records import Dataset
from assay.report.pieces import Cell, Part, Picture, Table
from assay.study.proposals import human_evaluators, usable_evaluators
from assay.study.step import Step

if TYPE_CHECKING:
    from assay.meta.ranking import Ranked
    from assay.meta.systems import Difference, SystemClusters

# The smallest p a permutation test can give is 1 / (swaps + 1); Holm multiplies it by the number of tests. With fewer
# swaps than this for each test no difference could ever be significant.
SWAPS_PER_TEST = 100


@dataclass(frozen=True)
class Systems(Step):
    """Systems ranked by each evaluator with intervals, and paired tests of every two."""

    name: ClassVar[str] = "systems"
    about: ClassVar[str] = "Which generator is best, and how sure is that: rankings and paired tests over shared items."

    evaluators: tuple[str, ...]

    def run(self, dataset: Dataset, seed: int, resamples: int) -> Part:
        """Rank and compare the systems by each evaluator; the first decides."""
        from assay.meta.question import Resampling
        from assay.meta.ranking import rank_systems
        from assay.meta.systems import compare_systems
        from assay.run import score

        n = len(dataset.systems)
        swaps = max(resamples, SWAPS_PER_TEST * n * (n - 1) // 2)
        resampling = Resampling(resamples, ("items",), seed=seed)
        testing = Resampling(swaps, ("items",), seed=seed)
        people = {dataset.systems.id[row] for row in np.flatnonzero(dataset.systems.human).tolist()}
        ranked: list[Ranked] = []
        differences: list[Difference] = []
        clusters: list[SystemClusters] = []
        for name in self.evaluators:
            table = score(dataset, [name], seed=seed)
            ranked += rank_systems(table, [name], resampling)
            found, grouped = compare_systems(table, resampling=testing)
            differences += found
            clusters += grouped
        return Part(
            title="Generators",
            summary=(
                f"Systems by {', '.join(self.evaluators)}, resampling items {resamples} times. Systems in one cluster "
                f"cannot be told apart (permutation over shared items, {swaps} swaps, Holm's correction, alpha .05)."
            ),
            answers={"best": [_best(clusters[0], ranked, people)], "next": _next(clusters[0], people)},
            numbers=tuple([*map(asdict, ranked), *map(asdict, differences)]),
            tables=_tables(ranked, differences, clusters),
            pictures=tuple(_picture(name, ranked) for name in self.evaluators),
            methods=tuple(dict.fromkeys(row.signature for row in differences)),
        )

    @classmethod
    def proposal(cls, dataset: Dataset) -> Mapping[str, Any] | None:
        """People decide where they judged; else what the data allows."""
        chosen = human_evaluators(dataset)[:2] or [e for e in usable_evaluators(dataset) if e != "length"][:2]
        return {"evaluators": chosen} if chosen and len(dataset.systems) > 1 else None


def _best(clusters: SystemClusters, ranked: Sequence[Ranked], people: set[str]) -> str:
    score = {row.system: row for row in ranked if row.evaluator == clusters.evaluator}
    for cluster in clusters.clusters:
        machines = [system for system in cluster if system not in people]
        if machines:
            leader = score[machines[0]]
            interval = f"{leader.low:.3f} to {leader.high:.3f}"
            said = f"By {clusters.evaluator}, {machines[0]} leads with {leader.score:.3f} ({interval})"
            if len(machines) == 1:
                return f"{said}, and differs significantly from every other generator."
            return f"{said}, but cannot be told apart from {', '.join(machines[1:])}."
    return f"No generator has a score by {clusters.evaluator}."


def _next(clusters: SystemClusters, people: set[str]) -> list[str]:
    first = next((c for c in clusters.clusters if any(system not in people for system in c)), ())
    tied = [system for system in first if system not in people]
    return [f"More items for {', '.join(tied)}: they cannot be told apart yet."] if len(tied) > 1 else []


def _tables(
    ranked: Sequence[Ranked], differences: Sequence[Difference], clusters: Sequence[SystemClusters]
) -> tuple[Table, ...]:
    cluster_of = {
        (found.evaluator, system): place
        for found in clusters
        for place, cluster in enumerate(found.clusters, 1)
        for system in cluster
    }
    ranking: list[tuple[Cell, ...]] = [
        (r.evaluator, r.rank, r.system, r.score, r.low, r.high, cluster_of.get((r.evaluator, r.system)), r.n)
        for r in ranked
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
            "Paired differences, left minus right",
            ("evaluator", "left", "right", "difference", "low", "high", "p (Holm)", "win", "tie", "loss", "items"),
            tuple(pairs),
        ),
    )


def _picture(name: str, ranked: Sequence[Ranked]) -> Picture:
    from assay.report.plot import Figure

    rows = [row for row in ranked if row.evaluator == name]
    figure = Figure(f"Systems by {name}", name, y_categories=[row.system for row in rows], id=_slug(name))
    figure.intervals(
        [row.score for row in rows],
        [row.low for row in rows],
        [row.high for row in rows],
        tooltips=[f"{row.system}: {row.score:.4f}" for row in rows],
    )
    return Picture(f"ranking-{_slug(name)}", figure.svg(), f"Scores by {name} with 95% intervals over items.")


def _slug(name: str) -> str:
    return "".join(character if character.isalnum() else "-" for character in name).strip("-").lower()
