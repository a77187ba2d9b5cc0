"""A card for a diversity metric: what does it measure, form or content? After Tevet and Berant (2021).

The metric and others beside it go through conTest, nuggets and decTest on the data at hand; then sets are
changed in ways whose effect is known, and the reaction is measured in standard deviations of the metric.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import process_time

import numpy as np
from numpy.typing import NDArray

from assay.kernels.statistics.correlation import spearman
from assay.metaeval.questions.oriented import oriented
from assay.metaeval.questions.question import Resampling
from assay.metaeval.sets.changes import CHANGES
from assay.metaeval.sets.clustered import clustered_interval, correlation_interval
from assay.metaeval.sets.contest import contest
from assay.metaeval.sets.dectest import dectest
from assay.metaeval.sets.set_targets import context_clusters, set_values
from assay.records import Dataset
from assay.records.columns import numbers_of
from assay.scores import Column, ScoreTable

# Scores the sets of some data with metrics given by name; a metric that cannot score them is left out.
Scorer = Callable[[Dataset, Sequence[str]], ScoreTable]


@dataclass(frozen=True)
class Trial:
    """One metric in one test: content (conTest), content with form held fixed (nuggets), decoding, or form.

    `form` is rho with distinct-n on the same sets. `oca` is NaN where there are no two classes.
    """

    test: str
    data: str
    evaluator: str
    rho: float
    low: float
    high: float
    oca: float
    n: int


@dataclass(frozen=True)
class Reaction:
    """How far one metric moves when sets are changed, in its standard deviations over the unchanged sets."""

    change: str
    expected: str
    evaluator: str
    effect: float
    low: float
    high: float
    n: int


@dataclass(frozen=True)
class Speed:
    """CPU seconds for a thousand sets, texts tokenized afresh, and what was measured on."""

    evaluator: str
    seconds_per_1000_sets: float
    n_sets: int


@dataclass(frozen=True)
class Material:
    """What a metric is tried on: data by name for each test, and sets to change."""

    contest: Mapping[str, Dataset]
    nuggets: Mapping[str, Dataset]
    dectest: Mapping[str, Dataset]
    changed: Dataset
    label: str = "label_value"
    parameter: str = "temperature"
    stored: Mapping[str, str] = field(default_factory=dict)
    """Columns of the sets that are shown beside the metrics: the name on the card -> the column."""


@dataclass(frozen=True)
class Card:
    """Everything that was measured."""

    metric: str
    tests: tuple[Trial, ...]
    reactions: tuple[Reaction, ...]
    speed: tuple[Speed, ...]
    seed: int


FORM = "distinct"


def certify(
    metric: str, beside: Sequence[str], material: Material, score: Scorer, *, fixed: bool = False, how: Resampling
) -> Card:
    """Try a metric and those beside it. A metric with `fixed` scores cannot score changed sets."""
    names = [metric, *(name for name in beside if name != metric)]
    tests: list[Trial] = []
    for test, some in (("content", material.contest), ("content, same form", material.nuggets)):
        for data, dataset in some.items():
            tests += _contest(test, data, dataset, material, score, names, how)
    for data, dataset in material.contest.items():
        tests += _form(data, dataset, material, score, names, how)
    for data, dataset in material.dectest.items():
        tests += _dectest(data, dataset, material, score, names, how)
    able = names[1:] if fixed else names
    return Card(
        metric,
        tuple(tests),
        tuple(reactions(material.changed, able, score, how)),
        tuple(speeds(material.changed, able, score)),
        how.seed,
    )


def reactions(dataset: Dataset, names: Sequence[str], score: Scorer, how: Resampling) -> list[Reaction]:
    """Change the sets in every known way and see what each metric does. Sets of one response are left out."""
    dataset = dataset.select(dataset.outputs_by_set.lengths[dataset.outputs.set] > 1)
    before = score(dataset, names)
    clusters = context_clusters(dataset)
    rows = []
    for change, (make, expected) in CHANGES.items():
        after = score(make(dataset, np.random.default_rng(how.seed)), list(before.columns))
        for name, column in before.columns.items():
            moved = oriented(replace(column, values=after[name].values)) - oriented(column)
            known = ~np.isnan(moved)
            spread = float(np.std(column.values[known])) if known.any() else 0.0
            effects = moved[known] / spread if spread > 0 else np.full(int(known.sum()), np.nan)
            found = clustered_interval(_mean_rows, effects, effects, clusters[known], how)
            effect = float(effects.mean()) if len(effects) else np.nan
            rows.append(Reaction(change, expected, name, effect, found.low, found.high, int(known.sum())))
    return rows


def speeds(dataset: Dataset, names: Sequence[str], score: Scorer) -> list[Speed]:
    """CPU time of each metric alone; a first run has compiled kernels and kept embeddings before."""
    rows = []
    for name in names:
        if name not in score(dataset, [name]).columns:
            continue
        start = process_time()
        n_sets = len(score(dataset, [name]))
        rows.append(Speed(name, (process_time() - start) / max(1, n_sets) * 1000, n_sets))
    return rows


def _contest(
    test: str,
    data: str,
    dataset: Dataset,
    material: Material,
    score: Scorer,
    names: Sequence[str],
    how: Resampling,
) -> list[Trial]:
    table = _with_stored(score(dataset, names), dataset, material)
    found = contest(table, set_values(dataset, material.label), context_clusters(dataset), how=how)
    return [Trial(test, data, r.evaluator, r.rho, r.low, r.high, r.oca, r.n) for r in found.results]


def _dectest(
    data: str, dataset: Dataset, material: Material, score: Scorer, names: Sequence[str], how: Resampling
) -> list[Trial]:
    table = _with_stored(score(dataset, names), dataset, material)
    parameter = set_values(dataset, material.parameter)
    found = dectest(table, parameter, context_clusters(dataset), repeats=1, how=how)
    return [Trial("decoding", data, r.evaluator, r.rho, r.low, r.high, np.nan, r.n) for r in found.results]


def _form(
    data: str, dataset: Dataset, material: Material, score: Scorer, names: Sequence[str], how: Resampling
) -> list[Trial]:
    clusters = context_clusters(dataset)
    target = score(dataset, [FORM])[FORM].values
    rows = []
    for name, column in _with_stored(score(dataset, names), dataset, material).columns.items():
        values = oriented(column)
        known = ~np.isnan(values) & ~np.isnan(target)
        found = correlation_interval(values[known], target[known], clusters[known], how)
        rho = spearman(values[known], target[known])
        rows.append(Trial("form", data, name, rho, found.low, found.high, np.nan, int(known.sum())))
    return rows


def _with_stored(table: ScoreTable, dataset: Dataset, material: Material) -> ScoreTable:
    """Add the stored columns that the sets of this data have."""
    stored = {
        name: Column.of(name, values.tolist())
        for name, column in material.stored.items()
        if column in dataset.sets.columns and (values := numbers_of(dataset.sets.columns[column])) is not None
    }
    return replace(table, columns={**table.columns, **stored})


def _mean_rows(weights: NDArray[np.int32], values: NDArray[np.float64], _: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray((weights @ values) / np.maximum(weights.sum(axis=1), 1))
