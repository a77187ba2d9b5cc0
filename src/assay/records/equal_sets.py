"""Sets of equal size: many diversity metrics depend on the number of texts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.records.dataset import Dataset

REACHED = 0.9
"""The share of every system's sets that must be large enough to draw from."""


@dataclass(frozen=True)
class EqualSets:
    """The data with `size` outputs in every set, and the number of smaller sets left out."""

    dataset: Dataset
    size: int
    n_left_out: int
    drawn: bool
    """Whether any set lost outputs."""


def equal_sets(dataset: Dataset, rng: np.random.Generator) -> EqualSets | None:
    """Draw the same number of outputs from every set, without replacement.

    That number is reached by nine in ten of every system's sets, not counting sets of one output; smaller sets are
    left out. None if no set has two outputs.
    """
    sizes = dataset.outputs_by_set.lengths
    several, system = sizes > 1, dataset.set_system
    if not several.any():
        return None
    by_system = [sizes[several & (system == code)] for code in np.unique(system[several])]
    size = min(int(np.quantile(of_system, 1 - REACHED, method="lower")) for of_system in by_system)
    large = sizes >= size
    place = np.empty(len(dataset.outputs), np.int64)
    members = dataset.outputs_by_set
    order = np.lexsort((rng.random(len(members.values)), members.row_of))
    place[members.values[order]] = np.arange(len(order)) - members.offsets[members.row_of]
    drawn = large[dataset.outputs.set] & (place < size)
    return EqualSets(dataset.select(drawn), size, int((~large).sum()), bool((sizes[large] > size).any()))
