"""The units of a data set: what one score can be about, with the outputs each is made of."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from assay.errors import EvaluatorError, did_you_mean
from assay.kernels.ragged import Ragged, running_offsets
from assay.records import Dataset
from assay.scores import UNITS
from assay.text.strings import Strings, joined


@dataclass(frozen=True, eq=False)
class Units:
    """All units of one kind. A pair is two outputs of one set, in the order of the data."""

    kind: str
    dataset: Dataset

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
                return pairs_within(dataset.outputs_by_set)
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
        """The item of each unit, -1 for a system."""
        if self.kind == "system":
            return np.full(len(self), -1, np.int64)
        return self.dataset.outputs.item[self.members.values[self.members.offsets[:-1]]]

    @cached_property
    def system(self) -> NDArray[np.int64]:
        """The system of each unit, -1 where its outputs come from several."""
        if self.kind == "system":
            return self._systems_with_outputs
        if self.kind == "set":
            return self.dataset.set_system
        system = self.dataset.outputs.system[self.members.values]
        if self.kind == "pair":
            left, right = system[0::2], system[1::2]
            return np.where(left == right, left, -1)
        return system

    @cached_property
    def _systems_with_outputs(self) -> NDArray[np.int64]:
        return np.flatnonzero(self.dataset.outputs_by_system.lengths > 0)


def pairs_within(groups: Ragged) -> Ragged:
    """All unordered pairs of values inside each group, one pair per row."""
    lefts, rights = [], []
    for row in range(len(groups)):
        values = groups[row]
        left, right = np.triu_indices(len(values), 1)
        lefts.append(values[left])
        rights.append(values[right])
    left, right = (np.concatenate(part) if part else np.zeros(0, np.int64) for part in (lefts, rights))
    return Ragged(np.column_stack([left, right]).ravel(), running_offsets(np.full(len(left), 2)))
