"""Whether a system lacks something, compared with what a system equal to people would show.

If a system were equal to people, who wrote which output of an item would be a matter of chance. So the labels are
exchanged at random, within items where an item has outputs of both, between items of one size where it has not, and
the measure is taken again: p is how often it comes out as low as it did. Items that are easy or hard, and annotators
who are strict or lenient, stay where they are.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from assay.evaluators.huse.measure import Measured, Rules, measure, vote
from assay.evaluators.huse.problem import Problem

MOST, FEWEST = 399, 79
# Outputs times permutations that are worth waiting for.
WORK = 2_000_000

Labels = NDArray[np.bool_]


def p_equal(measured: Measured, names: Collection[str], seed: int, alpha: float) -> dict[str, float]:
    """Return how often a system equal to people would have each measure as low as it is; NaN where it has no value.

    Drawing stops as soon as p must lie above `alpha`; what is returned then is the share so far.
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
    """Measure what is wanted: HUSE-Q alone needs one vote."""
    if set(names) == {"huse_q"}:
        return {"huse_q": vote(problem, rules, with_logprob=False).value}
    return measure(problem, rules).values


class _Exchange:
    """Random labels that leave every item as many human texts as it has, or as some other item has."""

    def __init__(self, problem: Problem) -> None:
        items, self.item = np.unique(problem.group, return_inverse=True)
        size = np.bincount(self.item, minlength=len(items))
        people = np.bincount(self.item, weights=problem.human, minlength=len(items)).astype(np.int64)
        self.people = people
        alone = (people == 0) | (people == size)
        # Items that hold outputs of one side only trade their side with items of the same size.
        self.trading = [np.flatnonzero(alone & (size == one)) for one in np.unique(size[alone])]

    def labels(self, rng: np.random.Generator) -> Labels:
        """Draw who wrote which output."""
        people = self.people.copy()
        for items in self.trading:
            people[items] = rng.permutation(people[items])
        order = np.lexsort((rng.random(len(self.item)), self.item))
        first = np.searchsorted(self.item[order], self.item[order])
        human = np.empty(len(self.item), np.bool_)
        human[order] = np.arange(len(order)) - first < people[self.item[order]]
        return human
