"""A key-value store in one SQLite file, for rows that are cached between runs and looked up individually.

SQLite makes writes atomic and lets several processes share the file. It does not detect flipped bits, so each row ends
with a checksum of its key and content; a damaged row is reported and counts as missing.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from threading import get_ident

from assay.errors import DataError
from assay.io.results import make_folder
from assay.io.sealed import tell_damage

TABLE = "CREATE TABLE IF NOT EXISTS sealed_rows (key BLOB PRIMARY KEY, stored REAL NOT NULL, row BLOB NOT NULL)"
# Keys per statement; old versions of SQLite allow 999.
KEYS_AT_ONCE = 500
# Bytes of the checksum at the end of a row.
SEAL = 16

# SQLite errors that do not mean a corrupt file: busy, no permission, or a full or failing disk.
OUTSIDE = {
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
}


@dataclass(frozen=True)
class SealedRows:
    """A file of rows. `what` names them in messages.

    With `dear` rows, which cannot be recomputed, every write survives a killed process at the cost of a tenth of a
    millisecond (write-ahead log, synced when the last connection closes), and a corrupt file is moved aside. Without,
    the file can be read on a read-only disk.
    """

    path: Path
    what: str
    dear: bool = False
    # Connections that are held open, by the thread that opened them: SQLite's may not change threads.
    _held: dict[int, sqlite3.Connection] = field(default_factory=dict, init=False, repr=False, compare=False)

    def get(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """The content of each key that is present and undamaged."""
        if not self.path.exists():
            return {}
        try:
            with self._open() as connection:
                contents = self._contents(connection, keys)
        except _BrokenFile as error:
            self._reset(error)
            return {}
        n_damaged = sum(content is None for content in contents.values())
        if n_damaged:
            tell_damage(f"{self.path}: {n_damaged} of {len(keys)} {self.what} are damaged.")
        return {key: content for key, content in contents.items() if content is not None}

    def put(self, rows: Mapping[bytes, bytes]) -> dict[bytes, bytes]:
        """Store rows in one transaction. Return the content now stored under their keys.

        An existing undamaged row wins: another process was faster.
        """
        if get_ident() not in self._held:
            make_folder(self.path.parent)
        try:
            return self._write(rows)
        except _BrokenFile as error:
            self._reset(error)
            return self._write(rows)

    def every(self) -> Iterator[tuple[bytes, float, bytes]]:
        """Key, time and content of every undamaged row."""
        if self.path.exists():
            with self._open() as connection:
                for key, stored, row in connection.execute("SELECT key, stored, row FROM sealed_rows ORDER BY stored"):
                    content = _unsealed(key, row)
                    if content is not None:
                        yield key, stored, content

    def remove(self, keys: Iterable[bytes]) -> None:
        """Remove rows and reclaim their space."""
        with self._open() as connection:
            connection.executemany("DELETE FROM sealed_rows WHERE key = ?", [(key,) for key in keys])
            connection.execute("VACUUM")

    @contextmanager
    def held_open(self) -> Iterator[None]:
        """Keep the file open across many writes of this thread: they share a connection.

        The log is merged and synced only when the last connection closes.
        """
        make_folder(self.path.parent)
        try:
            connection = self._connected()
        except _BrokenFile as error:
            self._reset(error)
            connection = self._connected()
        with closing(connection):
            self._held[get_ident()] = connection
            try:
                yield
            finally:
                self._held.pop(get_ident(), None)

    def _contents(self, connection: sqlite3.Connection, keys: Sequence[bytes]) -> dict[bytes, bytes | None]:
        """The content of each key that is present, None for a damaged row."""
        contents = {}
        for start in range(0, len(keys), KEYS_AT_ONCE):
            part = keys[start : start + KEYS_AT_ONCE]
            marks = ",".join("?" * len(part))
            for key, row in connection.execute(f"SELECT key, row FROM sealed_rows WHERE key IN ({marks})", part):
                contents[key] = _unsealed(key, row)
        return contents

    def _write(self, rows: Mapping[bytes, bytes]) -> dict[bytes, bytes]:
        with self._open() as connection:
            connection.execute("BEGIN IMMEDIATE")
            stored_before = self._contents(connection, list(rows))
            intact = {key: content for key, content in stored_before.items() if content is not None}
            now = time.time()
            fresh = [(key, now, rows[key] + _seal(key, rows[key])) for key in rows if key not in intact]
            connection.executemany("INSERT OR REPLACE INTO sealed_rows VALUES (?, ?, ?)", fresh)
            connection.execute("COMMIT")
        return {**rows, **intact}

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        held = self._held.get(get_ident())
        try:
            with nullcontext(held) if held is not None else closing(self._connected()) as connection:
                with self._broken_or_outside():
                    yield connection
        except BaseException as error:
            if held is not None and held.in_transaction:
                held.rollback()
            if isinstance(error, _BrokenFile):
                self._held.pop(get_ident(), None)  # the file is about to be replaced
            raise

    def _connected(self) -> sqlite3.Connection:
        with self._broken_or_outside():
            connection = sqlite3.connect(self.path, timeout=60, isolation_level=None)
            try:
                if self.dear:
                    connection.execute("PRAGMA journal_mode=WAL")
                    connection.execute("PRAGMA synchronous=NORMAL")
                connection.execute(TABLE)
            except BaseException:
                connection.close()
                raise
            return connection

    @contextmanager
    def _broken_or_outside(self) -> Iterator[None]:
        """Tell a corrupt file from trouble outside of it."""
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as error:
            # The low byte is the primary error code; UnicodeDecodeError has none.
            if getattr(error, "sqlite_errorcode", 0) & 0xFF not in OUTSIDE:
                raise _BrokenFile(str(error)) from error
            raise DataError(
                f"{self.path}: cannot be used as a store of {self.what} ({error}). Set ASSAY_CACHE to a folder "
                "you can write to."
            ) from error

    def _reset(self, error: Exception) -> None:
        """Remove a corrupt file, and the journals that SQLite would apply to its replacement."""
        tell_damage(f"{self.path}: damaged ({error}).")
        try:
            if self.dear and self.path.exists():
                self.path.replace(self.path.with_name(f"{self.path.name}.damaged"))
            for ending in ("-journal", "-wal", "-shm", ""):
                self.path.with_name(self.path.name + ending).unlink(missing_ok=True)
        except OSError as why:
            raise DataError(f"{self.path}: damaged, and cannot be removed ({why.strerror}). Remove it.") from None


class _BrokenFile(Exception):
    """A corrupt SQLite file."""


def _unsealed(key: object, row: object) -> bytes | None:
    """The content of a row; None if it is damaged (even its type may be)."""
    if not (isinstance(key, bytes) and isinstance(row, bytes)) or row[-SEAL:] != _seal(key, row[:-SEAL]):
        return None
    return row[:-SEAL]


def _seal(key: bytes, content: bytes) -> bytes:
    return blake2b(content, digest_size=SEAL, key=key[:64]).digest()
