"""How far HUSE would move with other outputs, or with other annotators.

Leave-one-out errors of neighbors hang together, so a binomial interval is too narrow; a bootstrap copies points,
which become their own neighbors; deleting a few points changes too few votes, and the jackknife exaggerates. What
works (docs/huse.md has the study) is to split the outputs at random into two halves that share nothing. The two
halves' values are independent, so half the mean squared difference over many splits is the variance at half the
size, and half of that the variance at the whole size.

With annotators it is the same up to the last step: other judgments of the same outputs reorder their neighbors however
many they are, and the variance hardly falls with the size of the panel (by 10 to 25% from half to whole, simulated). So
the variance of half the panel is reported, which is a little too large.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from assay.evaluators.huse.measure import MEASURES, Rules, measure
from assay.evaluators.huse.problem import Floats, Problem

# Quantile of Student's t with 16 degrees of freedom: the estimated deviation itself varies by about 18% from data
# to data (docs/huse.md), which is what 16 degrees of freedom would do.
T_QUANTILE = 2.1199
MOST_SPLITS, FEWEST_SPLITS = 100, 10
FEW_ERRORS = 10
FEWEST_ITEMS, FEWEST_ANNOTATORS = 10, 4
# Outputs times splits that are worth waiting for.
WORK = 2_000_000

Split = Callable[[np.random.Generator], tuple[Problem, Problem]]


@dataclass(frozen=True)
class Interval:
    """A 95% interval for the value expected of data of this size; NaN with a reason where there is none."""

    low: float
    high: float
    reason: str = ""


@dataclass(frozen=True, eq=False)
class Panel:
    """Judgments one by one: which output of the problem, which annotator, which value."""

    position: NDArray[np.int64]
    annotator: NDArray[np.int64]
    value: Floats

    def means(self, kept: NDArray[np.bool_], n: int) -> Floats:
        """Return the mean judgment of each of n outputs over the kept judgments, NaN where none is left."""
        counts = np.bincount(self.position[kept], minlength=n)
        sums = np.bincount(self.position[kept], weights=self.value[kept], minlength=n)
        return np.divide(sums, counts, out=np.full(n, np.nan), where=counts > 0)


def item_intervals(problem: Problem, rules: Rules, seed: int) -> dict[str, Interval]:
    """Return intervals over other items: the outputs of an item stay together."""
    groups = np.unique(problem.group)
    if len(groups) < FEWEST_ITEMS:
        return _none(f"too few items ({len(groups)} < {FEWEST_ITEMS})")
    kinds = _group_kinds(problem, groups)

    def split(rng: np.random.Generator) -> tuple[Problem, Problem]:
        # Groups of like composition are dealt out in turn, so that both halves have their share of each class.
        order = np.lexsort((rng.random(len(groups)), kinds))
        first = np.isin(problem.group, groups[order[::2]])
        return problem.take(np.flatnonzero(first)), problem.take(np.flatnonzero(~first))

    return _intervals(problem, rules, split, np.random.default_rng([seed, 0]), halved=True)


def annotator_intervals(problem: Problem, panel: Panel, rules: Rules, seed: int) -> dict[str, Interval]:
    """Return intervals over other annotators who judge the same outputs."""
    annotators = np.unique(panel.annotator)
    if len(annotators) < FEWEST_ANNOTATORS:
        return _none(f"too few annotators ({len(annotators)} < {FEWEST_ANNOTATORS})")

    def split(rng: np.random.Generator) -> tuple[Problem, Problem]:
        chosen = rng.permutation(annotators)[: len(annotators) // 2]
        first = np.isin(panel.annotator, chosen)
        return judged_by(problem, panel, first), judged_by(problem, panel, ~first)

    return _intervals(problem, rules, split, np.random.default_rng([seed, 1]), halved=False)


def judged_by(problem: Problem, panel: Panel, kept: NDArray[np.bool_]) -> Problem:
    """Return the problem with mean judgments over some judgments only; an output without any is left out."""
    means = panel.means(kept, len(problem))
    quality = np.column_stack([means, problem.quality[:, 1:]])
    return replace(problem, quality=quality).take(np.flatnonzero(~np.isnan(means)))


def _intervals(
    problem: Problem, rules: Rules, split: Split, rng: np.random.Generator, *, halved: bool
) -> dict[str, Interval]:
    if len(problem) < 2 * (rules.k + 1):
        return _none(f"too few outputs for halves of them ({len(problem)} < {2 * (rules.k + 1)})")
    whole = measure(problem, rules).values
    n_splits = int(np.clip(WORK // len(problem), FEWEST_SPLITS, MOST_SPLITS))
    squares: list[list[float]] = []
    for _ in range(n_splits):
        one, other = (measure(half, rules).values for half in split(rng))
        squares.append([(one[name] - other[name]) ** 2 for name in MEASURES])
    usable = np.array(squares)
    found = {}
    for column, name in enumerate(MEASURES):
        known = usable[~np.isnan(usable[:, column]), column]
        if np.isnan(whole[name]) or len(known) < FEWEST_SPLITS:
            found[name] = Interval(np.nan, np.nan, "halves of the data cannot be measured")
            continue
        deviation = float(np.sqrt(known.mean() / (4 if halved else 2)))
        if name != "huse_d":
            deviation = max(deviation, _least_deviation(whole[name], len(problem)))
        reach = T_QUANTILE * deviation
        low, high = whole[name] - reach, whole[name] + reach
        # An error rate lies between 0 and 1; HUSE-D, a difference, is not bounded so.
        found[name] = Interval(low, high) if name == "huse_d" else Interval(max(low, 0.0), min(high, 2.0))
    return found


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
    """Number groups by how many outputs of people and of the system they hold."""
    place = np.searchsorted(groups, problem.group)
    people = np.bincount(place, weights=problem.human, minlength=len(groups)).astype(np.int64)
    return people * (len(problem) + 1) + np.bincount(place, minlength=len(groups))


def _none(reason: str) -> dict[str, Interval]:
    return {name: Interval(np.nan, np.nan, reason) for name in MEASURES}
