"""Differences between systems: standard errors, intervals, p-values, and what is missing and why."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from math import isnan, nan
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.kernels.statistics.intervals import NO_INTERVAL, Interval, bca, percentile
from assay.kernels.statistics.permutation_test import (
    MOST_ENUMERATED,
    MOST_SAMPLED,
    PermutationBudget,
    Rearrangements,
    permutation_tests,
)
from assay.kernels.statistics.resample import map_blocks
from assay.kernels.statistics.significance import bootstrap_p
from assay.kernels.statistics.student import Spread, spread, student_interval, student_p
from assay.metaeval.questions.pair_tests import Procedure
from assay.metaeval.questions.question import Resampling
from assay.metaeval.questions.sample import PERMUTATION
from assay.metaeval.systems.pairs import SystemPair, rearranged

Floats = NDArray[np.float64]
FEWEST_ITEMS = 3
"""From fewer items there is neither a t interval nor a t test."""


class How(NamedTuple):
    """Settings shared by all pairs."""

    unit: str
    among: tuple[str, ...]
    resampling: Resampling
    procedure: Procedure
    permutations: int
    n_pairs: int
    workers: int

    @property
    def n_tests(self) -> int:
        """How many tests p is adjusted for."""
        return 1 if self.procedure.correction == "none" else self.n_pairs

    @property
    def budget(self) -> PermutationBudget:
        """How many permutations a pair may take; the minimum where no number would be enough."""
        fewest, alpha = max(self.permutations, 1), self.procedure.alpha
        return PermutationBudget(fewest, self.n_tests if self.n_tests < alpha * MOST_SAMPLED else 1, alpha)


class PairEstimate(NamedTuple):
    """Two systems: their scores, left minus right, its standard error, its draws where needed, and its interval."""

    pair: SystemPair
    values: tuple[float, float]
    difference: float
    error: Spread
    draws: Floats
    interval: Interval


class TestedDifference(NamedTuple):
    """A p-value, the test it comes from, and its permutations."""

    p_value: float
    test: str
    permutations: int


def estimate(pair: SystemPair, how: How) -> PairEstimate:
    """Estimate the difference of two systems."""
    resampling = how.resampling
    values = pair.values() if pair.fewest > 1 else (nan, nan)
    difference = values[0] - values[1]
    error = Spread(nan, nan)
    if pair.fewest >= FEWEST_ITEMS:
        error = spread(pair.without_each(), max(map(abs, values)))
    draws = np.zeros(0)
    if _draws(how) and resampling.resamples and pair.fewest > 1:
        draws = np.concatenate(map_blocks(pair.draw, resampling.resamples, resampling.seed, workers=how.workers))
    if resampling.interval == "t":
        interval = student_interval(difference, error, resampling.confidence)
    elif not len(draws):
        interval = NO_INTERVAL
    elif resampling.interval == "bca":
        interval = bca(draws, difference, pair.without_each(), resampling.confidence)
    else:
        interval = percentile(draws, resampling.confidence)
    return PairEstimate(pair, values, difference, error, draws, interval)


def tests_of(estimates: Sequence[PairEstimate], how: How) -> list[TestedDifference]:
    """Test every difference.

    Where nothing varies between items t is undefined, and a permutation test takes its place.
    """
    test = how.procedure.test
    if test == "bootstrap":
        return [TestedDifference(bootstrap_p(one.draws), test, 0) for one in estimates]
    results = [TestedDifference(nan, test, 0)] * len(estimates)
    permuted: dict[Rearrangements, list[int]] = {}
    for at, one in enumerate(estimates):
        if test == "t" and one.error.error != 0:
            results[at] = TestedDifference(student_p(one.difference, one.error), test, 0)
        elif one.pair.fewest > 1 and (test == "t" or how.permutations):
            permuted.setdefault(one.pair.rearrangements, []).append(at)
    for numbers in permuted.values():
        for at, tested in zip(numbers, _permuted([estimates[at] for at in numbers], how), strict=True):
            results[at] = tested
    return results


def _permuted(estimates: Sequence[PairEstimate], how: How) -> list[TestedDifference]:
    """Permutation tests of pairs that share their rearrangements."""

    @cache
    def prepared(pending: tuple[int, ...]) -> Callable[[NDArray[np.int32]], Floats]:
        return rearranged([estimates[number].pair for number in pending])

    tested = permutation_tests(
        np.array([one.difference for one in estimates]),
        lambda ways, pending: prepared(tuple(pending.tolist()))(ways),
        estimates[0].pair.rearrangements,
        how.budget,
        how.resampling.seed,
        purpose=(PERMUTATION, 0),
        workers=how.workers,
    )
    results = zip(tested.p_values.tolist(), tested.permutations.tolist(), strict=True)
    return [TestedDifference(p_value, "permutation", permutations) for p_value, permutations in results]


def reason(one: PairEstimate, tested: TestedDifference, how: How) -> str:
    """What is missing, or could not have been detected, and why; empty where nothing is."""
    pair, test = one.pair, how.procedure.test
    if pair.fewest < 2:
        return f"a system has {pair.fewest} items with a score; 2 of each are needed"
    reasons = []
    if how.resampling.interval == "t" and pair.fewest < FEWEST_ITEMS:
        reasons.append(f"{pair.fewest} items are too few for an interval and a t test; {FEWEST_ITEMS} are needed")
    elif isnan(one.error.error):
        reasons.append("a score is undefined when one of the items is left out")
    elif how.resampling.interval == "t" and one.error.error == 0:
        reasons.append("all items differ by the same, so there is no interval")
    if (_draws(how) and not len(one.draws)) or (test == "permutation" and not how.permutations):
        reasons.append("no resamples were asked for")
    elif tested.test == "permutation":
        reasons.append(_out_of_reach(pair, how))
    return "; ".join(filter(None, reasons))


def _draws(how: How) -> bool:
    return how.procedure.test == "bootstrap" or how.resampling.interval != "t"


def _out_of_reach(pair: SystemPair, how: How) -> str:
    """Say that no difference, however large, could be significant; empty where one could."""
    alpha, ways, budget = how.procedure.alpha, pair.rearrangements.count, how.budget
    smallest = 1 / ways if ways <= MOST_ENUMERATED else 1 / (budget.most + 1)
    if smallest * how.n_tests < alpha:
        return ""
    pairs = f", times {how.n_tests:,} pairs" if how.n_tests > 1 else ""
    return (
        f"a permutation test of {pair.n} items gives no p below {smallest:.2g}{pairs}: "
        f"no difference, however large, is significant at {alpha:g}"
    )
