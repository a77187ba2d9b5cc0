"""Sets of one size: many metrics of diversity move with the number of texts, so that unequal sets do not compare."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.records.dataset import Dataset

REACHED = 0.9
"""Share of every system's sets that must have as many outputs as are drawn."""


@dataclass(frozen=True)
class EqualSets:
    """The data with `size` outputs in every set, and how many sets had fewer and were left out."""

    dataset: Dataset
    size: int
    n_left_out: int
    drawn: bool
    """Whether any set lost outputs; where all sets are of one size nothing is drawn."""


def equal_sets(dataset: Dataset, rng: np.random.Generator) -> EqualSets | None:
    """Draw equally many outputs from every set, without replacement.

    So many as nine in ten of every system's sets have, sets of one output aside; smaller sets are left out. None
    where no set has two outputs.
    """
    sizes = dataset.outputs_by_set.lengths
    several, system = sizes > 1, dataset.set_system
    if not several.any():
        return None
    by_system = [sizes[several & (system == code)] for code in np.unique(system[several])]
    size = min(int(np.quantile(own, 1 - REACHED, method="lower")) for own in by_system)
    kept = sizes >= size
    place = np.empty(len(dataset.outputs), np.int64)
    members = dataset.outputs_by_set
    order = np.lexsort((rng.random(len(members.values)), members.row_of))
    place[members.values[order]] = np.arange(len(order)) - members.offsets[members.row_of]
    chosen = kept[dataset.outputs.set] & (place < size)
    return EqualSets(dataset.select(chosen), size, int((~kept).sum()), bool((sizes[kept] > size).any()))
