"""Convert data from one format to another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from assay.errors import DataError
from assay.io.files import GivenMapping, load, save
from assay.records import Dataset
from assay.records.equal_sets import equal_sets as subsampled


def convert(
    data: Any,
    output: str | Path,
    *,
    format: str | None = None,
    to: str = "flat",
    mapping: GivenMapping | None = None,
    criteria: str | Path | None = None,
    keep_worker_ids: bool = False,
    equal_sets: bool = False,
    seed: int = 0,
) -> tuple[Dataset, tuple[str, ...]]:
    """Read data in any format and write it in another; return it, and notes for the reader.

    Args:
        data: what to read, as `load` takes it.
        output: a file, or a folder of tables if it has no ending.
        format: the format of the data, if its header does not tell.
        to: the format to write.
        mapping: which columns are what.
        criteria: a TOML file that declares criteria.
        keep_worker_ids: keep the ids of annotators on platforms.
        equal_sets: subsample all sets to one size, for diversity metrics.
        seed: of the subsample.
    """
    dataset = load(data, format, mapping, keep_worker_ids=keep_worker_ids, criteria=criteria)
    notes: tuple[str, ...] = ()
    if equal_sets:
        sample = subsampled(dataset, np.random.default_rng(seed))
        if sample is None:
            raise DataError("no set has two outputs to draw from. Leave --equal-sets out.")
        dropped = f"; {sample.n_left_out} smaller sets are dropped" if sample.n_left_out else ""
        dataset, notes = sample.dataset, (f"kept {sample.size} outputs of every set{dropped}",)
    save(dataset, output, to)
    return dataset, notes
