"""Sampling error of HUSE over items and over annotators.

Leave-one-out errors of neighbors are correlated, so a binomial interval is too narrow; a bootstrap copies points, which
become their own neighbors; deleting a few points changes too few votes, and the jackknife overestimates. Splitting the
outputs at random into disjoint halves works (docs/huse.md has the simulation): the two values are independent, so half
their mean squared difference over many splits is the variance at half the size, and half of that at full size.

For annotators the last step does not hold: new judgments of the same outputs reorder their neighbors however many they
are, and the variance hardly falls with the size of the panel (by 10 to 25% from half to whole, simulated). So the
variance of half the panel is reported, which is slightly conservative.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from assay.evaluators.huse.measure import MEASURES, Measured, measure
from assay.evaluators.huse.problem import Floats, Problem
from assay.metaeval.estimate import Estimate

# The estimated deviation itself varies by about 18% from data to data (docs/huse.md): as with 16 degrees of freedom.
MOST_FREE = 16
MOST_SPLITS, FEWEST_SPLITS = 100, 10
FEW_ERRORS = 10
FEWEST_ITEMS, FEWEST_ANNOTATORS = 10, 4
# Most outputs times splits.
WORK = 2_000_000

Split = Callable[[np.random.Generator], tuple[Problem, Problem]]


@dataclass(frozen=True, eq=False)
class JudgmentPanel:
    """Single judgments: the position of the output in the problem, the annotator, the value."""

    position: NDArray[np.int64]
    annotator: NDArray[np.int64]
    value: Floats

    def means(self, kept: NDArray[np.bool_], n: int) -> Floats:
        """Return the mean judgment of each of n outputs over the kept judgments, NaN where none is left."""
        counts = np.bincount(self.position[kept], minlength=n)
        sums = np.bincount(self.position[kept], weights=self.value[kept], minlength=n)
        return np.divide(sums, counts, out=np.full(n, np.nan), where=counts > 0)


def item_intervals(measured: Measured, seed: int) -> dict[str, Estimate]:
    """Return intervals over other items: the outputs of an item stay together."""
    problem = measured.problem
    groups = np.unique(problem.group)
    if len(groups) < FEWEST_ITEMS:
        return no_intervals(measured, f"too few items ({len(groups)} < {FEWEST_ITEMS})")
    kinds = _group_kinds(problem, groups)

    def split(rng: np.random.Generator) -> tuple[Problem, Problem]:
        # Groups of like composition are dealt out in turn, so that both halves have their share of each class.
        order = np.lexsort((rng.random(len(groups)), kinds))
        first = np.isin(problem.group, groups[order[::2]])
        return problem.take(np.flatnonzero(first)), problem.take(np.flatnonzero(~first))

    return _intervals(measured, split, np.random.default_rng([seed, 0]), halved=True)


def annotator_intervals(measured: Measured, panel: JudgmentPanel, seed: int) -> dict[str, Estimate]:
    """Return intervals over other annotators who judge the same outputs."""
    problem, annotators = measured.problem, np.unique(panel.annotator)
    if len(annotators) < FEWEST_ANNOTATORS:
        return no_intervals(measured, f"too few annotators ({len(annotators)} < {FEWEST_ANNOTATORS})")

    def split(rng: np.random.Generator) -> tuple[Problem, Problem]:
        chosen = rng.permutation(annotators)[: len(annotators) // 2]
        first = np.isin(panel.annotator, chosen)
        return judged_by(problem, panel, first), judged_by(problem, panel, ~first)

    return _intervals(measured, split, np.random.default_rng([seed, 1]), halved=False)


def judged_by(problem: Problem, panel: JudgmentPanel, kept: NDArray[np.bool_]) -> Problem:
    """Return the problem with mean judgments over some judgments only; an output without any is left out."""
    means = panel.means(kept, len(problem))
    quality = np.column_stack([means, problem.quality[:, 1:]])
    return replace(problem, quality=quality).take(np.flatnonzero(~np.isnan(means)))


def no_intervals(measured: Measured, reason: str) -> dict[str, Estimate]:
    """Every measure without an interval, and why."""
    n, reasons = len(measured.problem), measured.reasons
    return {
        name: Estimate(value, np.nan, np.nan, n, reasons.get(name, reason)) for name, value in measured.values.items()
    }


def _intervals(measured: Measured, split: Split, rng: np.random.Generator, *, halved: bool) -> dict[str, Estimate]:
    problem, rules = measured.problem, measured.rules
    if len(problem) < 2 * (rules.k + 1):
        return no_intervals(measured, f"too few outputs for halves of them ({len(problem)} < {2 * (rules.k + 1)})")
    n_splits = int(np.clip(WORK // len(problem), FEWEST_SPLITS, MOST_SPLITS))
    squares: list[list[float]] = []
    for _ in range(n_splits):
        one, other = (measure(half, rules).values for half in split(rng))
        squares.append([(one[name] - other[name]) ** 2 for name in MEASURES])
    estimates = no_intervals(measured, "halves of the data cannot be measured")
    for name, column in zip(MEASURES, np.array(squares).T, strict=True):
        value, known = measured.values[name], column[~np.isnan(column)]
        if np.isnan(value) or len(known) < FEWEST_SPLITS:
            continue
        deviation = float(np.sqrt(known.mean() / (4 if halved else 2)))
        if name != "huse_d":
            deviation = max(deviation, _least_deviation(value, len(problem)))
        reach = float(stdtrit(_degrees_of_freedom(name, measured), 0.975)) * deviation
        low, high = value - reach, value + reach
        if name != "huse_d":  # an error rate lies between 0 and 1; a difference of two is not bounded so
            low, high = max(low, 0.0), min(high, 2.0)
        estimates[name] = Estimate(value, low, high, len(problem))
    return estimates


def _degrees_of_freedom(name: str, measured: Measured) -> float:
    """Return how many independent pieces the deviation rests on.

    By quality alone outputs lie on a line, on which only so many neighborhoods do not overlap: HUSE-Q, and HUSE-D with
    it, moves by whole neighborhoods, and with few of them its errors have heavy tails.
    """
    if name == "huse":
        return MOST_FREE
    return min(MOST_FREE, len(measured.problem) / (measured.rules.k + 1))


def _least_deviation(twice_error: float, n: int) -> float:
    """Return the least deviation to be believed where errors are few: halves without an error differ by nothing.

    It is that of n independent outputs with two errors and two hits more (Agresti and Coull, 1998).
    """
    n_errors = twice_error / 2 * n
    if n_errors >= FEW_ERRORS:
        return 0.0
    rate = (n_errors + 2) / (n + 4)
    return float(2 * np.sqrt(rate * (1 - rate) / (n + 4)))


def _group_kinds(problem: Problem, groups: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number groups by how many human and system outputs they hold."""
    place = np.searchsorted(groups, problem.group)
    people = np.bincount(place, weights=problem.human, minlength=len(groups)).astype(np.int64)
    return people * (len(problem) + 1) + np.bincount(place, minlength=len(groups))
