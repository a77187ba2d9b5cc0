"""Systems against each other: difference, interval, p, wins, effect size, clusters.

An item is a cluster: all outputs of both systems for it (several seeds, prompts, samples) are drawn or swapped
together. A system's score comes from the sums of an evaluator's statistics where it has them (corpus BLEU), else it
is the mean of unit scores; the bootstrap draws items with replacement (Koehn 2004), the permutation test swaps the
two systems' outputs of an item (approximate randomization, Riezler and Maxwell 2005). Systems that share no item are
compared as two independent samples of items.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import isnan, nan
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError, did_you_mean
from assay.kernels.intervals import NO_INTERVAL, bca, percentile
from assay.kernels.resample import Block, map_blocks
from assay.kernels.significance import bootstrap_p, clusters, permutation_p
from assay.meta.contrast import CORRECTIONS, USUAL_PROCEDURE, Procedure
from assay.meta.oriented import orientation
from assay.meta.question import USUAL, Resampling, signature
from assay.meta.sample import Sample
from assay.meta.system_pairs import Pair, side_by_side
from assay.scores import Column, ScoreTable


@dataclass(frozen=True)
class Difference:
    """Two systems by one evaluator. `difference` is left minus right, in the evaluator's own units.

    `paired` says that they were compared on the items they share. Then `win`, `tie` and `loss` count items on which
    left is better, equal or worse, whichever way the evaluator points; else they count all pairs of an item of the one
    and an item of the other. `superiority` is (win + tie / 2) over their sum; `effect_size` the mean difference over
    the standard deviation of differences, or, unpaired, over the pooled standard deviation of items (Cohen's d).
    """

    left: str
    right: str
    evaluator: str
    left_value: float
    right_value: float
    difference: float
    low: float
    high: float
    p_value: float
    p_adjusted: float
    better: str
    paired: bool
    n: int
    n_missing: int
    n_units: int
    win: int
    tie: int
    loss: int
    superiority: float
    effect_size: float
    test: str
    correction: str
    interval: str
    confidence: float
    resamples: int
    seed: int
    reason: str
    signature: str


@dataclass(frozen=True)
class SystemClusters:
    """Systems by one evaluator, best first, cut where one differs from any before it in its cluster."""

    evaluator: str
    alpha: float
    correction: str
    clusters: tuple[tuple[str, ...], ...]


def compare_systems(
    table: ScoreTable,
    systems: Sequence[str] = (),
    evaluators: Sequence[str] = (),
    *,
    resampling: Resampling = USUAL,
    procedure: Procedure = USUAL_PROCEDURE,
    permutations: int | None = None,
    workers: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[list[Difference], list[SystemClusters]]:
    """Compare every pair of systems by every evaluator; p is adjusted over the pairs of an evaluator.

    `permutations` is their number, by default that of the resamples. `progress` is called with (pairs done, pairs).
    """
    if table.kind == "system":
        raise AssayError("the scores are one number per system: nothing is left to resample. Score finer units.")
    if procedure.test == "auto":
        procedure = replace(procedure, test="permutation")
    if procedure.test not in ("permutation", "bootstrap"):
        raise AssayError(f"systems are compared by permutation or bootstrap, not by {procedure.test}.")
    resampling = resampling.with_interval("percentile", ("percentile", "bca"))
    sample = Sample.of(table)
    names = _chosen(sample, systems)
    columns = [table[name] for name in evaluators or table.columns]
    differences: list[Difference] = []
    found: list[SystemClusters] = []
    how = _How(table.kind, resampling, procedure, resampling.resamples if permutations is None else permutations)
    pairs = list(combinations(names, 2))
    for column in columns:
        compared = []
        for left, right in pairs:
            compared.append(_answer(side_by_side(sample, column, left, right), left, right, how, workers))
            if progress:
                progress(len(differences) + len(compared), len(columns) * len(pairs))
        adjusted = CORRECTIONS[procedure.correction](np.array([one.p_value for one in compared]))
        compared = [replace(one, p_adjusted=float(p)) for one, p in zip(compared, adjusted, strict=True)]
        differences += compared
        found.append(_clusters(table, column, names, compared, procedure))
    return differences, found


class _How(NamedTuple):
    """What is the same for all pairs."""

    unit: str
    resampling: Resampling
    procedure: Procedure
    permutations: int


def _answer(found: Pair, left: str, right: str, how: _How, workers: int) -> Difference:
    unit, resampling, procedure, permutations = how
    reason = found.why_not
    values = [nan, nan] if reason else found.values()
    difference = values[0] - values[1]

    def resampled(task: Callable[[Block], NDArray[np.float64]], n: int) -> NDArray[np.float64]:
        return np.concatenate(map_blocks(task, n, resampling.seed, workers=workers))

    interval, p_value = NO_INTERVAL, nan
    if resampling.resamples and not reason:
        draws = resampled(found.draw, resampling.resamples)
        if resampling.interval == "bca":
            interval = bca(draws, difference, found.without_each(), resampling.confidence)
        else:
            interval = percentile(draws, resampling.confidence)
        if procedure.test == "bootstrap":
            p_value = bootstrap_p(draws)
    if procedure.test == "permutation" and permutations and not reason:
        p_value = permutation_p(difference, resampled(found.swap, permutations))
    column = found.column
    return Difference(
        left=left,
        right=right,
        evaluator=column.name,
        left_value=values[0],
        right_value=values[1],
        difference=difference,
        low=interval.low,
        high=interval.high,
        p_value=p_value,
        p_adjusted=nan,
        better=_better(column, difference, left, right),
        paired=found.paired,
        n=found.n,
        n_missing=found.n_missing,
        n_units=found.n_units,
        win=found.win,
        tie=found.tie,
        loss=found.loss,
        superiority=found.superiority,
        effect_size=found.effect_size,
        test=procedure.test,
        correction=procedure.correction,
        interval=resampling.interval,
        confidence=resampling.confidence,
        resamples=resampling.resamples,
        seed=resampling.seed,
        reason=reason,
        signature=signature(
            "difference",
            left=left,
            right=right,
            evaluator=column,
            unit=unit,
            test=procedure.test,
            permutations=permutations if procedure.test == "permutation" else 0,
            resampling=resampling.with_factors(("items",)),
        ),
    )


def _better(column: Column, difference: float, left: str, right: str) -> str:
    if column.higher_is_better is None or isnan(difference) or difference == 0:
        return ""
    return left if orientation(column) * difference > 0 else right


def _chosen(sample: Sample, systems: Sequence[str]) -> list[str]:
    for name in systems:
        if name not in sample.system_names:
            raise AssayError(f"the scores have no system {name!r}.{did_you_mean(name, sample.system_names)}")
    names = list(dict.fromkeys(systems)) or sample.system_names
    if len(names) < 2:
        raise AssayError(f"two systems are needed for a comparison; there is {', '.join(names) or 'none'}.")
    return names


def _clusters(
    table: ScoreTable, column: Column, names: Sequence[str], pairs: Sequence[Difference], procedure: Procedure
) -> SystemClusters:
    pooled = table.by_system()
    scores = dict(zip(pooled.unit, pooled[column.name].values.tolist(), strict=True))
    sign = orientation(column)
    ranked = sorted((name for name in names if not isnan(scores[name])), key=lambda name: -sign * scores[name])
    different = np.zeros((len(ranked), len(ranked)), bool)
    for pair in pairs:
        if pair.p_adjusted < procedure.alpha and pair.left in ranked and pair.right in ranked:
            a, b = ranked.index(pair.left), ranked.index(pair.right)
            # The ranking is of all items, the test of those compared: where they contradict each other, neither cuts.
            different[a, b] = different[b, a] = (sign * pair.difference > 0) == (a < b)
    found = tuple(tuple(ranked[i] for i in cluster) for cluster in clusters(range(len(ranked)), different))
    return SystemClusters(column.name, procedure.alpha, procedure.correction, found)
