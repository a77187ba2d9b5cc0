"""Looking after a store: backups as SQLite files from any store and into any, verification, and forgetting a person."""

from __future__ import annotations

from pathlib import Path

from assay.annotate.operations.verifying import verify as problems_in
from assay.annotate.records import StoreError
from assay.annotate.service import Service
from assay.annotate.store import create_store, open_store
from assay.annotate.store.copied import copy_tables
from assay.annotate.store.sqlite import backup_store, integrity, reading
from assay.io.special.judgment_stores import is_database


def backup(store: str, path: str | Path) -> None:
    """Write a copy of a study as an SQLite file, while it may be served."""
    if is_database(store):
        opened = open_store(store)
        try:
            opened.backup(Path(path))
        finally:
            opened.close()
    else:
        backup_store(Path(store), Path(path))


def restore(path: str | Path, store: str) -> None:
    """Make a new store from a backup, after verifying that the backup is whole."""
    with reading(Path(path)) as source:
        problems = [*integrity(source), *problems_in(source)]
        if problems:
            raise StoreError("\n".join([f"{path} is damaged, and was not restored:", *problems[:20]]))
        create_store(store, lambda target: copy_tables(source, target))


def verify(store: str) -> list[str]:
    """What is wrong with a study, which may be served: the file, the chain of events, answers, counters and caps."""
    if is_database(store):
        opened = open_store(store)
        try:
            return opened.read(problems_in)
        finally:
            opened.close()
    with reading(Path(store)) as source:
        return [*integrity(source), *problems_in(source)]


def forget(store: str, annotator: str) -> int:
    """Delete a person with all answers from a study that is not served; return how many pages they had."""
    with Service.open(store) as service:
        return service.forget(annotator)
