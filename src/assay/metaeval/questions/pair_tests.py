"""Tests of whether two evaluators differ: intervals of differences, and p-values.

- `t`: the level at which the t interval of the difference reaches 0, so that the two never disagree.
- `permutation`: scores of the two are swapped (Deutsch et al. 2021), as often as the correction needs.
- `bootstrap`: from the draws of the intervals.
- `williams`, `steiger`: for correlations of independent units that share a variable.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError
from assay.kernels.statistics.crossed_jackknife import FEWEST_COMPARED
from assay.kernels.statistics.permutation_test import PermutationBudget, Swaps, permutation_tests
from assay.kernels.statistics.significance import benjamini_hochberg, bootstrap_p, holm, steiger, williams
from assay.limits import check_share
from assay.metaeval.questions.inquiry import Inquiry
from assay.metaeval.questions.levels import Cases
from assay.metaeval.questions.question import Resampling
from assay.metaeval.questions.statistics import Statistic
from assay.metaeval.questions.swaps import Swapped, null_differences
from assay.scores import Gaps

Test = Literal["auto", "t", "permutation", "bootstrap", "williams", "steiger"]
TESTS = ("auto", "t", "permutation", "bootstrap", "williams", "steiger")
CORRECTIONS: dict[str, Callable[[NDArray[Any]], NDArray[np.float64]]] = {
    "holm": holm,
    "bh": benjamini_hochberg,
    "none": np.asarray,
}
PERM_BOTH = ("items", "systems")
"""The cells that Deutsch et al. (2021) swap: every output by itself."""
ColumnPair = tuple[int, int]


@dataclass(frozen=True)
class Procedure:
    """How a difference is tested.

    Attributes:
        test: `auto` is the test that matches the interval: t, or bootstrap.
        swapped: factors whose cells a permutation swaps; by default systems at system level, and items elsewhere.
        correction: for multiple comparisons.
        alpha: significance level that separates clusters.
    """

    test: Test = "auto"
    swapped: tuple[str, ...] = ()
    correction: str = "holm"
    alpha: float = 0.05

    def __post_init__(self) -> None:
        if self.test not in TESTS:
            raise AssayError(f"unknown test {self.test!r}. Known: {', '.join(TESTS)}.")
        if self.correction not in CORRECTIONS:
            raise AssayError(f"unknown correction {self.correction!r}. Known: {', '.join(CORRECTIONS)}.")
        check_share("alpha", self.alpha)

    def with_test(self, resampling: Resampling) -> Procedure:
        """Resolve `auto`."""
        if self.test != "auto":
            return self
        if self.swapped:
            return replace(self, test="permutation")
        return replace(self, test="t" if resampling.interval == "t" else "bootstrap")

    def family(self, n_pairs: int) -> int:
        """How many tests a p-value is corrected for."""
        return max(n_pairs, 1) if self.correction != "none" else 1


USUAL_PROCEDURE = Procedure()


class PairTest(NamedTuple):
    """The interval of a difference, its p-value, and how many permutations that took."""

    low: float = nan
    high: float = nan
    p_value: float = nan
    permutations: int = 0


def compare_pairs(
    study: Inquiry,
    procedure: Procedure,
    cases: Cases,
    statistic: Statistic,
    pairs: Sequence[ColumnPair],
    n_tests: int,
) -> dict[ColumnPair, PairTest]:
    """Intervals and p-values of pairs of candidates whose values are defined."""
    results = dict.fromkeys(pairs, PairTest())
    if not pairs or not study.resampling.resamples:
        return results | _analytic(procedure.test, cases, statistic, pairs)
    if not study.why_no_interval(cases, FEWEST_COMPARED):
        results |= _resampled(study, procedure.test, cases, statistic, pairs)
    if procedure.test == "permutation":
        by_factors: dict[tuple[str, ...], list[ColumnPair]] = {}
        for pair in pairs:
            by_factors.setdefault(swapped_factors(study, procedure, cases, *pair), []).append(pair)
        budget = PermutationBudget(study.resampling.resamples, n_tests, procedure.alpha)
        for factors, swapped in by_factors.items():
            for pair, (p_value, permutations) in _permuted(study, cases, statistic, swapped, factors, budget).items():
                results[pair] = results[pair]._replace(p_value=p_value, permutations=permutations)
    for pair, tested in _analytic(procedure.test, cases, statistic, pairs).items():
        results[pair] = results[pair]._replace(p_value=tested.p_value)
    return results


def swapped_factors(study: Inquiry, procedure: Procedure, cases: Cases, a: int, b: int) -> tuple[str, ...]:
    """The factors whose cells are swapped: whole systems where a system's score is not a mean of unit scores."""
    if procedure.test != "permutation":
        return ()
    if cases.pools and any(cases.candidates[j].finish is not None for j in (a, b)):
        return ("systems",)
    return study.sample.check(procedure.swapped) or study.sample.swapped_factors(cases.level)


def has_analytic_test(statistic: Statistic, grouping: str) -> bool:
    """Whether Williams' and Steiger's tests apply."""
    return statistic.has_analytic_test and grouping == "pooled"


def _resampled(
    study: Inquiry, test: str, cases: Cases, statistic: Statistic, pairs: Sequence[ColumnPair]
) -> dict[ColumnPair, PairTest]:
    """Intervals, with the p-values that come from the same jackknife or the same draws."""
    method, confidence = study.resampling.interval, study.resampling.confidence
    results = dict.fromkeys(pairs, PairTest())
    if "t" in (method, test):
        ends, p_values = study.jackknifed(cases, statistic).differences(pairs, confidence)
        for pair, low, high, p in zip(pairs, *ends, p_values, strict=True):
            results[pair] = PairTest(float(low), float(high), float(p) if test == "t" else nan)
    if method == "t" and test != "bootstrap":
        return results
    draws = study.replicates(cases, statistic)
    left_out = study.jackknives(cases, statistic) if method == "bca" else []
    values = cases.values(statistic)
    for a, b in pairs:
        differences = draws[:, a] - draws[:, b]
        if method != "t":
            jackknives = [part[:, a] - part[:, b] for part in left_out]
            low, high, _ = study.interval(differences, float(values[a] - values[b]), jackknives)
            results[a, b] = results[a, b]._replace(low=low, high=high)
        if test == "bootstrap":
            results[a, b] = results[a, b]._replace(p_value=bootstrap_p(differences))
    return results


def _permuted(
    study: Inquiry,
    cases: Cases,
    statistic: Statistic,
    pairs: Sequence[ColumnPair],
    factors: tuple[str, ...],
    budget: PermutationBudget,
) -> Mapping[ColumnPair, tuple[float, int]]:
    if "annotators" in factors:
        cases = by_judgment(cases)
    cell, n_cells = _cells(cases, factors)
    values = cases.values(statistic)
    observed = np.array([values[a] - values[b] for a, b in pairs])
    prepared: dict[bytes, Swapped] = {}

    def null(swaps: NDArray[np.int32], pending: NDArray[np.int64]) -> NDArray[np.float64]:
        key = pending.tobytes()
        if key not in prepared:
            prepared[key] = null_differences(cases, statistic, [pairs[number] for number in pending.tolist()])
        return prepared[key](np.take(swaps, cell, axis=1))

    tested = permutation_tests(observed, null, Swaps(n_cells), budget, study.resampling.seed, workers=study.workers)
    results = zip(tested.p_values.tolist(), tested.permutations.tolist(), strict=True)
    return dict(zip(pairs, results, strict=True))


def _cells(cases: Cases, factors: tuple[str, ...]) -> tuple[NDArray[np.int64], int]:
    """The cell of each case, numbered over the cells with cases, and how many there are."""
    present, cell = np.unique(cases.sample.cells(factors)[cases.rows], return_inverse=True)
    return cell.astype(np.int64), len(present)


def by_judgment(cases: Cases) -> Cases:
    """The cases with a row per judgment, so that swaps can be constant over annotators.

    Extends PERM-BOTH to annotators: an evaluator is compared with single judgments instead of their mean, and the
    scores of one annotator's judgment of a unit are swapped together.
    """
    sample, ratings = cases.sample.by_judgment()
    rows = np.flatnonzero(np.isin(ratings.unit, cases.rows))
    columns = [
        replace(
            column,
            values=column.values[ratings.unit],
            gaps=Gaps.none(len(ratings.unit)),
            statistics=None if column.statistics is None else column.statistics[ratings.unit],
        )
        for column in cases.candidates
    ]
    target = replace(
        cases.target, values=ratings.value, gaps=Gaps.none(len(ratings.value)), statistics=None, finish=None
    )
    return replace(cases, sample=sample, rows=rows, candidates=columns, target=target)


def _analytic(test: str, cases: Cases, statistic: Statistic, pairs: Sequence[ColumnPair]) -> dict[ColumnPair, PairTest]:
    if test not in ("williams", "steiger") or not pairs or not has_analytic_test(statistic, cases.grouping):
        return {}
    values, between = cases.values(statistic), cases.between(statistic)
    p_value = williams if test == "williams" else steiger
    return {
        (a, b): PairTest(p_value=p_value(float(values[a]), float(values[b]), float(between[a, b]), cases.n))
        for a, b in pairs
    }
