"""`assay.certify`: does a diversity metric measure form or content? After Tevet and Berant (2021).

The metric and others beside it go through conTest, nuggets and decTest; then sets are perturbed in ways whose effect is
known (`reactions`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Unpack

from assay.analyses.sets.against_target import CITE, WITHOUT_INTERVAL, number, rho_number, scored_target
from assay.analyses.sets.reactions import Reaction, Speed, reactions, speeds
from assay.errors import AssayError
from assay.evaluator import Evaluator
from assay.evaluators.set_value import set_value
from assay.metaeval.questions.correlation import Correlation, correlate
from assay.metaeval.questions.question import USUAL, Resampling, signature
from assay.metaeval.sets.contest import BestThreshold, best_thresholds, two_classes
from assay.metaeval.sets.set_study import study_of_sets
from assay.part import Bounded, Number, Part, Table
from assay.records import Dataset
from assay.records.columns import numbers_of
from assay.registry import parse
from assay.run import score
from assay.run.scoring import ScoringOptions
from assay.scores import Column, ScoreTable

BESIDE = ("distinct", "cos_sim", "embedding_diversity", "content_diversity")
FORM = "distinct"
STORED = {"people": "metric_abs_hds_mean", "sent-BERT": "metric_sent_bert"}
"""Scores that published sets come with."""
TESTS = {
    "content": "Content: does it separate high from low content diversity?",
    "content, same form": "Content where form is uninformative (nuggets)",
    "form": "Form: does it follow distinct-n on the same sets?",
    "decoding": "Decoding: does it follow the decoding parameter?",
}
Sets = Mapping[str, Dataset]


@dataclass(frozen=True)
class CardRow:
    """One metric in one test on one data set; `best` where there are two classes."""

    test: str
    data: str
    rho: Correlation
    best: BestThreshold | None = None


@dataclass(frozen=True)
class Metrics:
    """The metrics of a card. Any but the first is left out, with the reason, if it cannot score some data."""

    by_name: Mapping[str, str | Evaluator]
    seed: int
    scoring: ScoringOptions
    left_out: dict[str, str] = field(default_factory=dict)

    def score(self, dataset: Dataset, names: Sequence[str] = ()) -> ScoreTable:
        """Score the sets by all metrics, or by some."""
        table = score(dataset, [FORM], unit="set", seed=self.seed, failures="error")
        columns = {}
        for name in names or self.by_name:
            metric = self.by_name[name]
            try:
                known = metric if isinstance(metric, Evaluator) else parse(metric)
                scored = score(dataset, [known], unit="set", seed=self.seed, failures="error", **self.scoring)
            except AssayError as error:
                if name == next(iter(self.by_name)):
                    raise
                self.left_out.setdefault(name, str(error))
                continue
            column = next(iter(scored.columns.values()))
            # A metric from outside the registry has no signature that could be read back.
            columns[name] = replace(column, name=name, signature="" if known is metric else column.signature)
        return replace(table, columns=columns)


def certify(
    metric: str,
    *,
    evaluator: Evaluator | None = None,
    beside: Sequence[str] = BESIDE,
    contest: Sets | None = None,
    nuggets: Sets | None = None,
    dectest: Sets | None = None,
    label: str = "label_value",
    parameter: str = "temperature",
    stored: Mapping[str, str] = STORED,
    fixed: bool = False,
    resampling: Resampling = USUAL,
    **scoring: Unpack[ScoringOptions],
) -> Part:
    """Test a diversity metric on sets, beside others.

    Args:
        metric: an evaluator by name or call; with `evaluator`, the name it is shown by.
        evaluator: the metric itself, where it is not in the registry.
        beside: metrics to show beside it.
        contest: labeled sets, by name.
        nuggets: labeled sets on which form is uninformative.
        dectest: sets sampled with a parameter.
        label: the column of two values.
        parameter: the decoding parameter.
        stored: columns of the sets to show beside the metrics, by the name to show; a column that the data lacks is
            left out.
        fixed: whether the metric is a table of scores, which has none for perturbed sets.
        resampling: `resamples` are the draws behind the interval of OCA; with 0 there are no intervals.
        scoring: how evaluators are scored: `train`, `folds`, `executor`, `cache` and `requests` of `assay.score`.
    """
    metrics = Metrics(
        {metric: evaluator or metric, **{name: name for name in beside if name != metric}}, resampling.seed, scoring
    )
    if any(isinstance(sets, Dataset) for sets in (contest, nuggets, dectest)):
        raise AssayError("certify takes data sets by name. Write contest={'story': dataset}.")
    contest, nuggets, dectest = contest or {}, nuggets or {}, dectest or {}
    if not (contest or nuggets or dectest):
        raise AssayError("no sets to test the metric on. Give contest, nuggets or dectest.")

    def table_of(dataset: Dataset) -> ScoreTable:
        return _with_stored(metrics.score(dataset), dataset, stored)

    tables = {name: table_of(dataset) for name, dataset in contest.items()}
    rows = list(_contests("content", contest, tables.__getitem__, label, resampling))
    rows += _contests("content, same form", nuggets, lambda name: table_of(nuggets[name]), label, resampling)
    for name, dataset in contest.items():
        form = score(dataset, [FORM], unit="set", seed=resampling.seed, failures="error")[FORM]
        form = replace(form, name=f"{FORM}, the target")
        rows += [CardRow("form", name, row) for row in _correlations(tables[name], form, dataset, resampling)]
    for name, dataset in dectest.items():
        target = scored_target(dataset, set_value(parameter))
        rows += [
            CardRow("decoding", name, row) for row in _correlations(table_of(dataset), target, dataset, resampling)
        ]
    changed = next(iter((*contest.values(), *dectest.values(), *nuggets.values())))
    able = [name for name in metrics.by_name if not fixed or name != metric]
    moved = reactions(changed, lambda dataset: metrics.score(dataset, able), resampling)
    timed = speeds(changed, able, lambda dataset, name: metrics.score(dataset, [name]))
    tested = {row.test for row in rows}
    return Part(
        title=f"Certificate of {metric}",
        summary=f"What {metric} measures: form or content, and what it reacts to.",
        numbers=tuple(_numbers(rows, moved, timed)),
        tables=(
            *(_test_table(test, rows) for test in TESTS if test in tested),
            *_reaction_tables(moved),
            *_speed_tables(timed),
        ),
        methods=(*dict.fromkeys(row.rho.signature for row in rows), CITE),
        notes=(
            *(f"{name} is left out: {why}" for name, why in metrics.left_out.items()),
            *(f"{test}: not measured, for lack of data" for test in TESTS if test not in tested),
        ),
        seed=resampling.seed,
    )


def _contests(
    test: str, sets: Sets, table_of: Callable[[str], ScoreTable], label: str, resampling: Resampling
) -> Iterator[CardRow]:
    for name, dataset in sets.items():
        target = scored_target(dataset, set_value(label))
        two_classes(label, target)
        table = table_of(name)
        study = study_of_sets(_with_target(table, target), target.name, dataset, resampling)
        for row, best in zip(correlate(study), best_thresholds(study), strict=True):
            yield CardRow(test, name, row, best)


def _correlations(table: ScoreTable, target: Column, dataset: Dataset, resampling: Resampling) -> list[Correlation]:
    return correlate(study_of_sets(_with_target(table, target), target.name, dataset, resampling))


def _with_target(table: ScoreTable, target: Column) -> ScoreTable:
    return replace(table, columns={**table.columns, target.name: target})


def _with_stored(table: ScoreTable, dataset: Dataset, stored: Mapping[str, str]) -> ScoreTable:
    """Add the stored columns that the sets of this data have."""
    columns = dict(table.columns)
    for name, column in stored.items():
        if column in dataset.sets.columns and numbers_of(dataset.sets.columns[column]) is not None:
            (scored,) = score(dataset, [f"column({column!r})"], unit="set", failures="error").columns.values()
            columns[name] = replace(scored, name=name)
    return replace(table, columns=columns)


def _test_table(test: str, rows: Sequence[CardRow]) -> Table:
    tested = [row for row in rows if row.test == test]
    header: tuple[str, ...] = ("data", "metric", "rho", "sets")
    cells = [
        (row.data, row.rho.candidate, Bounded(row.rho.value, row.rho.low, row.rho.high), row.rho.n) for row in tested
    ]
    with_oca = [
        (*cell, row.best.oca, Bounded(row.best.corrected, row.best.low, row.best.high))
        for row, cell in zip(tested, cells, strict=True)
        if row.best
    ]
    if with_oca:
        header = (*header, "OCA", "OCA corrected")
    name = f"certify-{test.replace(', ', '-').replace(' ', '-')}"
    return Table(name, TESTS[test], header, tuple(with_oca or cells))


def _reaction_tables(rows: Sequence[Reaction]) -> Iterator[Table]:
    names = list(dict.fromkeys(row.evaluator for row in rows))
    by_change: dict[tuple[str, str], dict[str, Bounded]] = {}
    for row in rows:
        cell = Bounded(row.effect, row.low, row.high)
        by_change.setdefault((row.change, row.expected), {})[row.evaluator] = cell
    if rows:
        cells = tuple((*change, *(effects.get(name) for name in names)) for change, effects in by_change.items())
        title = "What it reacts to: change in standard deviations of the metric"
        yield Table("certify-reactions", title, ("change", "should be", *names), cells)


def _speed_tables(rows: Sequence[Speed]) -> Iterator[Table]:
    if rows:
        cells = tuple((row.evaluator, row.seconds_per_1000_sets, row.n_sets) for row in rows)
        header = ("metric", "CPU s per 1,000 sets", "sets timed")
        yield Table("certify-speed", "Speed (kernels compiled, embeddings cached)", header, cells)


def _numbers(rows: Sequence[CardRow], moved: Sequence[Reaction], timed: Sequence[Speed]) -> Iterator[Number]:
    for row in rows:
        numbers = [rho_number(row.rho)]
        if best := row.best:
            numbers.append(number("oca", best, best.oca))
            numbers.append(number("oca, corrected", best, best.corrected, best.low, best.high, best.reason))
        for one in numbers:
            yield replace(one, about={"test": row.test, "data": row.data, **one.about})
    yield from (reaction.number() for reaction in moved)
    for speed in timed:
        origin = signature("speed", evaluator=speed.evaluator)
        name, about = "CPU seconds per 1,000 sets", {"evaluator": speed.evaluator}
        yield Number(name, speed.seconds_per_1000_sets, speed.n_sets, origin, reason=WITHOUT_INTERVAL, about=about)
