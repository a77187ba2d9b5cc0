"""Permutation test of a measure of HUSE against a system equal to people.

If a system were equal to people, its labels would be exchangeable with theirs. Labels are permuted within items that
have outputs of both, and between items of equal size otherwise; p is the share of permutations with a measure as low
as the observed one. Differences between items and between annotators are preserved.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from assay.evaluators.huse.measure import Measured, Rules, measure, vote
from assay.evaluators.huse.problem import Problem

MOST, FEWEST = 399, 79
# Most outputs times permutations.
WORK = 2_000_000

Labels = NDArray[np.bool_]


def p_equal(measured: Measured, names: Collection[str], seed: int, alpha: float) -> dict[str, float]:
    """The p-value of each measure; NaN if the measure is undefined.

    Permuting stops once p must exceed `alpha`; p is then the share so far.
    """
    problem, rules = measured.problem, measured.rules
    p = {name: float("nan") for name in names}
    hits = {name: 0 for name in names if not np.isnan(measured.values[name])}
    rng = np.random.default_rng([seed, 4])
    exchange = _Exchange(problem)
    n = int(np.clip(WORK // len(problem), FEWEST, MOST)) if hits else 0
    for drawn in range(1, n + 1):
        values = _values(replace(problem, human=exchange.labels(rng)), rules, hits)
        for name in list(hits):
            hits[name] += not values[name] > measured.values[name] + 1e-12
            p[name] = (hits[name] + 1) / (drawn + 1)
            if (hits[name] + 1) / (n + 1) > alpha:
                del hits[name]
        if not hits:
            break
    return p


def _values(problem: Problem, rules: Rules, names: Collection[str]) -> Mapping[str, float]:
    """The measures by name; HUSE-Q alone needs only one vote."""
    if set(names) == {"huse_q"}:
        return {"huse_q": vote(problem, rules, with_logprob=False).value}
    return measure(problem, rules).values


class _Exchange:
    """Random permutations of the labels that preserve the number of human texts per item, or trade it between items."""

    def __init__(self, problem: Problem) -> None:
        items, self.item = np.unique(problem.group, return_inverse=True)
        size = np.bincount(self.item, minlength=len(items))
        people = np.bincount(self.item, weights=problem.human, minlength=len(items)).astype(np.int64)
        self.people = people
        alone = (people == 0) | (people == size)
        # Items that hold outputs of one side only trade their side with items of the same size.
        self.trading = [np.flatnonzero(alone & (size == one)) for one in np.unique(size[alone])]

    def labels(self, rng: np.random.Generator) -> Labels:
        """Draw labels."""
        people = self.people.copy()
        for items in self.trading:
            people[items] = rng.permutation(people[items])
        order = np.lexsort((rng.random(len(self.item)), self.item))
        first = np.searchsorted(self.item[order], self.item[order])
        human = np.empty(len(self.item), np.bool_)
        human[order] = np.arange(len(order)) - first < people[self.item[order]]
        return human
