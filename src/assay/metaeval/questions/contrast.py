"""Evaluators against each other: whose agreement with the target is better, and is the difference more than chance?

Each pair is compared on the units that have both scores and the target; pair_tests.py has the intervals and the tests.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import isnan, nan

import numpy as np
from numpy.typing import NDArray

from assay.kernels.statistics.crossed_jackknife import FEWEST_COMPARED
from assay.kernels.statistics.significance import clusters
from assay.metaeval.questions.inquiry import FEWEST, NOTHING_VARIES, Inquiry, by_mask
from assay.metaeval.questions.levels import Cases
from assay.metaeval.questions.pair_tests import (
    CORRECTIONS,
    USUAL_PROCEDURE,
    PairTest,
    Procedure,
    compare_pairs,
    has_analytic_test,
    swapped_factors,
)
from assay.metaeval.questions.question import signature
from assay.metaeval.questions.statistics import Statistic
from assay.part import Number
from assay.scores import Column


@dataclass(frozen=True)
class Contrast:
    """Two evaluators on the same units. `difference` is left minus right; `p_adjusted` is for all pairs of the table.

    `permutations` counts those of a permutation test; 0 for other tests.
    """

    left: str
    right: str
    target: str
    statistic: str
    level: str
    grouping: str
    left_value: float
    right_value: float
    difference: float
    low: float
    high: float
    p_value: float
    p_adjusted: float
    correction: str
    test: str
    swapped: tuple[str, ...]
    permutations: int
    n: int
    reason: str
    signature: str

    def number(self) -> Number:
        """The difference as a number."""
        return Number.of("difference", self, "difference")


@dataclass(frozen=True)
class Clusters:
    """Evaluators, best first, cut where one differs significantly from any before it in its cluster."""

    statistic: str
    level: str
    grouping: str
    alpha: float
    correction: str
    clusters: tuple[tuple[str, ...], ...]


def contrast(study: Inquiry, procedure: Procedure = USUAL_PROCEDURE) -> tuple[list[Contrast], list[Clusters]]:
    """Compare every pair of candidates, and cut the ranking of each setting into clusters."""
    procedure = procedure.with_test(study.resampling)
    contrasts: list[Contrast] = []
    cuts: list[Clusters] = []
    for setting in study.settings():
        pairs = _pairs(study, procedure, *setting)
        adjusted = CORRECTIONS[procedure.correction](np.array([pair.p_value for pair in pairs]))
        pairs = [replace(pair, p_adjusted=float(p)) for pair, p in zip(pairs, adjusted, strict=True)]
        contrasts += pairs
        cuts.append(_clusters(study, procedure, pairs, *setting))
        study.finished()
    return contrasts, cuts


def _pairs(study: Inquiry, procedure: Procedure, statistic: Statistic, level: str, grouping: str) -> list[Contrast]:
    names = [(left.name, right.name) for left, right in combinations(study.candidates, 2)]
    masked = ((pair, study.complete(pair, level, grouping)) for pair in combinations(study.candidates, 2))
    contrasts = {
        (pair.left, pair.right): pair
        for pairs, mask in by_mask(masked)
        for pair in _on_same_cases(study, procedure, mask, pairs, (statistic, level, grouping))
    }
    return [contrasts[pair] for pair in names]


def _on_same_cases(
    study: Inquiry,
    procedure: Procedure,
    mask: NDArray[np.bool_],
    pairs: Sequence[tuple[Column, Column]],
    setting: tuple[Statistic, str, str],
) -> list[Contrast]:
    """Compare pairs that share their complete cases."""
    statistic, level, grouping = setting
    columns = list({column.name: column for pair in pairs for column in pair}.values())
    number = {column.name: j for j, column in enumerate(columns)}
    cases = study.cases(columns, mask, statistic, level, grouping)
    values = cases.values(statistic) if cases.n >= FEWEST else np.full(len(columns), nan)
    numbered = [(number[left.name], number[right.name]) for left, right in pairs]
    defined = [(a, b) for a, b in numbered if not isnan(values[a] - values[b])]
    m = len(study.candidates)
    n_tests = procedure.family(m * (m - 1) // 2)
    tested = compare_pairs(study, procedure, cases, statistic, defined, n_tests)
    answers = []
    for (left, right), (a, b) in zip(pairs, numbered, strict=True):
        difference = float(values[a] - values[b])
        test = tested.get((a, b), PairTest())
        swapped = swapped_factors(study, procedure, cases, a, b)
        answers.append(
            Contrast(
                left=left.name,
                right=right.name,
                target=study.target.name,
                statistic=statistic.name,
                level=level,
                grouping=grouping,
                left_value=float(values[a]),
                right_value=float(values[b]),
                difference=difference,
                low=test.low,
                high=test.high,
                p_value=test.p_value,
                p_adjusted=nan,
                correction=procedure.correction,
                test=procedure.test,
                swapped=swapped,
                permutations=test.permutations,
                n=cases.n,
                reason=_reason(study, procedure, statistic, cases, difference, test),
                signature=signature(
                    "contrast",
                    left=left,
                    right=right,
                    target=study.target,
                    statistic=statistic.name,
                    unit=study.table.kind,
                    level=level,
                    grouping=grouping,
                    test=procedure.test,
                    swapped=swapped,
                    correction=procedure.correction,
                    alpha=procedure.alpha,
                    family=study.candidates,
                    resampling=study.resampling.with_factors(study.factors(level)),
                ),
            )
        )
    return answers


def _reason(
    study: Inquiry, procedure: Procedure, statistic: Statistic, cases: Cases, difference: float, tested: PairTest
) -> str:
    """Why the p-value or the interval is missing; empty where neither is."""
    if cases.n < FEWEST:
        return f"only {cases.n} have both scores and the target; {FEWEST} are needed"
    if isnan(difference):
        return "a correlation is undefined on the units that have all three scores"
    if procedure.test in ("williams", "steiger") and not has_analytic_test(statistic, cases.grouping):
        return f"no {procedure.test} test for {statistic.name} grouped as {cases.grouping}"
    if not study.resampling.resamples:
        return "" if not isnan(tested.p_value) else f"the {procedure.test} test needs resamples"
    if isnan(tested.low):
        return study.why_no_interval(cases, FEWEST_COMPARED) or NOTHING_VARIES
    return "the test is undefined for these values" if isnan(tested.p_value) else ""


def _clusters(
    study: Inquiry, procedure: Procedure, pairs: Sequence[Contrast], statistic: Statistic, level: str, grouping: str
) -> Clusters:
    """Rank candidates by the value on their complete cases, and cut the ranking."""
    values: dict[str, float] = {}
    for columns, mask in study.by_pattern(level, grouping):
        cases = study.cases(columns, mask, statistic, level, grouping)
        if cases.n < FEWEST:
            continue
        for column, value in zip(columns, cases.values(statistic).tolist(), strict=True):
            if not isnan(value):
                values[column.name] = value if statistic.higher_is_closer else -value
    names = sorted((c.name for c in study.candidates if c.name in values), key=lambda name: -values[name])
    place = {name: at for at, name in enumerate(names)}
    different = np.zeros((len(names), len(names)), bool)
    for pair in pairs:
        if pair.left in place and pair.right in place and pair.p_adjusted < procedure.alpha:
            a, b = place[pair.left], place[pair.right]
            # The ranking uses all units of each, the test only shared ones: where they contradict, there is no cut.
            agree = (pair.difference > 0) == ((a < b) == statistic.higher_is_closer)
            different[a, b] = different[b, a] = agree
    return Clusters(
        statistic.name,
        level,
        grouping,
        procedure.alpha,
        procedure.correction,
        tuple(tuple(names[i] for i in cluster) for cluster in clusters(range(len(names)), different)),
    )
