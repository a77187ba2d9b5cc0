"""Systems against each other: difference, interval, p, wins, effect size, clusters, ranks.

An item is a cluster: all outputs of both systems for it (several seeds, prompts, samples) are left out, drawn or
swapped together. A system's score comes from the sums of an evaluator's statistics where it has them (corpus BLEU),
else it is the mean of unit scores. Interval and p are those of Student's t with the standard error of the jackknife
over items (Welch's for systems that share no item, which are two independent samples of items). By name p comes from
a permutation test that swaps the two systems' outputs of an item (approximate randomization, Riezler and Maxwell 2005),
or from the bootstrap of items (Koehn 2004).
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
from assay.metaeval.systems.significance import FEWEST_ITEMS, How, PairEstimate, Tested, estimate, reason, tests_of
from assay.part import Number
from assay.scores import Column, ScoreTable

TESTS: tuple[Test, ...] = ("t", "permutation", "bootstrap")


@dataclass(frozen=True)
class SystemDifference:
    """Two systems by one evaluator. `difference` is left minus right, in the evaluator's own units.

    `paired` says that they were compared on the items they share. Then `win`, `tie` and `loss` count items on which
    left is better, equal or worse, whichever way the evaluator points; else they count all pairs of an item of the one
    and an item of the other. `superiority` is (win + tie / 2) over their sum; `effect_size` the mean difference over
    the standard deviation of differences, or, unpaired, over the pooled standard deviation of items (Cohen's d).
    `test` is where p comes from, and `permutations` how many it took; `n_pairs` is the number of pairs that p is
    adjusted for. `reason` says what is missing, or what could not have been found, and why.
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
        """The difference as a result."""
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

    Every two are compared; of more than 63 systems the answer holds each with the best one, with the next in rank and
    with those of `against`.
    `permutations` are the fewest of a permutation test, by default as many as resamples; it takes as many more as the
    correction needs. `progress` is called with (pairs done, pairs).
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
    usual: Method = "percentile" if procedure.test == "bootstrap" else "t"
    resampling = resampling.with_interval(usual, ("t", "percentile", "bca"))
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
    found: list[SystemClusters] = []
    for number, column in enumerate(columns):
        known = dict(zip(pooled.unit, pooled[column.name].values.tolist(), strict=True))
        scores = {name: known[name] for name in names}
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
        surely = family.better(adjusted, procedure.alpha, len(ranked))
        together = family.better(family.adjusted(holm), procedure.alpha, len(ranked))
        found.append(
            SystemClusters(
                column.name,
                procedure.alpha,
                procedure.correction,
                cut(ranked, surely),
                leaderboard(sides, ranked, scores, together, resampling.confidence),
                how.n_pairs,
                int((~np.isnan(family.p_values)).sum()),
            )
        )
    return differences, found


def rank_systems(table: ScoreTable, evaluators: Sequence[str], confidence: float = 0.95) -> list[SystemRank]:
    """Rank the systems by each evaluator, best first, with intervals of scores and of ranks.

    Scores of whole systems are ranked without intervals.
    """
    sample = Sample.of(table)
    if table.kind != "system" and len(sample.system_names) > 1 and evaluators:
        resampling = Resampling(confidence=confidence)
        _, found = compare_systems(
            table, (), evaluators, resampling=resampling, procedure=Procedure(alpha=1 - confidence)
        )
        return [rank for part in found for rank in part.ranks]
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
    tested: Sequence[Tested],
    n_pairs: int,
) -> Family:
    place = {name: number for number, name in enumerate(ranked)}
    left, right = (np.array([place.get(pair[side], -1) for pair in pairs], np.int64) for side in (0, 1))
    difference = np.array([orientation(column) * one.difference for one in estimates])
    return Family(left, right, difference, np.array([one.p_value for one in tested]), n_pairs)


def _record(
    left: str, right: str, found: PairEstimate, tested: Tested, p_adjusted: float, how: How
) -> SystemDifference:
    pair, column, procedure = found.pair, found.pair.of.column, how.procedure
    return SystemDifference(
        left=left,
        right=right,
        evaluator=column.name,
        left_value=found.values[0],
        right_value=found.values[1],
        difference=found.difference,
        standard_error=found.error.error,
        low=found.interval.low,
        high=found.interval.high,
        p_value=tested.p_value,
        p_adjusted=p_adjusted,
        better=_better(column, found.difference, left, right),
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
        resamples=len(found.draws),
        seed=how.resampling.seed,
        reason=reason(found, tested, how),
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
    """The columns that systems are held against each other by, or a message where their spread cannot be computed."""
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
