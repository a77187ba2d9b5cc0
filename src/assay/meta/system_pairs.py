"""Two systems by one evaluator: what is drawn, what is swapped, and what is counted.

`Paired` systems have items in common: an item is drawn, and changes sides, with all outputs of both. `Unpaired` ones
have few or none: the items of each are drawn by themselves, and under the null hypothesis any could be either's.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from math import nan, sqrt
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.kernels.resample import Block, bootstrap_counts, swaps, without_replacement
from assay.kernels.weighted import weighted_sums
from assay.meta.oriented import orientation
from assay.meta.sample import BOOTSTRAP, FACTORS, PERMUTATION, Sample
from assay.scores import Column

Floats = NDArray[np.float64]
ITEMS = FACTORS.index("items")
MOST_SHARED = 0.5  # the share of items that must be common for the others to be left out


class Side(NamedTuple):
    """One system's items with a score: which they are, and the sums, the mean score and the number of units of each."""

    items: NDArray[np.int64]
    sums: Floats
    means: Floats
    units: Floats


class Pair(ABC):
    """Two systems. `n` counts the items compared; `win`, `tie` and `loss` are those of the left system."""

    paired: ClassVar[bool]
    n: int
    n_missing: int
    win: int
    tie: int
    loss: int
    superiority: float
    effect_size: float

    def __init__(self, column: Column, left: Side, right: Side) -> None:
        self.column, self.left, self.right = column, left, right
        self.n_units = int(left.units.sum() + right.units.sum())
        self.totals = [side.sums.sum(axis=0, keepdims=True) for side in (left, right)]

    @property
    def why_not(self) -> str:
        """Why the two cannot be compared; empty where they can."""
        return ""

    @abstractmethod
    def draw(self, block: Block) -> Floats:
        """Differences in a bootstrap of items."""

    @abstractmethod
    def swap(self, block: Block) -> Floats:
        """Differences where items change sides at random."""

    @abstractmethod
    def without_each(self) -> list[Floats]:
        """Differences without the first item, the second, ...: the jackknife, by what is drawn together."""

    def values(self) -> list[float]:
        """The two systems' scores."""
        return [float(self.score(total)[0]) for total in self.totals]

    def score(self, sums: Floats) -> Floats:
        """Scores from sums, one per row."""
        if self.column.finish is None or self.column.statistics is None:
            return _mean(sums)
        return self.column.finish(sums)

    def difference(self, left: Floats, right: Floats) -> Floats:
        """Left minus right, from sums."""
        return self.score(left) - self.score(right)


class Paired(Pair):
    """Systems with items in common; those of one alone are left out."""

    paired = True

    def __init__(self, column: Column, left: Side, right: Side) -> None:
        shared = np.intersect1d(left.items, right.items)
        left, right = (_only(side, shared) for side in (left, right))
        super().__init__(column, left, right)
        self.n = len(shared)
        by_item = orientation(column) * (left.means - right.means)
        self.win, self.loss = int((by_item > 0).sum()), int((by_item < 0).sum())
        self.tie = self.n - self.win - self.loss
        self.superiority = (self.win + self.tie / 2) / self.n if self.n else nan
        spread = float(by_item.std(ddof=1)) if self.n > 1 else 0.0
        self.effect_size = float(by_item.mean()) / spread if spread > 0 else nan

    def draw(self, block: Block) -> Floats:
        """An item is drawn with the outputs of both."""
        counts = bootstrap_counts(block.rng(BOOTSTRAP, ITEMS), block.size, self.n)
        return self.difference(weighted_sums(counts, self.left.sums), weighted_sums(counts, self.right.sums))

    def swap(self, block: Block) -> Floats:
        """An item changes sides with the outputs of both."""
        mask = swaps(block.rng(PERMUTATION, 0), block.size, self.n)
        moved = weighted_sums(mask, self.right.sums - self.left.sums)
        return self.difference(self.totals[0] + moved, self.totals[1] - moved)

    def without_each(self) -> list[Floats]:
        """An item leaves both sides."""
        return [self.difference(self.totals[0] - self.left.sums, self.totals[1] - self.right.sums)]


class Unpaired(Pair):
    """Systems with items of their own: every item of the one meets every item of the other."""

    paired = False

    def __init__(self, column: Column, left: Side, right: Side) -> None:
        super().__init__(column, left, right)
        self.n = len(left.items) + len(right.items)
        sign = orientation(column)
        mine, others = sign * left.means, np.sort(sign * right.means)
        below, upto = np.searchsorted(others, mine, "left"), np.searchsorted(others, mine, "right")
        self.win, self.tie = int(below.sum()), int((upto - below).sum())
        self.loss = len(mine) * len(others) - self.win - self.tie
        meetings = len(mine) * len(others)
        self.superiority = (self.win + self.tie / 2) / meetings if meetings else nan
        self.effect_size = _cohen_d(mine, sign * right.means) if not self.why_not else nan

    @property
    def why_not(self) -> str:
        """Two items of each are needed."""
        fewest = min(len(self.left.items), len(self.right.items))
        return "" if fewest >= 2 else f"a system has {fewest} items with a score; 2 of each are needed"

    def draw(self, block: Block) -> Floats:
        """The items of each are drawn by themselves."""
        rng = block.rng(BOOTSTRAP, ITEMS)
        left, right = (
            weighted_sums(bootstrap_counts(rng, block.size, len(side.items)), side.sums)
            for side in (self.left, self.right)
        )
        return self.difference(left, right)

    def swap(self, block: Block) -> Floats:
        """All items are dealt out anew, as many to each side as before."""
        sums = np.concatenate([self.left.sums, self.right.sums])
        mask = without_replacement(block.rng(PERMUTATION, 0), block.size, len(sums), len(self.left.items))
        left = weighted_sums(mask, sums)
        return self.difference(left, self.totals[0] + self.totals[1] - left)

    def without_each(self) -> list[Floats]:
        """Each side loses its items in turn."""
        return [
            self.difference(self.totals[0] - self.left.sums, self.totals[1]),
            self.difference(self.totals[0], self.totals[1] - self.right.sums),
        ]


def side_by_side(sample: Sample, column: Column, left: str, right: str) -> Pair:
    """Put two systems side by side: paired where they share most items of the one that has fewer."""
    sides = [_side(sample, column, sample.system_names.index(name)) for name in (left, right)]
    shared, fewest = len(np.intersect1d(sides[0].items, sides[1].items)), min(len(side.items) for side in sides)
    kind = Paired if shared >= max(2, MOST_SHARED * fewest) else Unpaired
    found = kind(column, *sides)
    mine = [sample.item[sample.system == sample.system_names.index(name)] for name in (left, right)]
    everything = len(np.union1d(*mine))
    found.n_missing = everything - (found.n if found.paired else len(np.union1d(sides[0].items, sides[1].items)))
    return found


def _side(sample: Sample, column: Column, system: int) -> Side:
    rows = np.flatnonzero((sample.system == system) & ~np.isnan(column.values))
    items, at = np.unique(sample.item[rows], return_inverse=True)
    scores = _add(np.stack([np.ones(len(rows)), column.values[rows]], axis=1), at, len(items))
    sums = scores
    if column.statistics is not None and column.finish is not None:
        sums = _add(column.statistics[rows], at, len(items))
    return Side(items, sums, _mean(scores), scores[:, 0])


def _only(side: Side, shared: NDArray[np.int64]) -> Side:
    kept = np.isin(side.items, shared)
    return Side(side.items[kept], side.sums[kept], side.means[kept], side.units[kept])


def _cohen_d(left: Floats, right: Floats) -> float:
    """The difference of means over the pooled standard deviation."""
    free = len(left) + len(right) - 2
    pooled = sqrt((left.var() * len(left) + right.var() * len(right)) / free)
    return float((left.mean() - right.mean()) / pooled) if pooled > 0 else nan


def _add(values: Floats, at: NDArray[np.int64], n: int) -> Floats:
    return np.stack([np.bincount(at, weights=part, minlength=n) for part in values.T], axis=1)


def _mean(sums: Floats) -> Floats:
    """Sum over count, for sums of (1, score)."""
    return np.divide(sums[:, 1], sums[:, 0], out=np.full(len(sums), nan), where=sums[:, 0] > 0)
