"""What an operation on a store sees: SQL with `?` for values, the same for every database."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol, TypeVar

SqlRow = tuple[Any, ...]
T = TypeVar("T")


class Transaction(Protocol):
    """One transaction: all of its statements are stored, or none."""

    def all(self, sql: str, *values: Any) -> list[SqlRow]:
        """Run a statement and return its rows."""

    def one(self, sql: str, *values: Any) -> SqlRow | None:
        """Run a statement and return its first row."""

    def run(self, sql: str, *values: Any) -> int:
        """Run a statement and return the number of rows it changed."""

    def many(self, sql: str, rows: Iterable[SqlRow]) -> None:
        """Run a statement for each row of values."""


class Store(Protocol):
    """A database that holds one study. Memory holds no truth."""

    url: str

    def write(self, operation: Callable[[Transaction], T]) -> Future[T]:
        """Queue an operation; its result comes after the commit. It may run twice, so it changes nothing else."""

    def read(self, operation: Callable[[Transaction], T]) -> T:
        """Run an operation on a consistent snapshot."""

    def check(self) -> list[str]:
        """What the database itself finds wrong with its files."""

    def backup(self, path: Path) -> None:
        """Write a consistent copy as an SQLite store."""

    def close(self) -> None:
        """Finish queued operations and release everything."""


def numbers(tx: Transaction, table: str, n: int = 1) -> range:
    """The next n numbers of a table."""
    row = tx.one(
        "INSERT INTO counter (name, last) VALUES (?, ?) "
        "ON CONFLICT (name) DO UPDATE SET last = counter.last + excluded.last RETURNING last",
        table,
        n,
    )
    assert row is not None
    return range(row[0] - n + 1, row[0] + 1)


def to_json(value: Any) -> str:
    """Canonical JSON in ASCII: equal values are equal texts, and any character can be stored anywhere."""
    return json.dumps(value, sort_keys=True, ensure_ascii=True, allow_nan=False, separators=(",", ":"))


def hashed(text: str) -> str:
    """The SHA-256 of a text, in hexadecimal digits."""
    return sha256(text.encode()).hexdigest()
