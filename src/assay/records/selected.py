"""Select systems by name."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.errors import DataError, did_you_mean
from assay.records.dataset import Dataset


def chosen_systems(known: Sequence[str], systems: Sequence[str], exclude: Sequence[str]) -> list[str]:
    """The names that are chosen and not excluded; an unknown one is an error, and so is having none left."""
    for name in (*systems, *exclude):
        if name not in known:
            raise DataError(f"the data has no system {name!r}.{did_you_mean(name, known)}")
    chosen = [name for name in known if (not systems or name in systems) and name not in exclude]
    if not chosen:
        raise DataError("no system is left. Exclude fewer.")
    return chosen


def select_named(dataset: Dataset, systems: Sequence[str], exclude: Sequence[str] = ()) -> Dataset:
    """The data of the chosen systems, all without a choice."""
    if not systems and not exclude:
        return dataset
    known = dataset.systems.id.to_list()
    return dataset.select_systems(np.isin(known, chosen_systems(known, systems, exclude)))
