"""Which evaluators can be trusted: each against a target, and against the others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import isnan
from typing import Literal, Unpack

import numpy as np

from assay.analyses.meta_words import Evidence, advice, gather, trust
from assay.analyses.names import plain_name
from assay.analyses.sources import Data, share_of, source_of
from assay.analyses.system_scores import scores_of
from assay.analyses.words import counted, criteria_of, listed, why_no_interval, wording
from assay.metaeval.questions.contrast import Contrast
from assay.metaeval.questions.correlation import Correlation
from assay.metaeval.questions.matrix import Matrix
from assay.metaeval.questions.pair_tests import PERM_BOTH, Procedure, Test
from assay.metaeval.questions.question import Method, Question, Resampling, signature
from assay.metaeval.questions.sample import Sample
from assay.metaeval.questions.statistics import DEFAULT
from assay.metaeval.questions.study import plan
from assay.metaeval.systems.ranks import SystemRank
from assay.part import Bounded, Cell, Number, Part, Picture, Table, reasons_once
from assay.plot import Figure
from assay.records import Dataset
from assay.registry import parse
from assay.run.scoring import ScoringOptions
from assay.scores import ScoreTable


def meta(
    data: Data,
    evaluators: Sequence[str] = (),
    *,
    target: str | Sequence[str],
    unit: str | None = None,
    levels: Sequence[str] = (),
    statistics: Sequence[str] = DEFAULT,
    groupings: Sequence[str] = ("pooled",),
    resamples: int = 1000,
    factors: Sequence[str] = (),
    interval: Method = "auto",
    confidence: float = 0.95,
    seed: int = 0,
    test: Test | Literal["none"] = "auto",
    swapped: Sequence[str] = (),
    correction: str = "holm",
    alpha: float = 0.05,
    ranking: bool = False,
    workers: int = 1,
    progress: Callable[[int, int], None] | None = None,
    **scoring: Unpack[ScoringOptions],
) -> Part:
    """Compare evaluators with a target: correlations with intervals, pairwise tests, and clusters.

    Args:
        data: a data set, or a table of scores.
        evaluators: names or calls; of a table, columns, by default all.
        target: what they are compared with, usually human ratings; several are taken in turn.
        unit: of the scores; by default what the levels need.
        levels: output, pair, set or system; by default the unit, and system.
        statistics: by default pearson, spearman and kendall.
        groupings: pooled, item or system.
        resamples: of a bootstrap, and at least as many permutations; 0 for no intervals.
        factors: what is resampled: units, items, systems, annotators.
        interval: t (a jackknife), percentile or bca.
        confidence: of the intervals.
        seed: of everything random.
        test: t, permutation, bootstrap, williams, steiger, auto for what belongs to the interval, or none.
        swapped: what a permutation swaps: systems, items, annotators, or both (PERM-BOTH).
        correction: of p for the number of pairs: holm, bh or none.
        alpha: the level that cuts clusters.
        ranking: whether to rank the systems too, and leave each out in turn.
        workers: threads; the result does not depend on it.
        progress: called with (settings done, settings).
        scoring: how evaluators are scored: `train`, `folds`, `executor`, `cache` and `requests` of `assay.score`.
    """
    source = source_of(data, seed, workers, **scoring)
    resampling = Resampling(resamples, tuple(factors), interval, confidence, seed)
    procedure = None
    if test != "none":
        procedure = Procedure(test, PERM_BOTH if "both" in swapped else tuple(swapped), correction, alpha)
    targets = (target,) if isinstance(target, str) else tuple(target)
    questions = []
    for own in targets:
        candidates = tuple(name for name in evaluators if name != own)
        question = Question(own, candidates, tuple(statistics), tuple(levels), tuple(groupings), resampling)
        questions += plan(question, unit)
    evidence = []
    for place, (kind, question) in enumerate(questions):
        wanted = (*question.candidates, question.target) if evaluators or source.dataset is not None else ()
        evidence.append(
            gather(
                source.score(wanted, kind),
                question,
                procedure,
                dataset=source.dataset,
                ranking=ranking,
                workers=workers,
                progress=share_of(progress, place, len(questions)),
            )
        )
    names = tuple(dict.fromkeys(column.name for part in evidence for column in part.study.candidates))
    return Part(
        title="Evaluators",
        summary=(
            f"{counted(len(names), 'evaluator')} against {listed(targets)}. Agreement between "
            "systems says whether an evaluator orders generators; agreement within systems whether it orders texts "
            f"of one generator. They are different questions.{_wording(source.dataset, targets)}"
        ),
        answers={
            "trust": [line for part in evidence for line in trust(part)],
            "next": [line for part in evidence for line in advice(part)],
        },
        numbers=tuple(number for part in evidence for number in _numbers(part, resamples)),
        tables=tuple(_tables(evidence)),
        pictures=tuple(picture for part in evidence for picture in _pictures(part)),
        methods=tuple(dict.fromkeys(row.signature for part in evidence for row in part.answers.correlations)),
        notes=tuple(dict.fromkeys(note for part in evidence for note in _notes(part))),
        seed=seed,
    )


def _wording(dataset: Dataset | None, targets: Sequence[str]) -> str:
    return "" if dataset is None else wording(dataset, criteria_of(map(parse, targets)))


def _numbers(part: Evidence, resamples: int) -> Iterator[Number]:
    for row in part.answers.correlations:
        yield _with_reason(row.number(), resamples)
    for pair in part.answers.comparisons:
        yield _with_reason(pair.number(), resamples)
    for matrix in part.answers.matrices:
        yield from matrix_numbers(matrix, part.study.table)
    for name in dict.fromkeys(place.evaluator for place in part.answers.rankings):
        yield from scores_of(part.study.table, name, (p for p in part.answers.rankings if p.evaluator == name))


def _with_reason(number: Number, resamples: int) -> Number:
    return replace(number, reason=number.reason or why_no_interval(number.low, resamples))


def matrix_numbers(matrix: Matrix, table: ScoreTable) -> Iterator[Number]:
    """The number of each pair of evaluators, once."""
    systems = Sample.of(table).system
    for row, one in enumerate(matrix.names):
        for column, other in enumerate(matrix.names[:row]):
            both = ~np.isnan(table[one].values) & ~np.isnan(table[other].values)
            n, total = int(both.sum()), len(table)
            if matrix.level == "system":
                n, total = (len(np.unique(systems[known & (systems >= 0)])) for known in (both, np.ones(total, bool)))
            value = matrix.values[row][column]
            reason = "the matrix has no intervals" if value == value else "too few different values"
            origin = signature(
                "matrix",
                left=table[one],
                right=table[other],
                statistic=matrix.statistic,
                level=matrix.level,
                unit=table.kind,
            )
            about = {"left": one, "right": other, "level": matrix.level}
            yield Number(
                f"{matrix.statistic} of two evaluators", value, n, origin, total - n, reason=reason, about=about
            )


def _notes(part: Evidence) -> Iterator[str]:
    yield from part.answers.warnings
    yield from reasons_once(
        (f"{row.candidate}, {row.statistic}, {row.level} level", row.reason) for row in part.answers.correlations
    )


def _tables(evidence: Sequence[Evidence]) -> Iterator[Table]:
    correlations = [row for part in evidence for row in part.answers.correlations]
    yield _table(
        "correlations",
        "Agreement with the target",
        ("evaluator", *_SETTING, "value", "n", "missing", "coverage"),
        [
            (r.candidate, *_setting(r), Bounded(r.value, r.low, r.high), r.n, r.n_missing, r.coverage)
            for r in correlations
        ],
        "; ".join(dict.fromkeys(map(_origin, correlations))) + f"; seed {correlations[0].seed}.",
    )
    pairs = [pair for part in evidence for pair in part.answers.comparisons]
    if pairs:
        yield _table(
            "comparisons",
            "Do evaluators differ? Left minus right",
            (*_SETTING, "left", "right", "difference", "p", f"p ({pairs[0].correction})", "n", "test"),
            [
                (
                    *_setting(p),
                    *(p.left, p.right, Bounded(p.difference, p.low, p.high), p.p_value, p.p_adjusted, p.n),
                    f"{p.test} of {', '.join(p.swapped)}" if p.swapped else p.test,
                )
                for p in pairs
            ],
        )
    clusters = [
        (part.target, one.level, one.grouping, one.statistic, place, ", ".join(names))
        for part in evidence
        for one in part.answers.clusters
        for place, names in enumerate(one.clusters, 1)
    ]
    if clusters:
        note = f"Evaluators in one cluster cannot be told apart on this data ({_cut(evidence)})."
        header = ("target", "level", "grouping", "statistic", "cluster", "evaluators")
        yield _table("clusters", "Clusters of evaluators, best first", header, clusters, note)
    for part in evidence:
        yield from _matrices(part)
    yield from _of_systems(evidence)


def _of_systems(evidence: Sequence[Evidence]) -> Iterator[Table]:
    sides = [
        (s.candidate, s.target, s.statistic, s.between, s.within, s.pooled, s.n_systems, s.n_units)
        for part in evidence
        for s in part.answers.between_within
    ]
    if sides:
        where = ("between systems", "within systems", "pooled", "systems", "units")
        yield _table(
            "between_within", "Between and within systems", ("evaluator", "target", "statistic", *where), sides
        )
    ranks = [
        (p.evaluator, p.rank, _ranks(p), p.system, Bounded(p.score, p.low, p.high), p.n)
        for part in evidence
        for p in part.answers.rankings
    ]
    if ranks:
        yield _table("system_rankings", "Systems ranked", ("evaluator", "rank", "ranks", "system", "score", "n"), ranks)
    changed: list[tuple[Cell, ...]] = [
        (w.candidate, w.statistic, w.level, w.change, w.value, w.shift, w.n)
        for part in evidence
        for w in part.answers.leave_one_out
    ]
    if changed:
        columns = ("evaluator", "statistic", "level", "systems", "value", "shift", "n")
        yield _table("leave_one_out", "One system more or less", columns, changed)


def _ranks(place: SystemRank) -> str:
    """The interval of a rank, `1-3`."""
    return "" if isnan(place.rank_low) else f"{place.rank_low:.0f}-{place.rank_high:.0f}"


def _matrices(part: Evidence) -> Iterator[Table]:
    for matrix in part.answers.matrices:
        if matrix.statistic == part.statistic.name and len(matrix.names) > 2:
            rows: list[tuple[Cell, ...]] = [
                (name, *values) for name, values in zip(matrix.names, matrix.values, strict=True)
            ]
            title = f"Evaluator by evaluator: {matrix.statistic}, {matrix.level} level"
            yield _table(_matrix_name(part, matrix), title, ("", *matrix.names), rows)


def _table(name: str, title: str, header: Sequence[str], rows: Sequence[tuple[Cell, ...]], note: str = "") -> Table:
    return Table(name, title, tuple(header), tuple(rows), note)


_SETTING = ("target", "level", "grouping", "statistic")


def _setting(row: Correlation | Contrast) -> tuple[str, ...]:
    return row.target, row.level, row.grouping, row.statistic


def _origin(row: Correlation) -> str:
    """How the intervals of a level were made."""
    drawn = " and ".join(row.resampled)
    how = f"{row.resamples} resamples of {drawn}"
    if row.interval == "t" and row.resamples:
        how = f"jackknife of {drawn}"
    return f"{row.level} level: {row.confidence:.0%} {row.interval} intervals, {how}"


def _cut(evidence: Sequence[Evidence]) -> str:
    first = next(group for part in evidence for group in part.answers.clusters)
    corrected = {"holm": "Holm's correction", "bh": "Benjamini and Hochberg's correction"}
    return f"alpha {first.alpha:g}, {corrected.get(first.correction, 'no correction')} for all pairs"


def _matrix_name(part: Evidence, matrix: Matrix) -> str:
    return f"matrix-{plain_name(part.target)}-{part.study.table.kind}-{matrix.level}"


def _pictures(part: Evidence) -> Iterator[Picture]:
    rows, target = part.shown(), part.target
    suffix = f"{plain_name(target)}-{part.study.table.kind}"
    if rows:
        title = f"{part.statistic.title or part.statistic.name}, {rows[0].level} level"
        figure = Figure(f"Agreement with {target}", title, y_categories=[row.candidate for row in rows])
        figure.intervals([row.value for row in rows], [row.low for row in rows], [row.high for row in rows])
        figure.rule(x=0.0)
        caption = f"Each evaluator with its {rows[0].confidence:.0%} interval."
        yield Picture.of(f"agreement-{suffix}", figure, caption)
    for matrix in part.answers.matrices:
        if matrix.statistic == part.statistic.name and len(matrix.names) > 2:
            caption = f"How evaluators agree with each other at {matrix.level} level."
            figure = _heat_map(matrix, part.statistic.symbol or matrix.statistic)
            yield Picture.of(_matrix_name(part, matrix), figure, caption)


def _heat_map(matrix: Matrix, value_name: str) -> Figure:
    names = list(matrix.names)
    edges = np.arange(len(names) + 1) - 0.5
    figure = Figure(f"Evaluator by evaluator, {matrix.level} level", x_categories=names, y_categories=names)
    return figure.grid(edges, edges, matrix.values, name=value_name, low=-1, high=1, middle=0, cell_text=".2f")
