"""A study in a PostgreSQL database, for several servers at once.

Each server has one writing connection, and commits together what waits, as with SQLite. Servers take turns: a
transaction begins with a lock on the study, which ends with it, also when its server is killed. The schema in the
search path is the study.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.annotate.records import NotSaved, StoreError
from assay.annotate.store.copied import copy_tables
from assay.annotate.store.sqlite import SCHEMA, write_store
from assay.annotate.store.transaction import SqlRow, T, Transaction
from assay.annotate.store.writer import Writer
from assay.errors import MissingExtra
from assay.io.special.judgment_stores import shown

if TYPE_CHECKING:
    import psycopg
    from psycopg_pool import ConnectionPool

# A server that hangs inside a transaction stops the others no longer than this.
PATIENCE = "30s"
TAKE_TURNS = "SELECT pg_advisory_xact_lock(hashtext('assay'), hashtext(current_schema()))"
READERS = 4


class PostgresTransaction:
    """Statements on a connection, with `?` for values."""

    def __init__(self, connection: psycopg.Connection[SqlRow]) -> None:
        self._connection = connection

    def all(self, sql: str, *values: Any) -> list[SqlRow]:
        """Run a statement and return its rows."""
        return self._run(sql, values).fetchall()

    def one(self, sql: str, *values: Any) -> SqlRow | None:
        """Run a statement and return its first row."""
        return self._run(sql, values).fetchone()

    def run(self, sql: str, *values: Any) -> int:
        """Run a statement and return the number of rows it changed."""
        return self._run(sql, values).rowcount

    def many(self, sql: str, rows: Iterable[SqlRow]) -> None:
        """Run a statement for each row of values."""
        with self._connection.cursor() as cursor:
            cursor.executemany(_translated(sql), list(rows))

    def _run(self, sql: str, values: tuple[Any, ...]) -> psycopg.Cursor[SqlRow]:
        return self._connection.execute(_translated(sql), values)


class PostgresStore:
    """A store in a database, opened for writing."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._writer = Writer(lambda: _Writing(url))
        try:
            self._pool = _pool(url)
        except BaseException:
            self._writer.close()
            raise

    @staticmethod
    def create(url: str, fill: Callable[[Transaction], None]) -> None:
        """Make the tables in a schema without a study, with their first content: all of it, or nothing."""
        psycopg = _psycopg()
        with _connected(url) as connection:
            connection.execute(TAKE_TURNS)
            if _holds_study(connection):
                raise StoreError(f"{shown(url)} holds a study. Open it, or name another database or schema.")
            try:
                connection.execute(schema())
                fill(PostgresTransaction(connection))
            except psycopg.Error as error:
                raise _explained(url, error) from None

    @staticmethod
    def exists(url: str) -> bool:
        """Whether the schema holds a study."""
        with _connected(url) as connection:
            return _holds_study(connection)

    def write(self, operation: Callable[[Transaction], T]) -> Future[T]:
        """Queue an operation; its result comes after the commit."""
        return self._writer.submit(operation)

    def read(self, operation: Callable[[Transaction], T]) -> T:
        """Run an operation on a consistent snapshot."""
        psycopg = _psycopg()
        try:
            with self._pool.connection() as connection:
                return operation(PostgresTransaction(connection))
        except psycopg.Error as error:
            raise _explained(self.url, error) from None

    def check(self) -> list[str]:
        """PostgreSQL checks its files itself."""
        return []

    def backup(self, path: Path) -> None:
        """Write a consistent copy as an SQLite store."""
        self.read(lambda source: write_store(path, lambda target: copy_tables(source, target)))

    def close(self) -> None:
        """Finish queued operations and close all connections."""
        self._writer.close()
        self._pool.close()


class _Writing:
    """The writing connection, made again when it was lost."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._connection = _connected(url)
        try:
            found = _holds_study(self._connection)
            self._connection.rollback()
            if not found:
                raise StoreError(f"{shown(url)} holds no study. `assay annotate serve --store ...` makes one.")
        except BaseException:
            self._connection.close()
            raise

    def begin(self) -> Transaction:
        if self._connection.closed:
            self._connection = _connected(self._url)
        self._connection.execute(TAKE_TURNS)
        return PostgresTransaction(self._connection)

    def commit(self) -> None:
        self._connection.commit()

    def rollback(self) -> None:
        try:
            self._connection.rollback()
        except _psycopg().Error:
            self._connection.close()

    def explained(self, error: Exception) -> Exception:
        return _explained(self._url, error) if isinstance(error, _psycopg().Error) else error

    def close(self) -> None:
        self._connection.close()


def schema() -> str:
    """The tables, in PostgreSQL's words."""
    text = SCHEMA.read_text("utf-8")
    for ours, theirs in ((") STRICT;", ");"), (" INTEGER", " BIGINT"), (" REAL", " DOUBLE PRECISION")):
        text = text.replace(ours, theirs)
    return text


def _psycopg() -> Any:
    try:
        import psycopg
    except ImportError:
        raise MissingExtra("a PostgreSQL store", "psycopg", "postgres") from None
    return psycopg


def _connected(url: str) -> psycopg.Connection[SqlRow]:
    psycopg = _psycopg()
    try:
        connection = psycopg.connect(url, connect_timeout=10)
        connection.execute(f"SET idle_in_transaction_session_timeout = '{PATIENCE}'")
        connection.commit()
    except psycopg.Error as error:
        raise _explained(url, error) from None
    return connection


def _holds_study(connection: psycopg.Connection[SqlRow]) -> bool:
    row = connection.execute("SELECT to_regclass('study') IS NOT NULL").fetchone()
    return row is not None and bool(row[0])


def _pool(url: str) -> ConnectionPool[psycopg.Connection[SqlRow]]:
    from psycopg import Connection, IsolationLevel
    from psycopg_pool import ConnectionPool

    def configure(connection: Connection[SqlRow]) -> None:
        connection.isolation_level = IsolationLevel.REPEATABLE_READ
        connection.read_only = True

    return ConnectionPool(url, min_size=1, max_size=READERS, open=True, configure=configure)


def _explained(url: str, error: Exception) -> Exception:
    psycopg = _psycopg()
    why = (str(error).strip() or type(error).__name__).splitlines()[0]
    if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
        return NotSaved(
            f"nothing was saved: the database {shown(url)} cannot be used ({why}). What was saved before is safe; "
            "try again later."
        )
    return StoreError(f"{shown(url)}: {why}")


def _translated(sql: str) -> Any:
    return sql.replace("?", "%s")
