"""Two systems by one evaluator: what is left out, drawn, swapped and counted.

`Paired` systems share items: an item is drawn, and swapped, with all outputs of both. `Unpaired` ones share few or
none: the items of each are drawn separately, and under the null hypothesis any item could belong to either.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from math import nan, sqrt
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.kernels.statistics.exact_means import as_whole_numbers
from assay.kernels.statistics.permutation_test import Rearrangements, Splits, Swaps
from assay.kernels.statistics.resample import Block, bootstrap_counts
from assay.kernels.statistics.student import NOISE
from assay.kernels.statistics.weighted import weighted_sums
from assay.metaeval.questions.oriented import orientation
from assay.metaeval.questions.sample import BOOTSTRAP, FACTORS, Sample
from assay.scores import Column

Floats = NDArray[np.float64]
ITEMS = FACTORS.index("items")
MOST_SHARED = 0.5  # the share of items that must be common for the others to be left out


class Side(NamedTuple):
    """One system's scored items, with the sums, the mean score and the number of units of each.

    `all_items` includes those without a score.
    """

    items: NDArray[np.int64]
    sums: Floats
    means: Floats
    units: Floats
    all_items: NDArray[np.int64]

    @property
    def total(self) -> Floats:
        """The sums the system is scored from, (1, k)."""
        return self.sums.sum(axis=0, keepdims=True)


class Sides:
    """Every system by one evaluator, with sums per item computed once."""

    def __init__(self, sample: Sample, column: Column) -> None:
        self.column = column
        rows = np.flatnonzero((sample.system >= 0) & ~np.isnan(column.values))
        rows = rows[np.lexsort((sample.item[rows], sample.system[rows]))]
        whole, denominator = as_whole_numbers(column.values[rows, None])
        self.denominator = float(denominator[0])
        cell = sample.system[rows] * max(sample.n_items, 1) + sample.item[rows]
        starts = np.flatnonzero(np.diff(cell, prepend=-1))
        units = np.diff(starts, append=len(rows)).astype(np.float64)
        scores = np.stack([units, _added(whole, starts)[:, 0]], axis=1)
        statistics = column.statistics if column.finish is not None else None
        sums = scores if statistics is None else _added(statistics[rows], starts)
        means, items, systems = self._mean(scores), sample.item[rows[starts]], sample.system[rows[starts]]
        order = np.argsort(sample.system, kind="stable")
        bounds = np.searchsorted(sample.system[order], np.arange(len(sample.system_names) + 1))
        ends = np.searchsorted(systems, np.arange(len(sample.system_names) + 1))
        self._sides = {}
        for number, name in enumerate(sample.system_names):
            scored = slice(ends[number], ends[number + 1])
            all_items = np.unique(sample.item[order[bounds[number] : bounds[number + 1]]])
            self._sides[name] = Side(items[scored], sums[scored], means[scored], units[scored], all_items)

    def __getitem__(self, system: str) -> Side:
        return self._sides[system]

    def score(self, sums: Floats) -> Floats:
        """Scores from sums, one per row."""
        if self.column.statistics is None or self.column.finish is None:
            return self._mean(sums)
        return self.column.finish(sums)

    def pair(self, left: str, right: str) -> SystemPair:
        """Two systems: paired where they share most items of the one with fewer."""
        sides = self[left], self[right]
        fewest = min(len(side.items) for side in sides)
        kind = Paired if len(_shared(*sides)) >= max(2, MOST_SHARED * fewest) else Unpaired
        return kind(self, *sides)

    def _mean(self, sums: Floats) -> Floats:
        """Sum over count, for sums of (1, score)."""
        n = sums[:, 0] * self.denominator
        return np.divide(sums[:, 1], n, out=np.full(len(sums), nan), where=n > 0)


class SystemPair(ABC):
    """Two systems. `n` counts the items compared; `win`, `tie` and `loss` are those of the left system."""

    paired: ClassVar[bool]
    n: int
    n_missing: int
    fewest: int
    """Items of the system with fewer."""
    win: int
    tie: int
    loss: int
    superiority: float
    effect_size: float
    rearrangements: Rearrangements
    """What is exchangeable under the null hypothesis."""
    moves: Floats
    """What each move adds to the sums of the left system and takes from those of the right."""
    fixed: tuple[Floats, Floats]
    """The sums of both before any move."""

    def __init__(self, of: Sides, left: Side, right: Side) -> None:
        self.of, self.left, self.right = of, left, right
        self.n_units = int(left.units.sum() + right.units.sum())
        self.totals = [left.total, right.total]

    @abstractmethod
    def draw(self, block: Block) -> Floats:
        """Differences in a bootstrap of items."""

    @abstractmethod
    def without_each(self) -> list[Floats]:
        """Jackknife differences: without the first item, the second, ..., one array per sample of items."""

    def values(self) -> tuple[float, float]:
        """The two systems' scores."""
        left, right = (float(self.of.score(total)[0]) for total in self.totals)
        return left, right

    def difference(self, left: Floats, right: Floats) -> Floats:
        """Left minus right, from sums."""
        return self.of.score(left) - self.of.score(right)


class Paired(SystemPair):
    """Systems with shared items; all others are left out."""

    paired = True

    def __init__(self, of: Sides, left: Side, right: Side) -> None:
        shared = _shared(left, right)
        left, right = (_only(side, shared) for side in (left, right))
        super().__init__(of, left, right)
        self.n = self.fewest = len(shared)
        self.n_missing = len(np.union1d(left.all_items, right.all_items)) - self.n
        # An item is swapped with the outputs of both.
        self.rearrangements = Swaps(self.n)
        self.moves, self.fixed = right.sums - left.sums, (self.totals[0], self.totals[1])
        by_item = orientation(of.column) * (left.means - right.means)
        self.win, self.loss = int((by_item > 0).sum()), int((by_item < 0).sum())
        self.tie = self.n - self.win - self.loss
        self.superiority = (self.win + self.tie / 2) / self.n if self.n else nan
        spread = float(by_item.std(ddof=1)) if self.n > 1 else 0.0
        varies = spread > NOISE * _size(left.means, right.means)
        self.effect_size = float(by_item.mean()) / spread if varies else nan

    def draw(self, block: Block) -> Floats:
        """An item is drawn with the outputs of both."""
        counts = bootstrap_counts(block.rng(BOOTSTRAP, ITEMS), block.size, self.n)
        return self.difference(weighted_sums(counts, self.left.sums), weighted_sums(counts, self.right.sums))

    def without_each(self) -> list[Floats]:
        """An item leaves both sides."""
        return [self.difference(self.totals[0] - self.left.sums, self.totals[1] - self.right.sums)]


class Unpaired(SystemPair):
    """Systems with different items: every item of the one is compared with every item of the other."""

    paired = False

    def __init__(self, of: Sides, left: Side, right: Side) -> None:
        super().__init__(of, left, right)
        self.n = len(left.items) + len(right.items)
        self.n_missing = len(np.union1d(left.all_items, right.all_items)) - len(np.union1d(left.items, right.items))
        self.fewest = min(len(left.items), len(right.items))
        # All items are split again into sides of the same sizes.
        self.rearrangements = Splits(self.n, len(left.items))
        self.moves = np.concatenate([left.sums, right.sums])
        self.fixed = np.zeros_like(self.totals[0]), self.totals[0] + self.totals[1]
        sign = orientation(of.column)
        ours, theirs = sign * left.means, sign * right.means
        below, upto = (np.searchsorted(np.sort(theirs), ours, side) for side in ("left", "right"))
        n_meetings = len(ours) * len(theirs)
        self.win, self.tie = int(below.sum()), int((upto - below).sum())
        self.loss = n_meetings - self.win - self.tie
        self.superiority = (self.win + self.tie / 2) / n_meetings if n_meetings else nan
        self.effect_size = _cohen_d(ours, theirs) if self.fewest > 1 else nan

    def draw(self, block: Block) -> Floats:
        """The items of each are drawn separately."""
        rng = block.rng(BOOTSTRAP, ITEMS)
        left, right = (
            weighted_sums(bootstrap_counts(rng, block.size, len(side.items)), side.sums)
            for side in (self.left, self.right)
        )
        return self.difference(left, right)

    def without_each(self) -> list[Floats]:
        """Each side loses its items in turn."""
        return [
            self.difference(self.totals[0] - self.left.sums, self.totals[1]),
            self.difference(self.totals[0], self.totals[1] - self.right.sums),
        ]


def rearranged(pairs: Sequence[SystemPair]) -> Callable[[NDArray[Any]], Floats]:
    """Differences (B, pairs) under rearrangements (B, cells) that the pairs share."""
    moves = np.concatenate([pair.moves for pair in pairs], axis=1)
    left, right = (np.concatenate([pair.fixed[side] for pair in pairs], axis=1) for side in (0, 1))
    n_sums = pairs[0].moves.shape[1]

    def under(ways: NDArray[Any]) -> Floats:
        moved = ways.astype(np.float64) @ moves
        difference = pairs[0].difference((left + moved).reshape(-1, n_sums), (right - moved).reshape(-1, n_sums))
        return difference.reshape(len(ways), len(pairs))

    return under


def _shared(left: Side, right: Side) -> NDArray[np.int64]:
    if np.array_equal(left.items, right.items):
        return left.items
    return np.intersect1d(left.items, right.items)


def _only(side: Side, shared: NDArray[np.int64]) -> Side:
    if len(shared) == len(side.items):
        return side
    mask = np.isin(side.items, shared)
    return Side(side.items[mask], side.sums[mask], side.means[mask], side.units[mask], side.all_items)


def _cohen_d(left: Floats, right: Floats) -> float:
    """The difference of means over the pooled standard deviation."""
    free = len(left) + len(right) - 2
    pooled = sqrt((left.var() * len(left) + right.var() * len(right)) / free)
    return float((left.mean() - right.mean()) / pooled) if pooled > NOISE * _size(left, right) else nan


def _size(left: Floats, right: Floats) -> float:
    """The size of the largest of some numbers, beside which a spread may be rounding."""
    return float(max(np.abs(left).max(initial=0.0), np.abs(right).max(initial=0.0)))


def _added(values: Floats, starts: NDArray[np.int64]) -> Floats:
    """Sums of rows from each start to the next."""
    return np.add.reduceat(values, starts, axis=0) if len(starts) else np.zeros((0, values.shape[1]))
