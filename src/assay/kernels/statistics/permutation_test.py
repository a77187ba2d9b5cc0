"""Permutation tests with as many permutations as the multiple-testing correction needs.

A sampled p-value is never below 1 / (permutations + 1). With 66 tests, Holm's correction and 1,000 permutations,
nothing can be significant, however large the difference. So the number of permutations is chosen here:

- If there are at most `MOST_ENUMERATED` rearrangements, all are enumerated, and p = hits / all, with the observed
  arrangement among them.
- Otherwise each hypothesis gets `Budget.fewest` permutations. One with `ENOUGH_HITS` hits, permutations at least as
  extreme as the observation, is clearly not significant and stops with p = (hits + 1) / (n + 1) (Phipson and Smyth
  2010). The others continue until that many hits, at permutation n, with p = ENOUGH_HITS / n (Besag and Clifford
  1991), or until `Budget.most`, `PRECISION` times the tests over alpha, with p = (hits + 1) / (n + 1).

Each is a valid p-value: P(p <= a) is at most a under the null hypothesis. For a above ENOUGH_HITS / fewest the event is
that of a test with `fewest` permutations, below it that of the sequential test of Besag and Clifford. p depends on the
seed, the hypothesis and the size of its family; not on the other hypotheses, their order or the number of workers.

Usage: choose the rearrangements (`Swaps(n_cells)` for paired samples, `Splits(n, k)` for two independent ones), write a
function of rearrangements (rows, cells) and of the indices of the open hypotheses that returns the values under the
null, (rows, hypotheses), and call `permutation_tests(observed, null, Swaps(n), Budget(...), seed)`. Hypotheses of one
family that need different cells are tested one by one, each with the budget of the whole family.

Besag and Clifford, "Sequential Monte Carlo p-values" (Biometrika 1991); Phipson and Smyth, "Permutation p-values should
never be zero" (2010).
"""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import combinations
from math import ceil, comb
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from assay.kernels.statistics.resample import BLOCK, Block, swaps, without_replacement

Floats = NDArray[np.float64]
Null = Callable[[NDArray[np.int32], NDArray[np.int64]], Floats]
"""Values under rearrangements (B, cells), for the given hypotheses: (B, hypotheses)."""

MOST_ENUMERATED = 2**14
MOST_SAMPLED = 2**20
ENOUGH_HITS = 20
PRECISION = 20
"""Expected hits at the smallest corrected level: the standard error of p is then a quarter of p."""
ROUNDING = 1e-10
"""Relative tolerance within which two differences are equal."""


class Rearrangements(Protocol):
    """A set of rearrangements: its size, all of them, or a random sample."""

    @property
    def count(self) -> int:
        """Number of distinguishable rearrangements."""

    def all(self) -> NDArray[np.int32]:
        """All of them, (count, cells), including the observed arrangement."""

    def draw(self, rng: np.random.Generator, n_rows: int) -> NDArray[np.int32]:
        """A random sample, (n_rows, cells)."""


@dataclass(frozen=True)
class Swaps:
    """Paired samples: in each cell, 1 swaps the two members and 0 does not.

    Swapping every cell only flips the sign of a difference, so half of all rearrangements suffice.
    """

    n_cells: int

    @property
    def count(self) -> int:
        """Half of 2^n."""
        return int(2 ** max(self.n_cells - 1, 0))

    def all(self) -> NDArray[np.int32]:
        """All rearrangements that leave the first cell unswapped."""
        number = np.arange(self.count)
        return np.stack([number >> max(cell - 1, 0) & (cell > 0) for cell in range(self.n_cells)], axis=1).astype(
            np.int32
        )

    def draw(self, rng: np.random.Generator, n_rows: int) -> NDArray[np.int32]:
        """A fair coin for each cell."""
        return swaps(rng, n_rows, self.n_cells)


@dataclass(frozen=True)
class Splits:
    """Independent samples: 1 assigns k of n members to the first sample, 0 the others to the second."""

    n: int
    k: int

    @property
    def count(self) -> int:
        """Binomial coefficient of n and k."""
        return comb(self.n, self.k)

    def all(self) -> NDArray[np.int32]:
        """All choices of k."""
        rows = np.zeros((self.count, self.n), np.int32)
        chosen = np.array(list(combinations(range(self.n), self.k)), np.int64).reshape(self.count, self.k)
        np.put_along_axis(rows, chosen, 1, axis=1)
        return rows

    def draw(self, rng: np.random.Generator, n_rows: int) -> NDArray[np.int32]:
        """Random choices of k."""
        return without_replacement(rng, n_rows, self.n, self.k)


@dataclass(frozen=True)
class PermutationBudget:
    """Number of permutations per test.

    Attributes:
        fewest: permutations of every sampled test.
        n_tests: tests in the family that is corrected together; 1 without correction.
        alpha: familywise level.
    """

    fewest: int = 1000
    n_tests: int = 1
    alpha: float = 0.05

    @property
    def most(self) -> int:
        """Enough permutations to resolve the smallest level of the correction, with a margin."""
        return max(self.fewest, min(MOST_SAMPLED, ceil(PRECISION * self.n_tests / self.alpha)))


class PermutationTest(NamedTuple):
    """Two-sided p-values, the number of permutations of each, and whether all were enumerated."""

    p_values: Floats
    permutations: NDArray[np.int64]
    exact: bool


def permutation_tests(
    observed: NDArray[Any],
    null: Null,
    rearrangements: Rearrangements,
    budget: PermutationBudget,
    seed: int,
    *,
    purpose: tuple[int, ...] = (1, 0),
    workers: int = 1,
) -> PermutationTest:
    """Two-sided p-value of each hypothesis; NaN if its observation or every permutation is undefined.

    Undefined permutations (NaN) are left out. `purpose` names the random stream.
    """
    observed = np.asarray(observed, np.float64)
    open_tests = np.flatnonzero(~np.isnan(observed))
    if rearrangements.count <= MOST_ENUMERATED:
        return _enumerated(observed, open_tests, null, rearrangements)
    tally = _Tally(observed, budget)
    n_done = 0
    with ThreadPoolExecutor(max(workers, 1)) as pool:
        while len(open_tests) and n_done < budget.most:
            goal = min(max(budget.fewest, 2 * n_done), budget.most)
            starts = range(n_done, goal, BLOCK)

            def task(start: int, open_tests: NDArray[np.int64] = open_tests) -> Floats:
                rng = Block(seed, start, BLOCK).rng(*purpose)
                return null(rearrangements.draw(rng, BLOCK), open_tests)

            parts: Iterable[Floats] = pool.map(task, starts) if workers > 1 else map(task, starts)
            for part in parts:
                tally.add(open_tests, part)
            n_done = starts[-1] + BLOCK
            open_tests = open_tests[np.isnan(tally.p_values[open_tests])]
    tally.settle(open_tests)
    return PermutationTest(tally.p_values, tally.n_drawn, exact=False)


class _Tally:
    """Hits and defined permutations of each hypothesis, and its p-value once settled."""

    def __init__(self, observed: Floats, budget: PermutationBudget) -> None:
        self.observed, self.budget = observed, budget
        self.hits = np.zeros(len(observed), np.int64)
        self.n_drawn = np.zeros(len(observed), np.int64)
        self.p_values = np.full(len(observed), np.nan)

    def add(self, open_tests: NDArray[np.int64], values: Floats) -> None:
        """Count a block of permutations (B, open tests); settle each test at the permutation that decides it."""
        open_ = np.isnan(self.p_values[open_tests])
        open_tests, values = open_tests[open_], values[:, open_]
        n_drawn = self.n_drawn[open_tests] + np.cumsum(~np.isnan(values), axis=0)
        hits = self.hits[open_tests] + np.cumsum(_is_hit(values, self.observed[open_tests]), axis=0)
        decided = (n_drawn >= self.budget.fewest) & (hits >= ENOUGH_HITS) | (n_drawn >= self.budget.most)
        at = np.where(decided.any(axis=0), decided.argmax(axis=0), len(values) - 1)
        columns = np.arange(len(open_tests))
        self.n_drawn[open_tests], self.hits[open_tests] = n_drawn[at, columns], hits[at, columns]
        self.settle(open_tests[decided.any(axis=0)])

    def settle(self, which: NDArray[np.int64]) -> None:
        """Set p: sequential if the last hit came after the first stage, else from the fixed number of permutations."""
        hits, n_drawn = self.hits[which], self.n_drawn[which]
        sequential = (hits >= ENOUGH_HITS) & (n_drawn > self.budget.fewest)
        p_values = np.where(sequential, hits / np.maximum(n_drawn, 1), (hits + 1) / (n_drawn + 1))
        self.p_values[which] = np.where(n_drawn > 0, p_values, np.nan)


def _enumerated(
    observed: Floats, open_tests: NDArray[np.int64], null: Null, rearrangements: Rearrangements
) -> PermutationTest:
    arrangements = rearrangements.all()
    p_values, n_drawn = np.full(len(observed), np.nan), np.zeros(len(observed), np.int64)
    if len(open_tests):
        starts = range(0, len(arrangements), BLOCK)
        values = np.concatenate([null(arrangements[start : start + BLOCK], open_tests) for start in starts])
        n_drawn[open_tests] = (~np.isnan(values)).sum(axis=0)
        hits = _is_hit(values, observed[open_tests]).sum(axis=0)
        p_values[open_tests] = np.where(n_drawn[open_tests] > 0, hits / np.maximum(n_drawn[open_tests], 1), np.nan)
    return PermutationTest(p_values, n_drawn, exact=True)


def _is_hit(values: Floats, observed: Floats) -> NDArray[np.bool_]:
    """Whether a value is at least as far from 0 as the observation; NaN is not a hit.

    The tolerance is relative to the differences themselves, so that tiny scores such as probabilities can be tested.
    """
    size, sizes = np.abs(observed), np.abs(values)
    scale = np.fmax.reduce(sizes, axis=0, initial=0.0)
    return np.asarray(sizes >= size - ROUNDING * np.maximum(scale, size))
