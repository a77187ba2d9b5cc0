"""The units of a data set, each with its outputs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from assay.errors import EvaluatorError, did_you_mean
from assay.kernels.pairs.set_pairs import pairs_within
from assay.kernels.ragged import Ragged
from assay.records import Dataset
from assay.scores import PAIRED, UNITS
from assay.text.strings import Strings, joined

# The most matchups of one item: all those of 45 systems with one output each.
MOST_MATCHUPS = 1000
# The most pairs of outputs of one item from which matchups are chosen: all those of 1,414 outputs.
MOST_LOOKED_AT = 1_000_000


@dataclass(frozen=True, eq=False)
class Units:
    """All units of one kind.

    A pair is two outputs of one set, in the order of the data. A matchup is two outputs of two systems for one item,
    left the system that sorts first; at most MOST_MATCHUPS per item. `pairs` overrides the pairs or matchups.
    """

    kind: str
    dataset: Dataset
    pairs: Ragged | None = None

    def __post_init__(self) -> None:
        if self.kind not in UNITS:
            raise EvaluatorError(f"no unit {self.kind!r}.{did_you_mean(self.kind, UNITS)}")

    def __len__(self) -> int:
        return len(self.members)

    @cached_property
    def members(self) -> Ragged:
        """The outputs of each unit."""
        dataset = self.dataset
        match self.kind:
            case "output":
                return Ragged.singles(np.arange(len(dataset.outputs)))
            case "pair":
                return _pairs_of_sets(dataset.outputs_by_set) if self.pairs is None else self.pairs
            case "matchup":
                return _matchups(dataset) if self.pairs is None else self.pairs
            case "set":
                return dataset.outputs_by_set
        return dataset.outputs_by_system.take(self._systems_with_outputs)

    @property
    def ids(self) -> Strings:
        """The id of each unit; a pair or matchup is named `left|right`."""
        dataset = self.dataset
        match self.kind:
            case "output":
                return dataset.outputs.id
            case "pair" | "matchup":
                return self._both_sides(dataset.outputs.id, np.arange(len(dataset.outputs)))
            case "set":
                return dataset.sets.id
        return dataset.systems.id.take(self._systems_with_outputs)

    @property
    def item_ids(self) -> Strings:
        """The item id of each unit, empty if it has none or several."""
        return _named(self.dataset.items.id, self.item)

    @property
    def system_ids(self) -> Strings:
        """The system id of each unit, empty if it has several; `left|right` for a matchup."""
        if self.kind == "matchup":
            return self._both_sides(self.dataset.systems.id, self.dataset.outputs.system)
        return _named(self.dataset.systems.id, self.system)

    @property
    def n_left_out(self) -> int:
        """The number of matchups left out."""
        if self.kind != "matchup" or self.pairs is not None:
            return 0
        return _n_matchups(self.dataset) - len(self)

    @property
    def item(self) -> NDArray[np.int64]:
        """The item of each unit, -1 if it has none or several."""
        if self.kind == "system":
            return np.full(len(self), -1, np.int64)
        if self.kind in PAIRED:
            return self._shared_by_pair(self.dataset.outputs.item)
        return self.dataset.outputs.item[self.members.values[self.members.offsets[:-1]]]

    @cached_property
    def system(self) -> NDArray[np.int64]:
        """The system of each unit, -1 if it has several."""
        if self.kind == "system":
            return self._systems_with_outputs
        if self.kind == "set":
            return self.dataset.set_system
        if self.kind in PAIRED:
            return self._shared_by_pair(self.dataset.outputs.system)
        return self.dataset.outputs.system[self.members.values]

    def _both_sides(self, names: Strings, codes: NDArray[np.int64]) -> Strings:
        """The names of left and right, joined; `codes` maps outputs to names."""
        sides = codes[self.members.values].reshape(-1, 2)
        return joined([names.take(sides[:, 0]), names.take(sides[:, 1])], "|")

    def _shared_by_pair(self, codes: NDArray[np.int64]) -> NDArray[np.int64]:
        """The code that both outputs of a pair share, -1 if they differ."""
        of_outputs = codes[self.members.values]
        left, right = of_outputs[0::2], of_outputs[1::2]
        return np.where(left == right, left, -1)

    @cached_property
    def _systems_with_outputs(self) -> NDArray[np.int64]:
        return np.flatnonzero(self.dataset.outputs_by_system.lengths > 0)


def _pairs_of_sets(sets: Ragged) -> Ragged:
    """All unordered pairs of outputs inside each set."""
    every = np.iinfo(np.int64).max
    left, right, _ = pairs_within(sets.values, sets.offsets, every, np.random.default_rng(0))
    return Ragged.pairs(left, right)


def _matchups(dataset: Dataset) -> Ragged:
    """The pairs of outputs of two systems for one item, item by item.

    Of an item with more than MOST_MATCHUPS, judged ones are taken first, then those with the smallest hash of their
    ids, so that adding an output changes few of them.
    """
    items, judged = dataset.outputs_by_item, dataset.judgments.about("pair")
    left, right, _ = pairs_within(items.values, items.offsets, MOST_LOOKED_AT, np.random.default_rng(0))
    left, right = np.concatenate([judged.unit, left]), np.concatenate([judged.other, right])
    item, system = dataset.outputs.item, dataset.outputs.system
    across = np.flatnonzero((system[left] != system[right]) & (item[left] == item[right]))
    rank_of_system = np.argsort(np.argsort(np.array(dataset.systems.id.to_list(), object), kind="stable"))
    left, right = left[across], right[across]
    swap = rank_of_system[system[left]] > rank_of_system[system[right]]
    left, right = np.where(swap, right, left), np.where(swap, left, right)
    _, first = np.unique(left * len(dataset) + right, return_index=True)
    first = first[np.lexsort((right[first], left[first], item[left[first]]))]
    n_of_item = np.bincount(item[left[first]], minlength=len(dataset.items))
    if n_of_item.max(initial=0) > MOST_MATCHUPS:
        is_judged = across[first] < len(judged)
        priority = np.where(is_judged, np.uint64(0), _hashes(dataset, left[first], right[first]))
        by_priority = np.lexsort((priority, item[left[first]]))
        starts = np.concatenate([[0], np.cumsum(n_of_item)])
        rank = np.arange(len(first)) - starts[item[left[first[by_priority]]]]
        first = first[np.sort(by_priority[rank < MOST_MATCHUPS])]
    return Ragged.pairs(left[first], right[first])


def _hashes(dataset: Dataset, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.uint64]:
    """A nonzero hash of the ids of each pair of outputs."""
    of_output = np.zeros(len(dataset), np.uint64)
    for row in np.unique([left, right]).tolist():
        of_output[row] = int.from_bytes(blake2b(dataset.outputs.id[row].encode(), digest_size=8).digest(), "little")
    mixed = of_output[left] * np.uint64(0x9E3779B97F4A7C15) + of_output[right]
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return (mixed ^ (mixed >> np.uint64(31))) | np.uint64(1)


def _n_matchups(dataset: Dataset) -> int:
    """The number of pairs of outputs of two systems for one item: all pairs but those of one system."""
    cell = dataset.outputs.item * len(dataset.systems) + dataset.outputs.system
    of_system = np.unique(cell, return_counts=True)[1]
    return int((dataset.outputs_by_item.lengths**2).sum() - (of_system**2).sum()) // 2


def _named(names: Strings, codes: NDArray[np.int64]) -> Strings:
    padded = Strings.concatenate([names, Strings.of([""])])
    return padded.take(np.where(codes < 0, len(names), codes))
