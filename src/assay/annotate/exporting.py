"""A study as a file of data: outputs, what was asked, and every judgment with how it came about."""

from __future__ import annotations

from pathlib import Path

from assay.io.files import check_data_path, save
from assay.io.special.judgment_stores import read_store
from assay.records import Dataset


def export(store: str, path: str | Path) -> Dataset:
    """Write the data of a study, which may be served, in assay's format; return it.

    Judgments are kept with when they were stored (`at`), the seed of the order in which things were shown (`order`),
    the probability of the unit to be on the page (`probability`), the time the page was visible (`ms`), `revision`,
    `page`, `slot` and the `version` of the protocol.

    Args:
        store: the path of an SQLite store, or `postgresql://...`.
        path: a `.jsonl`, `.csv` or `.parquet` file, or a folder of tables.
    """
    check_data_path(path)
    dataset = read_store(store)
    save(dataset, path)
    return dataset
