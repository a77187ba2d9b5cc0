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
from assay.metaeval.questions.correlation import FEWEST, NOTHING_VARIES, Inquiry, by_pattern
from assay.metaeval.questions.levels import Cases
from assay.metaeval.questions.pair_tests import (
    CORRECTIONS,
    USUAL_PROCEDURE,
    Procedure,
    Tested,
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
    """Two evaluators on the same units. `difference` is left minus right; p_adjusted is for all pairs of the table.

    `permutations` says how many a permutation test's p rests on; 0 for the other tests.
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
        """The difference as a result."""
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
    found: list[Clusters] = []
    for setting in study.settings():
        pairs = _pairs(study, procedure, *setting)
        adjusted = CORRECTIONS[procedure.correction](np.array([pair.p_value for pair in pairs]))
        pairs = [replace(pair, p_adjusted=float(p)) for pair, p in zip(pairs, adjusted, strict=True)]
        contrasts += pairs
        found.append(_clusters(study, procedure, pairs, *setting))
        study.finished()
    return contrasts, found


def _pairs(study: Inquiry, procedure: Procedure, statistic: Statistic, level: str, grouping: str) -> list[Contrast]:
    by_mask: dict[bytes, tuple[NDArray[np.bool_], list[tuple[Column, Column]]]] = {}
    for left, right in combinations(study.candidates, 2):
        mask = study.complete([left, right], level, grouping)
        by_mask.setdefault(mask.tobytes(), (mask, []))[1].append((left, right))
    found = {}
    for mask, pairs in by_mask.values():
        for pair in _on_same_cases(study, procedure, mask, pairs, (statistic, level, grouping)):
            found[pair.left, pair.right] = pair
    return [found[left.name, right.name] for left, right in combinations(study.candidates, 2)]


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
    tested = compare_pairs(study, procedure, cases, mask, statistic, defined, n_tests)
    answers = []
    for (left, right), (a, b) in zip(pairs, numbered, strict=True):
        difference = float(values[a] - values[b])
        own = tested.get((a, b), Tested())
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
                low=own.low,
                high=own.high,
                p_value=own.p_value,
                p_adjusted=nan,
                correction=procedure.correction,
                test=procedure.test,
                swapped=swapped,
                permutations=own.permutations,
                n=cases.n,
                reason=_reason(study, procedure, statistic, cases, difference, own),
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
    study: Inquiry, procedure: Procedure, statistic: Statistic, cases: Cases, difference: float, tested: Tested
) -> str:
    """Why there is no p-value, or no interval; empty where there are both."""
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
    """Rank the candidates by their value on their own complete cases, and cut."""
    values: dict[str, float] = {}
    for columns, mask in by_pattern(study, level, grouping):
        cases = study.cases(columns, mask, statistic, level, grouping)
        found_here = cases.values(statistic).tolist() if cases.n >= FEWEST else [nan] * len(columns)
        for column, value in zip(columns, found_here, strict=True):
            if not isnan(value):
                values[column.name] = value if statistic.higher_is_closer else -value
    in_order = [column.name for column in study.candidates if column.name in values]
    names = sorted(in_order, key=lambda name: -values[name])
    place = {name: at for at, name in enumerate(names)}
    different = np.zeros((len(names), len(names)), bool)
    for pair in pairs:
        if pair.left in place and pair.right in place and pair.p_adjusted < procedure.alpha:
            a, b = place[pair.left], place[pair.right]
            # The ranking is of all units of each, the test of those both have: where they contradict, neither cuts.
            agree = (pair.difference > 0) == ((a < b) == statistic.higher_is_closer)
            different[a, b] = different[b, a] = agree
    found = clusters(range(len(names)), different)
    return Clusters(
        statistic.name,
        level,
        grouping,
        procedure.alpha,
        procedure.correction,
        tuple(tuple(names[member] for member in cluster) for cluster in found),
    )
