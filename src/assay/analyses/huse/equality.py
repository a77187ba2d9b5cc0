"""Whether a system lacks something, held against what a system equal to people would show.

If a system were equal to people, who wrote which output of an item would be a matter of chance. So the labels are
exchanged at random, within items where an item has outputs of both, between items of one size where it has not, and
the measure is taken again: p is how often it comes out as low as it did. Items that are easy or hard, and annotators
who are strict or kind, stay where they are.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from assay.evaluators.huse.measure import Rules, measure
from assay.evaluators.huse.problem import Problem

MOST, FEWEST = 399, 79
# Outputs times permutations that are worth waiting for.
WORK = 2_000_000

Labels = NDArray[np.bool_]


def p_equal(problem: Problem, rules: Rules, name: str, seed: int, alpha: float) -> float:
    """Return how often a system equal to people would have a value as low as this; NaN where it has none.

    Drawing stops as soon as p must lie above `alpha`; what is returned then is the share so far.
    """
    value = measure(problem, rules).values[name]
    if np.isnan(value):
        return float("nan")
    rng = np.random.default_rng([seed, 4])
    exchange = _Exchange(problem)
    n = int(np.clip(WORK // len(problem), FEWEST, MOST))
    hits = 0
    for drawn in range(1, n + 1):
        again = measure(replace(problem, human=exchange.labels(rng)), rules).values[name]
        hits += not again > value + 1e-12
        if (hits + 1) / (n + 1) > alpha:
            return (hits + 1) / (drawn + 1)
    return (hits + 1) / (n + 1)


class _Exchange:
    """Random labels that leave every item as many outputs of people as it has, or as some other item has."""

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
        found = np.empty(len(self.item), np.bool_)
        found[order] = np.arange(len(order)) - first < people[self.item[order]]
        return found
