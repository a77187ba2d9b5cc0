"""Evaluators against each other: whose agreement with the target is better, and is the difference more than chance?

Each pair is compared on the units that have both scores and the target. The interval of the difference comes from
the draws of the correlations; p from swapping the two evaluators' scores (Deutsch et al. 2021), from those draws, or
from the tests of Williams and Steiger for correlations that share a variable.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import isnan, nan
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError
from assay.kernels.resample import Block, map_blocks
from assay.kernels.significance import (
    benjamini_hochberg,
    bootstrap_p,
    clusters,
    holm,
    permutation_p,
    steiger,
    williams,
)
from assay.meta.correlation import FEWEST, Study
from assay.meta.levels import Cases
from assay.meta.question import signature
from assay.meta.sample import swap_cells
from assay.meta.statistics import Statistic
from assay.meta.swaps import null_differences
from assay.scores import Column, Gaps

Test = Literal["auto", "t", "permutation", "bootstrap", "williams", "steiger"]
TESTS = ("auto", "t", "permutation", "bootstrap", "williams", "steiger")
CORRECTIONS: dict[str, Callable[[NDArray[Any]], NDArray[np.float64]]] = {
    "holm": holm,
    "bh": benjamini_hochberg,
    "none": np.asarray,
}


@dataclass(frozen=True)
class Contrast:
    """Two evaluators on the same units. `difference` is left minus right; p_adjusted is for all pairs of the table."""

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
    n: int
    reason: str
    signature: str


@dataclass(frozen=True)
class Clusters:
    """Evaluators, best first, cut where one differs significantly from any before it in its cluster."""

    statistic: str
    level: str
    grouping: str
    alpha: float
    correction: str
    clusters: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Procedure:
    """How a difference is tested. `swapped` are the factors whose cells change places; empty for all there are.

    `auto` permutes where all pairs cost one pass, and where there are only systems to correlate; elsewhere a
    permutation of every pair would take minutes, and p comes from the draws of the intervals.
    """

    test: Test = "auto"
    swapped: tuple[str, ...] = ()
    correction: str = "holm"
    alpha: float = 0.05

    def __post_init__(self) -> None:
        if self.test not in TESTS:
            raise AssayError(f"no test {self.test!r}. Known: {', '.join(TESTS)}.")
        if self.correction not in CORRECTIONS:
            raise AssayError(f"no correction {self.correction!r}. Known: {', '.join(CORRECTIONS)}.")

    def for_setting(self, statistic: Statistic, cases: Cases) -> Procedure:
        """The same with the test that `auto` stands for."""
        if self.test != "auto":
            return self
        one_pass = statistic.name in ("pearson", "spearman") and cases.grouping == "pooled"
        return replace(self, test="permutation" if self.swapped or cases.pools or one_pass else "bootstrap")


USUAL_PROCEDURE = Procedure()


def contrast(study: Study, procedure: Procedure = USUAL_PROCEDURE) -> tuple[list[Contrast], list[Clusters]]:
    """Compare every pair of candidates, and cut the ranking of each setting into clusters."""
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


def _pairs(study: Study, procedure: Procedure, statistic: Statistic, level: str, grouping: str) -> list[Contrast]:
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
    study: Study,
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
    procedure = procedure.for_setting(statistic, cases)
    values = cases.values(statistic) if cases.n >= FEWEST else np.full(len(columns), nan)
    numbered = [(number[left.name], number[right.name]) for left, right in pairs]
    defined = [(a, b) for a, b in numbered if not isnan(values[a] - values[b])]
    draws: NDArray[np.float64] | None = None
    left_out: list[NDArray[np.float64]] = []
    if defined and study.resampling.resamples:
        draws = study.replicates(columns, mask, *setting)
        left_out = study.jackknives(columns, mask, *setting) if study.resampling.interval == "bca" else []
    p_values = _p_values(study, procedure, cases, statistic, values, defined, draws)
    answers = []
    for (left, right), (a, b) in zip(pairs, numbered, strict=True):
        difference = float(values[a] - values[b])
        interval = (nan, nan, 0)
        if draws is not None and not isnan(difference):
            parts = [part[:, a] - part[:, b] for part in left_out]
            interval = study.interval(draws[:, a] - draws[:, b], difference, parts)
        p_value = p_values.get((a, b), nan)
        swapped = _swapped(study, procedure, cases, a, b)
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
                low=interval[0],
                high=interval[1],
                p_value=p_value,
                p_adjusted=nan,
                correction=procedure.correction,
                test=procedure.test,
                swapped=swapped,
                n=cases.n,
                reason=_reason(procedure, statistic, cases, difference, p_value, study.resampling.resamples),
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
                    resampling=study.resampling.with_factors(study.factors(level)),
                ),
            )
        )
    return answers


def _p_values(
    study: Study,
    procedure: Procedure,
    cases: Cases,
    statistic: Statistic,
    values: NDArray[np.float64],
    pairs: Sequence[tuple[int, int]],
    draws: NDArray[np.float64] | None,
) -> dict[tuple[int, int], float]:
    if procedure.test in ("williams", "steiger"):
        return _analytic(procedure.test, cases, statistic, values, pairs)
    if draws is None:
        return {}
    if procedure.test == "bootstrap":
        return {(a, b): bootstrap_p(draws[:, a] - draws[:, b]) for a, b in pairs}
    by_factors: dict[tuple[str, ...], list[tuple[int, int]]] = {}
    for a, b in pairs:
        by_factors.setdefault(_swapped(study, procedure, cases, a, b), []).append((a, b))
    p_values = {}
    for factors, own in by_factors.items():
        p_values.update(_permuted(study, cases, statistic, own, factors))
    return p_values


def _swapped(study: Study, procedure: Procedure, cases: Cases, a: int, b: int) -> tuple[str, ...]:
    """The factors whose cells change places: whole systems where a system's score is no mean of unit scores."""
    if procedure.test != "permutation":
        return ()
    if cases.pools and any(cases.candidates[j].finish is not None for j in (a, b)):
        return ("systems",)
    return study.sample.check(procedure.swapped) or study.sample.cell_factors()


def _permuted(
    study: Study, cases: Cases, statistic: Statistic, pairs: Sequence[tuple[int, int]], factors: tuple[str, ...]
) -> dict[tuple[int, int], float]:
    if "annotators" in factors:
        cases = by_judgment(cases)
    values = cases.values(statistic)
    differences = null_differences(cases, statistic, pairs)
    cells = cases.sample.cells(factors)

    def task(block: Block) -> NDArray[np.float64]:
        return differences(swap_cells(block, cells, cases.rows))

    parts = map_blocks(task, study.resampling.resamples, study.resampling.seed, workers=study.workers)
    null = np.concatenate(parts)
    return {(a, b): permutation_p(float(values[a] - values[b]), null[:, at]) for at, (a, b) in enumerate(pairs)}


def by_judgment(cases: Cases) -> Cases:
    """The cases with a row per judgment, so that swaps can be constant over annotators.

    The extension of PERM-BOTH to annotators: an evaluator is held against single judgments instead of their mean, and
    the scores that belong to one annotator's judgment of a unit change places together.
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
    return Cases(sample, rows, columns, target, cases.level, cases.grouping)


def _analytic(
    test: str,
    cases: Cases,
    statistic: Statistic,
    values: NDArray[np.float64],
    pairs: Sequence[tuple[int, int]],
) -> dict[tuple[int, int], float]:
    if not _has_analytic_test(statistic, cases.grouping):
        return {}
    between = cases.between(statistic)
    function = williams if test == "williams" else steiger
    return {(a, b): function(float(values[a]), float(values[b]), float(between[a, b]), cases.n) for a, b in pairs}


def _has_analytic_test(statistic: Statistic, grouping: str) -> bool:
    return statistic.name in ("pearson", "spearman") and grouping == "pooled"


def _reason(
    procedure: Procedure, statistic: Statistic, cases: Cases, difference: float, p_value: float, resamples: int
) -> str:
    if cases.n < FEWEST:
        return f"only {cases.n} have both scores and the target; {FEWEST} are needed"
    if isnan(difference):
        return "a correlation is undefined on the units that have all three scores"
    if not isnan(p_value):
        return ""
    if not resamples and procedure.test in ("permutation", "bootstrap"):
        return f"the {procedure.test} test needs resamples"
    if procedure.test in ("williams", "steiger") and not _has_analytic_test(statistic, cases.grouping):
        return f"no {procedure.test} test for {statistic.name} grouped as {cases.grouping}"
    return "the test is undefined for these values"


def _clusters(
    study: Study, procedure: Procedure, pairs: Sequence[Contrast], statistic: Statistic, level: str, grouping: str
) -> Clusters:
    """Rank the candidates by their value on their own complete cases, and cut."""
    values = {}
    for column in study.candidates:
        cases = study.cases([column], study.complete([column], level, grouping), statistic, level, grouping)
        value = float(cases.values(statistic)[0]) if cases.n >= FEWEST else nan
        if not isnan(value):
            values[column.name] = value if statistic.higher_is_closer else -value
    names = sorted(values, key=lambda name: -values[name])
    different = np.zeros((len(names), len(names)), bool)
    for pair in pairs:
        if pair.left in values and pair.right in values and pair.p_adjusted < procedure.alpha:
            a, b = names.index(pair.left), names.index(pair.right)
            different[a, b] = different[b, a] = True
    found = clusters(range(len(names)), different)
    return Clusters(
        statistic.name,
        level,
        grouping,
        procedure.alpha,
        procedure.correction,
        tuple(tuple(names[member] for member in cluster) for cluster in found),
    )
