"""What is resampled (units, items, contexts, systems, annotators or combinations), and each unit's weight in a draw.

A draw of items and systems weights a unit by the product of both counts (Deutsch et al. 2021, Boot-Both). All outputs
of an item are one cluster, whatever their systems, seeds or prompts; so are all items of a context where contexts are
drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError, did_you_mean
from assay.kernels.statistics.resample import BLOCK, Block, bootstrap_counts, leave_one_out
from assay.metaeval.votes.annotators import Ratings
from assay.records import Dataset
from assay.scores import ScoreTable
from assay.text.strings import Strings

FACTORS = ("units", "items", "systems", "annotators", "contexts")
BOOTSTRAP, PERMUTATION, JACKKNIFE = 0, 1, 2
"""Keys of the random streams, one per purpose."""
LEFT_OUT = ("units", "items", "systems", "annotators", "cells", "contexts")
"""What a jackknife leaves out; the position of each is the key of its random stream."""
MOST_LEFT_OUT, MOST_CONTEXTS_LEFT_OUT = 200, 1000
"""Most clusters of a jackknife: of a factor with more members, several are left out at a time."""


@dataclass(frozen=True, eq=False)
class Draw:
    """Counts of one block of resamples, (B, members) per factor; None for a factor that is not drawn."""

    size: int
    units: NDArray[np.int32] | None = None
    items: NDArray[np.int32] | None = None
    systems: NDArray[np.int32] | None = None
    annotators: NDArray[np.int32] | None = None


@dataclass(frozen=True, eq=False)
class Sample:
    """Which item and system each unit of a score table belongs to, as numbers; -1 for no system."""

    kind: str
    item: NDArray[np.int64]
    system: NDArray[np.int64]
    system_names: list[str]
    has_items: bool
    ratings: Ratings | None = None
    annotator: NDArray[np.int64] | None = None
    """The annotator of each row, where a row is one judgment."""
    context: NDArray[np.int64] | None = None
    """The context of each item; items with the same context share a number."""

    @classmethod
    def of(cls, table: ScoreTable, ratings: Ratings | None = None, dataset: Dataset | None = None) -> Sample:
        """Number items and systems in order of appearance; a unit without an item is its own item.

        The data set has the contexts of the items.
        """
        item, named = _numbered(table.item)
        alone = np.flatnonzero(item < 0)
        item[alone] = len(named) + np.arange(len(alone))
        system, systems = _numbered(table.system)
        context = None
        if dataset is not None:
            of_items = _contexts(dataset, named.to_list())
            context = np.concatenate([of_items, of_items.max(initial=-1) + 1 + np.arange(len(alone))])
        return cls(table.kind, item, system, systems.to_list(), len(named) > 0, ratings, context=context)

    def __len__(self) -> int:
        return len(self.item)

    @property
    def n_items(self) -> int:
        """How many items there are."""
        return int(self.item.max(initial=-1)) + 1

    def size(self, factor: str) -> int:
        """How many members a factor has."""
        if factor == "annotators":
            return self.ratings.n_annotators if self.ratings else 0
        if factor == "contexts":
            return 0 if self.context is None else int(self.context.max(initial=-1)) + 1
        return {"units": len(self), "items": self.n_items, "systems": len(self.system_names)}[factor]

    def n_present(self, factor: str, rows: NDArray[np.int64]) -> int:
        """How many members of a factor occur in `rows`."""
        return self.size(factor) if factor == "annotators" else len(np.unique(self.codes(factor)[rows]))

    def default_factors(self, level: str) -> tuple[str, ...]:
        """What makes scores dependent: items and systems, where there are several; else the units."""
        several_systems = len(self.system_names) > 1 and bool((self.system >= 0).all())
        if level == "system":
            return ("systems", "items") if self.kind != "system" and self.has_items else ("systems",)
        if not self.has_items or self.n_items < 2:
            return ("units",)
        return ("items", "systems") if several_systems else ("items",)

    def check(self, factors: Sequence[str]) -> tuple[str, ...]:
        """The factors in canonical order; an error where they cannot be resampled."""
        for factor in factors:
            if factor not in FACTORS:
                raise AssayError(f"cannot resample {factor!r}.{did_you_mean(factor, FACTORS)}")
        if "units" in factors and len(set(factors) & {"items", "systems"}):
            raise AssayError("resample either units or items and systems: a unit is where the two meet.")
        if "contexts" in factors:
            if set(factors) & {"units", "items", "systems"}:
                raise AssayError("resample contexts alone or with annotators: all units of a context move together.")
            if self.context is None:
                raise AssayError(
                    "contexts cannot be resampled here: a score table does not hold the contexts of its items. "
                    "Give the data set."
                )
        if "systems" in factors and (self.system < 0).any():
            raise AssayError("resampling systems needs a system for every unit; some units have none.")
        if "annotators" in factors and self.ratings is None:
            raise AssayError(
                "annotators cannot be resampled here: a score table does not hold single judgments. "
                "Give the data set with its judgments and a target such as human(criterion='quality')."
            )
        return tuple(factor for factor in FACTORS if factor in factors)

    def draw(self, block: Block, factors: Sequence[str]) -> Draw:
        """Draw each factor with replacement."""
        drawn = {
            factor: bootstrap_counts(block.rng(BOOTSTRAP, FACTORS.index(factor)), block.size, self.size(factor))
            for factor in factors
        }
        if "contexts" in drawn:
            drawn["items"] = drawn.pop("contexts")[:, self.context]
        return Draw(block.size, **drawn)

    def without_each(self, factor: str, start: int, stop: int) -> Draw:
        """Draws of a jackknife: everything once, except member start, start + 1, ..."""
        n = self.size(factor)
        members, factor = (self.context, "items") if factor == "contexts" else (np.arange(n), factor)
        assert members is not None
        return Draw(min(stop, n) - start, **{factor: leave_one_out(members, n, start, stop)})

    def leave_out(self, factor: str, rows: NDArray[np.int64], seed: int) -> Iterator[Draw]:
        """Draws of a jackknife over clusters of the members in `rows`: everything once, except one cluster each.

        `cells` are the crossings of items and systems.
        """
        cluster, n_clusters = self.clusters(factor, rows, seed)
        if factor == "cells":
            cluster, factor = cluster[self.codes("cells")], "units"
        elif factor == "contexts":
            cluster, factor = cluster[self.context], "items"
        for start in range(0, n_clusters, BLOCK):
            stop = min(start + BLOCK, n_clusters)
            yield Draw(stop - start, **{factor: leave_one_out(cluster, n_clusters, start, stop)})

    def clusters(self, factor: str, rows: NDArray[np.int64], seed: int) -> tuple[NDArray[np.int64], int]:
        """The cluster of each member of a factor, -1 for those absent from `rows`, and the number of clusters.

        Each member is its own cluster unless there are very many.
        """
        codes = np.arange(self.size(factor)) if factor == "annotators" else self.codes(factor)
        present = codes if factor == "annotators" else np.unique(codes[rows])
        n_clusters = min(len(present), MOST_CONTEXTS_LEFT_OUT if factor == "contexts" else MOST_LEFT_OUT)
        order = np.arange(len(present))
        if len(present) > n_clusters:
            key = (JACKKNIFE, LEFT_OUT.index(factor))
            order = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key)).permutation(len(present))
        cluster = np.full(int(codes.max(initial=-1)) + 1, -1)
        cluster[present[order]] = np.arange(len(present)) % max(n_clusters, 1)
        return cluster, n_clusters

    def cells(self, factors: Sequence[str]) -> NDArray[np.int64]:
        """The cell of each unit in the crossing of the factors; systems and items give PERM-BOTH."""
        cell = np.zeros(len(self), np.int64)
        for factor in factors:
            codes = self.codes(factor)
            cell = np.unique(cell * (int(codes.max(initial=0)) + 2) + codes + 1, return_inverse=True)[1]
        return cell

    def swapped_factors(self, level: str) -> tuple[str, ...]:
        """What a permutation swaps by default: systems where they are the cases, else items, or units."""
        if level == "system" and self.kind != "system":
            return ("systems",)
        return ("items",) if self.has_items else ("units",)

    def codes(self, factor: str) -> NDArray[np.int64]:
        """The member of a factor each unit belongs to."""
        if factor == "annotators":
            assert self.annotator is not None
            return self.annotator
        if factor == "cells":
            return self.cells(("items", "systems"))
        if factor == "contexts":
            assert self.context is not None
            return self.context[self.item]
        return {"units": np.arange(len(self)), "items": self.item, "systems": self.system}[factor]

    def by_judgment(self) -> tuple[Sample, Ratings]:
        """The same with one row per judgment instead of per unit, so that annotators are a factor."""
        self.check(("annotators",))
        assert self.ratings is not None
        unit = self.ratings.unit
        return replace(
            self, item=self.item[unit], system=self.system[unit], annotator=self.ratings.annotator
        ), self.ratings


def unit_weights(
    sample: Sample, draw: Draw, rows: NDArray[np.int64], *, systems: bool = True, items: bool = True
) -> NDArray[np.int32]:
    """How often each of `rows` counts, (B, len(rows)); without a factor, the weights inside its members."""
    weights = []
    if draw.units is not None:
        weights.append(np.take(draw.units, rows, axis=1))
    if items and draw.items is not None:
        weights.append(np.take(draw.items, sample.item[rows], axis=1))
    if systems and draw.systems is not None:
        weights.append(np.take(draw.systems, sample.system[rows], axis=1))
    if not weights:
        return np.ones((draw.size, len(rows)), np.int32)
    return weights[0] if len(weights) == 1 else np.asarray(np.prod(weights, axis=0, dtype=np.int32))


def _numbered(names: Strings) -> tuple[NDArray[np.int64], Strings]:
    """Numbers of the non-empty names, -1 for the empty one."""
    codes, distinct = names.factorize()
    named = distinct.lengths > 0
    numbers: NDArray[Any] = np.where(named, np.cumsum(named) - 1, -1)
    return numbers[codes].astype(np.int64), distinct.take(np.flatnonzero(named))


def _contexts(dataset: Dataset, items: list[str]) -> NDArray[np.int64]:
    """The number of each item's context; an item without one is its own context."""
    context = dict(zip(dataset.items.id, dataset.items.context, strict=True))
    keys = [(text,) if (text := context.get(item)) else ("", item) for item in items]
    number = {key: code for code, key in enumerate(dict.fromkeys(keys))}
    return np.array([number[key] for key in keys], np.int64)
