"""A study as a file of data: outputs, what was asked, and every judgment with how it came about."""

from __future__ import annotations

from pathlib import Path

from assay.annotate.protocol import Protocol
from assay.annotate.standing import notes_of
from assay.io.atomic import replacing
from assay.io.files import check_data_path, save
from assay.io.special.judgment_stores import read_store
from assay.records import Dataset


def export(store: str, path: str | Path, *, protocol: Protocol | None = None) -> Dataset:
    """Write the data of a study, which may be served, in assay's format; return it.

    Judgments are kept with when they were stored (`at`), the seed of the order in which things were shown (`order`),
    the probability of the unit to be on the page (`probability`), the time the page was visible (`ms`), `revision`,
    `page`, `slot` and the `version` of the protocol.

    Args:
        store: the path of an SQLite store, or `postgresql://...`.
        path: a `.jsonl`, `.csv` or `.parquet` file, or a folder of tables.
        protocol: of the study; with it, a codebook and a methods paragraph are written beside the data.
    """
    check_data_path(path)
    dataset = read_store(store)
    notes = notes_of(protocol, store) if protocol else ""
    save(dataset, path)
    if notes:
        with replacing(codebook_path(path)) as temporary:
            temporary.write_text(notes, encoding="utf-8")
    return dataset


def codebook_path(path: str | Path) -> Path:
    """Where the codebook of exported data is."""
    return Path(path).with_suffix(".codebook.md")
