"""Systems against each other: difference, interval, p, wins, effect size, clusters, ranks.

An item is a cluster: all outputs of both systems for it (several seeds, prompts, samples) are left out, drawn or
swapped together. A system's score comes from the sums of an evaluator's statistics where it has them (corpus BLEU),
else it is the mean of unit scores. Interval and p are Student's t with the jackknife standard error over items
(Welch's for systems that share no item: two independent samples of items). On request p comes from a permutation test
that swaps the two systems' outputs of an item (approximate randomization, Riezler and Maxwell 2005), or from the
bootstrap of items (Koehn 2004).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import comb, isnan

import numpy as np

from assay.errors import AssayError, did_you_mean
from assay.kernels.statistics.significance import holm
from assay.limits import LARGEST_SCORE
from assay.metaeval.questions.oriented import orientation
from assay.metaeval.questions.pair_tests import CORRECTIONS, USUAL_PROCEDURE, Procedure, Test
from assay.metaeval.questions.question import USUAL, Method, Resampling, signature
from assay.metaeval.questions.sample import Sample
from assay.metaeval.systems.all_pairs import Family
from assay.metaeval.systems.pairs import Sides
from assay.metaeval.systems.ranks import SystemClusters, SystemRank, best_first, cut, leaderboard, shown_pairs
from assay.metaeval.systems.significance import (
    FEWEST_ITEMS,
    How,
    PairEstimate,
    TestedDifference,
    estimate,
    reason,
    tests_of,
)
from assay.part import Number
from assay.scores import Column, ScoreTable

TESTS: tuple[Test, ...] = ("t", "permutation", "bootstrap")


@dataclass(frozen=True)
class SystemDifference:
    """Two systems by one evaluator. `difference` is left minus right, in the evaluator's own units.

    `paired`: compared on shared items. Then `win`, `tie` and `loss` count items on which left is better, equal or
    worse, whatever the direction of the evaluator; else they count all pairs of an item of the one and an item of the
    other. `superiority` is (win + tie / 2) over their sum; `effect_size` the mean difference over the standard
    deviation of differences, or, unpaired, over the pooled standard deviation of items (Cohen's d). `test` gave p,
    with so many `permutations`; `n_pairs` is the number of pairs that p is adjusted for. `reason` says what is
    missing, or could not have been detected, and why.
    """

    left: str
    right: str
    evaluator: str
    left_value: float
    right_value: float
    difference: float
    standard_error: float
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
    permutations: int
    correction: str
    n_pairs: int
    interval: str
    confidence: float
    resamples: int
    seed: int
    reason: str
    signature: str

    def number(self) -> Number:
        """The difference as a number."""
        return Number.of("difference", self, "difference")


def compare_systems(
    table: ScoreTable,
    systems: Sequence[str] = (),
    evaluators: Sequence[str] = (),
    *,
    resampling: Resampling = USUAL,
    procedure: Procedure = USUAL_PROCEDURE,
    permutations: int | None = None,
    against: Sequence[str] = (),
    workers: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[list[SystemDifference], list[SystemClusters]]:
    """Compare the systems by every evaluator; p is adjusted over the pairs of an evaluator.

    Every two are compared; of more than 63 systems each is shown with the best one, the next in rank and those of
    `against`. `permutations` is the minimum of a permutation test, by default the number of resamples; the correction
    may need more. `progress` is called with (pairs done, pairs).
    """
    if table.kind == "system":
        raise AssayError("the scores are one number per system: nothing is left to resample. Score finer units.")
    if table.kind == "matchup":
        raise AssayError(
            "the scores are of matchups, each of two systems: none is the score of one. Rank systems by their matchups "
            "with `assay prefer DATA -e EVALUATOR`, or compare them by scores of outputs."
        )
    if procedure.test == "auto":
        procedure = replace(procedure, test="t")
    if procedure.test not in TESTS:
        raise AssayError(f"systems are compared by {', '.join(TESTS)}, not by {procedure.test}.")
    default: Method = "percentile" if procedure.test == "bootstrap" else "t"
    resampling = resampling.with_interval(default, ("t", "percentile", "bca"))
    sample = Sample.of(table)
    names = _chosen(sample, systems)
    columns = _columns(table, evaluators)
    pooled = replace(table, columns={column.name: column for column in columns}).by_system()
    how = How(
        table.kind,
        tuple(systems),
        resampling,
        procedure,
        resampling.resamples if permutations is None else permutations,
        comb(len(names), 2),
        workers,
    )
    differences: list[SystemDifference] = []
    clusters: list[SystemClusters] = []
    for number, column in enumerate(columns):
        by_name = dict(zip(pooled.unit, pooled[column.name].values.tolist(), strict=True))
        scores = {name: by_name[name] for name in names}
        ranked = best_first(column, scores)
        pairs = shown_pairs(names, ranked, [name for name in against if name in ranked])
        sides = Sides(sample, column)
        estimates = []
        for left, right in pairs:
            estimates.append(estimate(sides.pair(left, right), how))
            if progress:
                progress(number * len(pairs) + len(estimates), len(columns) * len(pairs))
        tested = tests_of(estimates, how)
        family = _family(column, ranked, pairs, estimates, tested, how.n_pairs)
        if len(pairs) < how.n_pairs and procedure.test == "t":
            family = family.with_others(sides, ranked, FEWEST_ITEMS)
        adjusted = family.adjusted(CORRECTIONS[procedure.correction])
        for at, (left, right) in enumerate(pairs):
            differences.append(_record(left, right, estimates[at], tested[at], float(adjusted[at]), how))
        better = family.better(adjusted, procedure.alpha, len(ranked))
        better_holm = family.better(family.adjusted(holm), procedure.alpha, len(ranked))
        clusters.append(
            SystemClusters(
                column.name,
                procedure.alpha,
                procedure.correction,
                cut(ranked, better),
                leaderboard(sides, ranked, scores, better_holm, resampling.confidence),
                how.n_pairs,
                int((~np.isnan(family.p_values)).sum()),
            )
        )
    return differences, clusters


def rank_systems(table: ScoreTable, evaluators: Sequence[str], confidence: float = 0.95) -> list[SystemRank]:
    """Rank the systems by each evaluator, best first, with intervals of scores and of ranks.

    Scores of whole systems are ranked without intervals.
    """
    sample = Sample.of(table)
    if table.kind != "system" and len(sample.system_names) > 1 and evaluators:
        resampling = Resampling(confidence=confidence)
        _, clusters = compare_systems(
            table, (), evaluators, resampling=resampling, procedure=Procedure(alpha=1 - confidence)
        )
        return [rank for one in clusters for rank in one.ranks]
    ranks: list[SystemRank] = []
    for column in _columns(table, evaluators) if evaluators else []:
        pooled, sides = table.by_system(), Sides(sample, column)
        scores = dict(zip(pooled.unit, pooled[column.name].values.tolist(), strict=True))
        ranks += leaderboard(sides, best_first(column, scores), scores, None, confidence)
    return ranks


def _family(
    column: Column,
    ranked: Sequence[str],
    pairs: Sequence[tuple[str, str]],
    estimates: Sequence[PairEstimate],
    tested: Sequence[TestedDifference],
    n_pairs: int,
) -> Family:
    place = {name: number for number, name in enumerate(ranked)}
    left, right = (np.array([place.get(pair[side], -1) for pair in pairs], np.int64) for side in (0, 1))
    difference = np.array([orientation(column) * one.difference for one in estimates])
    return Family(left, right, difference, np.array([one.p_value for one in tested]), n_pairs)


def _record(
    left: str, right: str, one: PairEstimate, tested: TestedDifference, p_adjusted: float, how: How
) -> SystemDifference:
    pair, column, procedure = one.pair, one.pair.of.column, how.procedure
    return SystemDifference(
        left=left,
        right=right,
        evaluator=column.name,
        left_value=one.values[0],
        right_value=one.values[1],
        difference=one.difference,
        standard_error=one.error.error,
        low=one.interval.low,
        high=one.interval.high,
        p_value=tested.p_value,
        p_adjusted=p_adjusted,
        better=_better(column, one.difference, left, right),
        paired=pair.paired,
        n=pair.n,
        n_missing=pair.n_missing,
        n_units=pair.n_units,
        win=pair.win,
        tie=pair.tie,
        loss=pair.loss,
        superiority=pair.superiority,
        effect_size=pair.effect_size,
        test=tested.test,
        permutations=tested.permutations,
        correction=procedure.correction,
        n_pairs=how.n_pairs,
        interval=how.resampling.interval,
        confidence=how.resampling.confidence,
        resamples=len(one.draws),
        seed=how.resampling.seed,
        reason=reason(one, tested, how),
        signature=signature(
            "difference",
            left=left,
            right=right,
            evaluator=column,
            unit=how.unit,
            among=how.among,
            test=procedure.test,
            correction=procedure.correction,
            alpha=procedure.alpha,
            permutations=how.permutations if procedure.test == "permutation" else 0,
            resampling=how.resampling.with_factors(("items",)),
        ),
    )


def _better(column: Column, difference: float, left: str, right: str) -> str:
    if column.higher_is_better is None or isnan(difference) or difference == 0:
        return ""
    return left if orientation(column) * difference > 0 else right


def _columns(table: ScoreTable, evaluators: Sequence[str]) -> list[Column]:
    """The columns to compare by; an error where scores are too large for their spread to be computed."""
    columns = [table[name] for name in evaluators or table.columns]
    for column in columns:
        largest = float(np.abs(column.values[np.isfinite(column.values)]).max(initial=0.0))
        if largest > LARGEST_SCORE:
            raise AssayError(
                f"the scores of {column.name} reach {largest:.0e}, and systems are compared up to {LARGEST_SCORE:.0e}. "
                "Divide the scores by a constant."
            )
    return columns


def _chosen(sample: Sample, systems: Sequence[str]) -> list[str]:
    for name in systems:
        if name not in sample.system_names:
            raise AssayError(f"the scores have no system {name!r}.{did_you_mean(name, sample.system_names)}")
    names = list(dict.fromkeys(systems)) or sample.system_names
    if len(names) < 2:
        raise AssayError(f"two systems are needed for a comparison; there is {', '.join(names) or 'none'}.")
    return names
