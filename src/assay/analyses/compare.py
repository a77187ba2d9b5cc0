"""Rank systems and compare them pairwise, with intervals and tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Unpack

from assay.analyses.sources import Data, people_of, share_of, source_of, tables_by_unit
from assay.analyses.system_scores import best_first, ranking_picture, scores_of, system_scores
from assay.analyses.trade_off import Axis, trade_offs
from assay.analyses.words import ALPHA, interval, listed
from assay.metaeval.questions.oriented import orientation
from assay.metaeval.questions.pair_tests import Procedure, Test
from assay.metaeval.questions.question import Method, Resampling
from assay.metaeval.systems.comparison import SystemDifference, compare_systems
from assay.metaeval.systems.ranks import SystemClusters
from assay.part import Bounded, Cell, Number, Part, Table, reasons_once
from assay.run.scoring import ScoringOptions
from assay.scores import ScoreTable


def compare(
    data: Data,
    evaluators: Sequence[str] = (),
    *,
    systems: Sequence[str] = (),
    diversity: str | None = None,
    cost: str | None = None,
    unit: str | None = None,
    resamples: int = 1000,
    interval: Method = "auto",
    confidence: float = 0.95,
    seed: int = 0,
    test: Test = "t",
    correction: str = "holm",
    alpha: float = ALPHA,
    workers: int = 1,
    progress: Callable[[int, int], None] | None = None,
    **scoring: Unpack[ScoringOptions],
) -> Part:
    """Rank systems by each evaluator, and compare every two on the items they share.

    Args:
        data: a data set, or a table of scores.
        evaluators: names or calls; of a table, columns, by default all. The first decides which system is best.
        systems: two or more; by default all.
        diversity: an evaluator to plot the first one against.
        cost: another one, such as a column of prices or seconds; drawn against both.
        unit: of the scores; by default each evaluator's own.
        resamples: of a bootstrap, and at least as many permutations; the t test uses none.
        interval: t, percentile or bca; auto fits the test.
        confidence: of the intervals.
        seed: of everything random.
        test: t, permutation or bootstrap.
        correction: of p for the number of pairs: holm, bh or none.
        alpha: the level that cuts clusters.
        workers: threads; the result does not depend on it.
        progress: called with (pairs done, pairs).
        scoring: how evaluators are scored: `train`, `folds`, `executor`, `cache` and `requests` of `assay.score`.
    """
    source = source_of(data, seed, workers, **scoring)
    people = people_of(source)
    resampling = Resampling(resamples, ("items",), interval, confidence, seed)
    procedure = Procedure(test, (), correction, alpha)
    tables = {name: table for table in tables_by_unit(source, evaluators, unit) for name in table.columns}
    names = tuple(dict.fromkeys(evaluators)) or tuple(tables)
    scores: dict[str, list[Number]] = {}
    differences: list[SystemDifference] = []
    clusters: list[SystemClusters] = []
    for place, name in enumerate(names):
        pairs, (ranking,) = compare_systems(
            tables[name],
            systems,
            [name],
            resampling=resampling,
            procedure=procedure,
            against=_leading(tables[name], name, people),
            workers=workers,
            progress=share_of(progress, place, len(names)),
        )
        scores[name] = scores_of(tables[name], name, ranking.ranks, systems)
        differences += pairs
        clusters.append(ranking)
    first = names[0]
    pictures = [ranking_picture(name, numbers) for name, numbers in scores.items()]
    leader = _Leader.of(first, [n for n in scores[first] if n.about["system"] not in people], differences)
    further: list[Number] = []
    axes = [Axis("quality", first, scores[first])]
    for what, drawn in (("diversity", diversity), ("cost", cost)):
        if drawn:
            measured = system_scores(source, [drawn])[drawn]
            further += [] if drawn in scores else measured
            axes.append(Axis(what, drawn, measured))
    pictures[:0] = trade_offs(axes, people)
    answers = {}
    # A table of scores does not say which systems are people, and the sentences hold for all systems at once.
    if source.dataset is not None and correction == "holm":
        best = _best(leader, scores[first]) if leader else _nobody(first, scores[first], people)
        answers = {"best": [best], "next": _next(leader) if leader else []}
    return Part(
        title="Generators",
        summary=_summary(names, differences[0], clusters[0], differences),
        answers=answers,
        numbers=(
            *(number for own in scores.values() for number in own),
            *further,
            *(difference.number() for difference in differences),
        ),
        tables=_tables(scores, differences, clusters),
        pictures=tuple(pictures),
        methods=tuple(dict.fromkeys(row.signature for row in differences)),
        notes=tuple(dict.fromkeys([*(note for table in tables.values() for note in table.notes),
                                   *_notes(differences, clusters)])),
        seed=seed,
    )  # fmt: skip


def _leading(table: ScoreTable, name: str, people: set[str]) -> list[str]:
    """The generator with the best score, if any; it is compared with every other one."""
    pooled = table.by_system()
    sign = orientation(pooled[name])
    scored = {
        system: sign * value
        for system, value in zip(pooled.unit, pooled[name].values.tolist(), strict=True)
        if system not in people and not isnan(value)
    }
    return [max(scored, key=scored.__getitem__)] if scored else []


@dataclass(frozen=True)
class _Leader:
    """The generator with the best score, and the tests of it against the others."""

    number: Number
    open: list[str]
    """Generators indistinguishable from it."""
    untested: dict[str, str]
    """Generators it could not be compared with, and why."""
    contrary: list[str]
    """Generators that are better on the items they share with it."""
    others: int

    @classmethod
    def of(
        cls, evaluator: str, generators: Sequence[Number], differences: Sequence[SystemDifference]
    ) -> _Leader | None:
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
    # The best of several scores is biased upward, so its interval is not shown.
    leads = f"By {evaluator}, {system} leads with {number.value:.3f}"
    if leader.contrary:
        return f"{leads} over all items, but on the items they share {listed(leader.contrary)} is better."
    if leader.untested:
        why = next(iter(leader.untested.values()))
        return f"{leads}; it could not be tested against {listed(list(leader.untested))} ({why})."
    if leader.open:
        return f"{leads}, but cannot be told apart from {listed(leader.open)}."
    return f"{leads}, significantly above every other generator."


def _nobody(evaluator: str, numbers: Sequence[Number], people: set[str]) -> str:
    if all(number.about["system"] in people for number in numbers):
        return "All systems are people: there is no generator to rank."
    return f"No generator has a score by {evaluator}."


def _next(leader: _Leader) -> list[str]:
    if not leader.open:
        return []
    names = listed([leader.number.about["system"], *leader.open])
    return [f"More items for {names}: they cannot be told apart yet."]


def _summary(
    names: Sequence[str], first: SystemDifference, ranking: SystemClusters, differences: Sequence[SystemDifference]
) -> str:
    kinds = {difference.paired for difference in differences}
    design = "paired where they share most items"
    if len(kinds) == 1:
        design = "paired over shared items" if kinds == {True} else "as independent samples of items"
    corrected = {"holm": "Holm's correction", "bh": "Benjamini and Hochberg's correction"}
    return (
        f"Systems by {listed(names)}, with {first.confidence:.0%} intervals over items. Systems in one cluster cannot "
        f"be told apart ({design}, {first.test} tests, {corrected.get(ranking.correction, 'no correction')}, alpha "
        f"{f'{ranking.alpha:g}'.removeprefix('0')}). The intervals of ranks hold for all systems at once."
    )


def _tables(
    scores: dict[str, list[Number]], differences: Sequence[SystemDifference], clusters: Sequence[SystemClusters]
) -> tuple[Table, ...]:
    cluster_of = {
        (ranking.evaluator, system): place
        for ranking in clusters
        for place, cluster in enumerate(ranking.clusters, 1)
        for system in cluster
    }
    ranked: list[tuple[Cell, ...]] = [
        (name, n.about["rank"], _ranks(n), system, n.cell, cluster_of.get((name, system)), n.n)
        for name, numbers in scores.items()
        for n in best_first(numbers)
        for system in (n.about["system"],)
    ]
    pairs: list[tuple[Cell, ...]] = [
        (
            *(d.evaluator, d.left, d.right, Bounded(d.difference, d.low, d.high), d.p_value, d.p_adjusted, d.n),
            *(d.win, d.tie, d.loss, d.superiority, d.effect_size),
        )
        for d in differences
    ]
    compared = ("evaluator", "left", "right", "difference", "p", f"p ({differences[0].correction})", "items")
    return (
        Table(
            "ranking",
            "Systems ranked",
            ("evaluator", "rank", "ranks", "system", "score", "cluster", "n"),
            tuple(ranked),
        ),
        Table(
            "differences",
            "Differences, left minus right",
            (*compared, "win", "tie", "loss", "superiority", "effect size"),
            tuple(pairs),
        ),
    )


def _ranks(number: Number) -> str:
    """The interval of a rank, `1-3`."""
    ends = number.about["rank_interval"]
    return "-".join(f"{end:.0f}" for end in ends) if ends else ""


def _notes(differences: Sequence[SystemDifference], clusters: Sequence[SystemClusters]) -> Iterator[str]:
    """What is missing, and why."""
    for ranking in clusters:
        shown = sum(difference.evaluator == ranking.evaluator for difference in differences)
        if shown < ranking.n_pairs:
            yield (
                f"{ranking.evaluator}: {shown:,} of {ranking.n_pairs:,} pairs of systems are shown, those with the "
                f"best one and with the next in rank; {ranking.n_tested:,} were tested, and p is adjusted for all"
            )
    for ranking in clusters:
        own = [d for d in differences if d.evaluator == ranking.evaluator]
        yield from reasons_once((f"{d.left} and {d.right} by {d.evaluator}", d.reason) for d in own)
