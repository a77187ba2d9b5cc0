"""Permutation tests with as many permutations as a correction for many tests needs.

A sampled p-value is never below 1 / (permutations + 1). With 66 tests, Holm's correction and 1,000 permutations nothing
can be significant, however large the difference. So the number of permutations is made here, by construction:

- Where there are few rearrangements (`MOST_ENUMERATED`) all of them are tried, and p = hits / all, the data as they
  are being one of them.
- Else each hypothesis gets `Budget.fewest` permutations. One with `ENOUGH_HITS` of them at least as extreme as what
  was observed is clearly not significant and ends there with p = (hits + 1) / (n + 1) (Phipson and Smyth 2010). The
  others go on until that many hits are found, at permutation n, with p = ENOUGH_HITS / n (Besag and Clifford 1991), or
  until `Budget.most`, `PRECISION` times the tests over alpha, with p = (hits + 1) / (n + 1).

Each is a valid p-value. P(p <= a) is at most a under the null hypothesis: for a above ENOUGH_HITS / fewest the event is
that of a test with `fewest` permutations, for a below it that of the sequential test of Besag and Clifford. p depends
on the seed, the hypothesis itself and the number of tests in its family; not on the other hypotheses, on the order in
which they are asked or on the number of workers.

How to use it: say what changes places (`Swaps(n_cells)` for paired things, `Splits(n, k)` for two independent samples),
write a function of rearrangements (rows, cells) and of the numbers of the hypotheses that are still open, giving what
would have been observed, (rows, hypotheses), and call `permutation_tests(observed, null, Swaps(n), Budget(...), seed)`.
Hypotheses of one family that need different cells are asked one by one, each with the budget of the whole family.

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
"""What would have been observed under rearrangements (B, cells), of some hypotheses: (B, hypotheses)."""

MOST_ENUMERATED = 2**14
MOST_SAMPLED = 2**20
ENOUGH_HITS = 20
PRECISION = 20
"""At the smallest level a correction asks for, p rests on this many hits: its standard error is a quarter of it."""
ROUNDING = 1e-10
"""Differences that are equal but for rounding are equal."""


class Rearrangements(Protocol):
    """What can change places: how many ways there are, all of them, and some at random."""

    @property
    def count(self) -> int:
        """How many rearrangements differ in what they show."""

    def all(self) -> NDArray[np.int32]:
        """Every one of them, (count, cells), the data as they are included."""

    def draw(self, rng: np.random.Generator, n_rows: int) -> NDArray[np.int32]:
        """Some at random, (n_rows, cells)."""


@dataclass(frozen=True)
class Swaps:
    """Two things change places in each of some cells or not: 1 or 0.

    Swapping every cell turns a difference around and leaves its size, so half of all ways are enough.
    """

    n_cells: int

    @property
    def count(self) -> int:
        """Half of the 2^n ways."""
        return int(2 ** max(self.n_cells - 1, 0))

    def all(self) -> NDArray[np.int32]:
        """Every way that leaves the first cell as it is."""
        number = np.arange(self.count)
        return np.stack([number >> max(cell - 1, 0) & (cell > 0) for cell in range(self.n_cells)], axis=1).astype(
            np.int32
        )

    def draw(self, rng: np.random.Generator, n_rows: int) -> NDArray[np.int32]:
        """A fair coin for each cell."""
        return swaps(rng, n_rows, self.n_cells)


@dataclass(frozen=True)
class Splits:
    """k of n things are dealt to the first of two samples: 1, or 0 for the second."""

    n: int
    k: int

    @property
    def count(self) -> int:
        """The ways to choose k of n."""
        return comb(self.n, self.k)

    def all(self) -> NDArray[np.int32]:
        """Every choice of k."""
        rows = np.zeros((self.count, self.n), np.int32)
        chosen = np.array(list(combinations(range(self.n), self.k)), np.int64).reshape(self.count, self.k)
        np.put_along_axis(rows, chosen, 1, axis=1)
        return rows

    def draw(self, rng: np.random.Generator, n_rows: int) -> NDArray[np.int32]:
        """Choices of k at random."""
        return without_replacement(rng, n_rows, self.n, self.k)


@dataclass(frozen=True)
class Budget:
    """How many permutations a test may take.

    Attributes:
        fewest: permutations of every test that is sampled.
        n_tests: tests in the family that is corrected for together; 1 without a correction.
        alpha: level of the family.
    """

    fewest: int = 1000
    n_tests: int = 1
    alpha: float = 0.05

    @property
    def most(self) -> int:
        """Permutations after which even the smallest level of the correction is reached, with room to spare."""
        return max(self.fewest, min(MOST_SAMPLED, ceil(PRECISION * self.n_tests / self.alpha)))


class Tested(NamedTuple):
    """Two-sided p-values, the permutations each rests on, and whether they were all there are."""

    p_values: Floats
    permutations: NDArray[np.int64]
    exact: bool


def permutation_tests(
    observed: NDArray[Any],
    null: Null,
    rearrangements: Rearrangements,
    budget: Budget,
    seed: int,
    *,
    purpose: tuple[int, ...] = (1, 0),
    workers: int = 1,
) -> Tested:
    """Test some hypotheses. NaN where nothing was observed, or where no permutation is defined.

    Permutations that are undefined (NaN) are left out. `purpose` names the stream of random numbers.
    """
    observed = np.asarray(observed, np.float64)
    asked = np.flatnonzero(~np.isnan(observed))
    if rearrangements.count <= MOST_ENUMERATED:
        return _enumerated(observed, asked, null, rearrangements)
    tally = _Tally(observed, budget)
    done = 0
    with ThreadPoolExecutor(max(workers, 1)) as pool:
        while len(asked) and done < budget.most:
            goal = min(max(budget.fewest, 2 * done), budget.most)
            starts = range(done, goal, BLOCK)

            def task(start: int, asked: NDArray[np.int64] = asked) -> Floats:
                rng = Block(seed, start, BLOCK).rng(*purpose)
                return null(rearrangements.draw(rng, BLOCK), asked)

            parts: Iterable[Floats] = pool.map(task, starts) if workers > 1 else map(task, starts)
            for part in parts:
                tally.add(asked, part)
            done = starts[-1] + BLOCK
            asked = asked[np.isnan(tally.p_values[asked])]
    tally.settle(asked)
    return Tested(tally.p_values, tally.drawn, exact=False)


class _Tally:
    """Hits and defined permutations of each hypothesis, and its p-value once it is settled."""

    def __init__(self, observed: Floats, budget: Budget) -> None:
        self.observed, self.budget = observed, budget
        self.hits = np.zeros(len(observed), np.int64)
        self.drawn = np.zeros(len(observed), np.int64)
        self.p_values = np.full(len(observed), np.nan)

    def add(self, asked: NDArray[np.int64], values: Floats) -> None:
        """Count a block of permutations, (B, asked), and settle what it decides at the very permutation that does."""
        open_ = np.isnan(self.p_values[asked])
        asked, values = asked[open_], values[:, open_]
        drawn = self.drawn[asked] + np.cumsum(~np.isnan(values), axis=0)
        hits = self.hits[asked] + np.cumsum(_is_hit(values, self.observed[asked]), axis=0)
        decided = (drawn >= self.budget.fewest) & (hits >= ENOUGH_HITS) | (drawn >= self.budget.most)
        at = np.where(decided.any(axis=0), decided.argmax(axis=0), len(values) - 1)
        columns = np.arange(len(asked))
        self.drawn[asked], self.hits[asked] = drawn[at, columns], hits[at, columns]
        self.settle(asked[decided.any(axis=0)])

    def settle(self, which: NDArray[np.int64]) -> None:
        """Give p: sequential where the last hit came after the first stage, else that of so many permutations."""
        hits, drawn = self.hits[which], self.drawn[which]
        sequential = (hits >= ENOUGH_HITS) & (drawn > self.budget.fewest)
        p_values = np.where(sequential, hits / np.maximum(drawn, 1), (hits + 1) / (drawn + 1))
        self.p_values[which] = np.where(drawn > 0, p_values, np.nan)


def _enumerated(observed: Floats, asked: NDArray[np.int64], null: Null, rearrangements: Rearrangements) -> Tested:
    ways = rearrangements.all()
    p_values, drawn = np.full(len(observed), np.nan), np.zeros(len(observed), np.int64)
    if len(asked):
        starts = range(0, len(ways), BLOCK)
        values = np.concatenate([null(ways[start : start + BLOCK], asked) for start in starts])
        drawn[asked] = (~np.isnan(values)).sum(axis=0)
        hits = _is_hit(values, observed[asked]).sum(axis=0)
        p_values[asked] = np.where(drawn[asked] > 0, hits / np.maximum(drawn[asked], 1), np.nan)
    return Tested(p_values, drawn, exact=True)


def _is_hit(values: Floats, observed: Floats) -> NDArray[np.bool_]:
    """At least as far from 0 as what was observed; what is undefined is no hit.

    Rounding is told by the scale of the differences themselves, so that scores as small as probabilities are tested.
    """
    size, sizes = np.abs(observed), np.abs(values)
    scale = np.fmax.reduce(sizes, axis=0, initial=0.0)
    return np.asarray(sizes >= size - ROUNDING * np.maximum(scale, size))
