"""Where a study is kept: an SQLite file, or a PostgreSQL database."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from assay.annotate.store.postgres import PostgresStore
from assay.annotate.store.sqlite import SqliteStore
from assay.annotate.store.transaction import Store, Transaction
from assay.io.special.judgment_stores import is_database

__all__ = ["Store", "Transaction", "create_store", "open_store", "store_exists", "store_of"]


def create_store(url: str, fill: Callable[[Transaction], None]) -> None:
    """Make a new store with its first content; it is there as a whole, or not at all."""
    if is_database(url):
        PostgresStore.create(url, fill)
    else:
        SqliteStore.create(Path(url), fill)


def store_of(protocol: Path, store: str | None = None) -> str:
    """The store of a protocol: the given one, or a file beside it."""
    return store or str(protocol.with_suffix(".sqlite"))


def store_exists(url: str) -> bool:
    """Whether there is a study."""
    return PostgresStore.exists(url) if is_database(url) else Path(url).exists()


def open_store(url: str) -> Store:
    """Open a store for writing."""
    return PostgresStore(url) if is_database(url) else SqliteStore(Path(url))
