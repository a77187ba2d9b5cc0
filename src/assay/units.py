"""The units of a data set: what one score can be about, with the outputs each is made of."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from assay.errors import EvaluatorError, did_you_mean
from assay.kernels.pairs.set_pairs import pairs_within
from assay.kernels.ragged import Ragged
from assay.records import Dataset
from assay.scores import UNITS
from assay.text.strings import Strings, joined


@dataclass(frozen=True, eq=False)
class Units:
    """All units of one kind. A pair is two outputs of one set, in the order of the data, unless `pairs` are given."""

    kind: str
    dataset: Dataset
    pairs: Ragged | None = None
    """The two outputs of each pair, where they are others than those inside the sets."""

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
            case "set":
                return dataset.outputs_by_set
        return dataset.outputs_by_system.take(self._systems_with_outputs)

    @property
    def ids(self) -> Strings:
        """The id of each unit; a pair is named `left|right`."""
        dataset = self.dataset
        match self.kind:
            case "output":
                return dataset.outputs.id
            case "pair":
                pairs = self.members.values.reshape(-1, 2)
                return joined([dataset.outputs.id.take(pairs[:, 0]), dataset.outputs.id.take(pairs[:, 1])], "|")
            case "set":
                return dataset.sets.id
        return dataset.systems.id.take(self._systems_with_outputs)

    @property
    def item(self) -> NDArray[np.int64]:
        """The item of each unit, -1 for a system and for a pair of outputs of two items."""
        if self.kind == "system":
            return np.full(len(self), -1, np.int64)
        if self.kind == "pair":
            return self._shared_by_pair(self.dataset.outputs.item)
        return self.dataset.outputs.item[self.members.values[self.members.offsets[:-1]]]

    @cached_property
    def system(self) -> NDArray[np.int64]:
        """The system of each unit, -1 where its outputs come from several."""
        if self.kind == "system":
            return self._systems_with_outputs
        if self.kind == "set":
            return self.dataset.set_system
        if self.kind == "pair":
            return self._shared_by_pair(self.dataset.outputs.system)
        return self.dataset.outputs.system[self.members.values]

    def _shared_by_pair(self, codes: NDArray[np.int64]) -> NDArray[np.int64]:
        """The code that both outputs of a pair have, -1 where they differ."""
        found = codes[self.members.values]
        left, right = found[0::2], found[1::2]
        return np.where(left == right, left, -1)

    @cached_property
    def _systems_with_outputs(self) -> NDArray[np.int64]:
        return np.flatnonzero(self.dataset.outputs_by_system.lengths > 0)


def _pairs_of_sets(sets: Ragged) -> Ragged:
    """All unordered pairs of outputs inside each set."""
    every = np.iinfo(np.int64).max
    left, right, _ = pairs_within(sets.values, sets.offsets, every, np.random.default_rng(0))
    return Ragged.pairs(left, right)
