"""A study in one SQLite file: write-ahead log, every commit synced, one writing connection.

Only one connection writes: SQLite before 3.51.3 can lose a commit if two connections reset the write-ahead log at the
same time.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import closing, contextmanager
from importlib.resources import files
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from assay.annotate.records import NotSaved, StoreError
from assay.annotate.store.lock import ServerLock
from assay.annotate.store.transaction import SqlRow, T, Transaction
from assay.annotate.store.writer import Writer
from assay.io.atomic import replacing

SCHEMA = files("assay.annotate.store").joinpath("schema.sql")
# STRICT tables.
LEAST_VERSION = (3, 37)
# The disk or the file cannot take the write, whatever is written.
OUTSIDE = {
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_IOERR: "the disk cannot be written to",
    sqlite3.SQLITE_READONLY: "the file is read-only",
    sqlite3.SQLITE_BUSY: "another process is writing",
    sqlite3.SQLITE_CANTOPEN: "the file cannot be opened",
}


class SqliteTransaction:
    """Statements on a connection, with `?` for values."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def all(self, sql: str, *values: Any) -> list[SqlRow]:
        """Run a statement and return its rows."""
        return self._connection.execute(sql, values).fetchall()

    def one(self, sql: str, *values: Any) -> SqlRow | None:
        """Run a statement and return its first row."""
        rows = self.all(sql, *values)
        return rows[0] if rows else None

    def run(self, sql: str, *values: Any) -> int:
        """Run a statement and return the number of rows it changed."""
        return self._connection.execute(sql, values).rowcount

    def many(self, sql: str, rows: Iterable[SqlRow]) -> None:
        """Run a statement for each row of values."""
        self._connection.executemany(sql, rows)


class SqliteStore:
    """A store in a file, opened for writing."""

    def __init__(self, path: Path) -> None:
        self.url = str(path)
        self.path = path
        _check_version()
        _check_exists(path)
        self._lock = ServerLock(path)
        try:
            self._writer = Writer(lambda: _Writing(path))
        except BaseException:
            self._lock.close()
            raise
        self._readers: SimpleQueue[sqlite3.Connection] = SimpleQueue()

    @staticmethod
    def create(path: Path, fill: Callable[[Transaction], None]) -> None:
        """Make a new store with its first content; it is there as a whole, or not at all."""
        _check_version()
        with closing(ServerLock(path)):
            if path.exists():
                raise StoreError(f"{path} exists. Open it, or name another file.")
            write_store(path, fill)

    def write(self, operation: Callable[[Transaction], T]) -> Future[T]:
        """Queue an operation; its result comes after the commit."""
        return self._writer.submit(operation)

    def read(self, operation: Callable[[Transaction], T]) -> T:
        """Run an operation on a consistent snapshot."""
        try:
            connection = self._readers.get_nowait()
        except Empty:
            connection = _reader(self.path)
        try:
            connection.execute("BEGIN")
            return operation(SqliteTransaction(connection))
        finally:
            connection.rollback()
            self._readers.put(connection)

    def check(self) -> list[str]:
        """What SQLite finds wrong with the file."""
        return self.read(integrity)

    def backup(self, path: Path) -> None:
        """Write a consistent copy, while others go on writing."""
        backup_store(self.path, path)

    def close(self) -> None:
        """Finish queued operations, merge the log into the file and release the lock."""
        self._writer.close()
        while True:
            try:
                self._readers.get_nowait().close()
            except Empty:
                break
        self._lock.close()


class _Writing:
    """The writing connection."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection = sqlite3.connect(path, timeout=30, isolation_level=None)
        try:
            for setting in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "secure_delete=ON"):
                self._connection.execute(f"PRAGMA {setting}")
            problems = self._connection.execute("PRAGMA quick_check").fetchall()
        except sqlite3.DatabaseError as error:
            self._connection.close()
            raise StoreError(f"{path}: not an SQLite file, or damaged ({error}). Restore a backup.") from None
        if problems != [("ok",)]:
            self._connection.close()
            raise StoreError(f"{path}: damaged ({problems[0][0]}). Restore a backup.")

    def begin(self) -> Transaction:
        self._connection.execute("BEGIN IMMEDIATE")
        return SqliteTransaction(self._connection)

    def commit(self) -> None:
        self._connection.execute("COMMIT")

    def rollback(self) -> None:
        self._connection.rollback()

    def explained(self, error: Exception) -> Exception:
        why = OUTSIDE.get(getattr(error, "sqlite_errorcode", 0) & 0xFF)
        if why is None:
            if isinstance(error, sqlite3.DatabaseError):
                return StoreError(f"{self._path}: not the store of a study, or damaged ({error}).")
            return error
        return NotSaved(f"nothing was saved: {why} ({self._path}). What was saved before is safe; try again later.")

    def close(self) -> None:
        self._connection.close()


@contextmanager
def reading(path: Path) -> Iterator[Transaction]:
    """Read a store that may be served by another process."""
    _check_exists(path)
    with closing(_reader(path)) as connection:
        try:
            connection.execute("BEGIN")
            yield SqliteTransaction(connection)
        except sqlite3.DatabaseError as error:
            raise StoreError(f"{path}: not the store of a study, or damaged ({error}).") from None


def write_store(path: Path, fill: Callable[[Transaction], None]) -> None:
    """Write a whole store at once."""
    with replacing(path) as temporary, closing(sqlite3.connect(temporary, isolation_level=None)) as connection:
        try:
            connection.executescript(f"BEGIN;\n{SCHEMA.read_text('utf-8')}")
            fill(SqliteTransaction(connection))
            connection.execute("COMMIT")
        except sqlite3.OperationalError as error:
            raise OSError(str(error)) from None


def backup_store(source: Path, target: Path) -> None:
    """Copy a store with all that is committed, compactly, while others may write to it."""
    _check_exists(source)
    with replacing(target) as temporary, closing(_reader(source)) as connection:
        try:
            connection.execute("SELECT id FROM study")
            connection.execute("VACUUM INTO ?", (str(temporary),))
        except sqlite3.DatabaseError as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF in OUTSIDE:
                raise OSError(str(error)) from None
            raise StoreError(f"{source}: not the store of a study, or damaged ({error}).") from None


def _check_version() -> None:
    if sqlite3.sqlite_version_info < LEAST_VERSION:
        raise StoreError(
            f"SQLite is {sqlite3.sqlite_version}, and a store needs {'.'.join(map(str, LEAST_VERSION))} or later. "
            "Use a newer Python, or a PostgreSQL store."
        )


def _check_exists(path: Path) -> None:
    if not path.is_file():
        raise StoreError(f"{path}: no such store. `assay annotate serve` makes one.")


def _reader(path: Path) -> sqlite3.Connection:
    try:
        return sqlite3.connect(
            f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=30, isolation_level=None, check_same_thread=False
        )
    except sqlite3.Error as error:
        raise StoreError(f"{path}: cannot be opened ({error}). Check the name and its permissions.") from None


def integrity(transaction: Transaction) -> list[str]:
    """What SQLite finds wrong with a file."""
    found = [str(row[0]) for row in transaction.all("PRAGMA integrity_check")]
    return [] if found == ["ok"] else found
