"""Backups: consistent copies of a study as SQLite files, from any store and into any."""

from __future__ import annotations

from pathlib import Path

from assay.annotate.operations.verifying import verify
from assay.annotate.records import StoreError
from assay.annotate.store import create_store, open_store
from assay.annotate.store.copied import copy_tables
from assay.annotate.store.sqlite import backup_store, reading
from assay.io.special.judgment_stores import is_database


def backup(url: str, path: Path) -> None:
    """Write a copy of a study, which may be served meanwhile."""
    if is_database(url):
        store = open_store(url)
        try:
            store.backup(path)
        finally:
            store.close()
    else:
        backup_store(Path(url), path)


def restore(path: Path, url: str) -> None:
    """Make a new store from a backup, after verifying that the backup is whole."""
    with reading(path) as source:
        problems = verify(source)
        if problems:
            raise StoreError("\n".join([f"{path} is damaged, and was not restored:", *problems[:20]]))
        create_store(url, lambda target: copy_tables(source, target))
