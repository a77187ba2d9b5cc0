"""Vectors of texts kept on disk, so that no text is embedded twice: one SQLite file per model.

SQLite makes each write atomic and lets several processes share the file. A text is known by the SHA-256 of
its UTF-8 bytes, a model by the content hash of its folder; so neither a renamed folder nor a changed model
can give a wrong vector. SQLite does not notice a flipped bit: each row carries a hash of its key and vector.
"""

import hashlib
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assay.errors import DataError
from assay.io.cache import cache_folder
from assay.io.results import make_folder
from assay.io.sealed import tell_damage

TABLE = "CREATE TABLE IF NOT EXISTS sealed_vectors (key BLOB PRIMARY KEY, row BLOB NOT NULL) WITHOUT ROWID"
QUESTIONS = 500
"""Keys asked for in one statement; SQLite allows 999 in old versions."""
SEAL = 16
"""Bytes of the hash that a row ends with."""

# Errors of SQLite that lie outside the file: it is busy, may not be opened or written, or the disk is full or fails.
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


class VectorStore:
    """float32 vectors by text, for one model."""

    def __init__(self, identity: str, folder: Path | None = None) -> None:
        self.path = (folder or cache_folder() / "vectors") / f"{identity}.sqlite"

    def get(self, texts: Sequence[str]) -> list[NDArray[np.float32] | None]:
        """Return the vector of each text, None where there is none yet, or no whole one."""
        keys = [_key(text) for text in texts]
        found: dict[bytes, NDArray[np.float32] | None] = {}
        if self.path.exists():
            try:
                found = self._read(keys)
            except _BrokenFile as error:
                self._start_anew(error)
        n_damaged = sum(vector is None for vector in found.values())
        if n_damaged:
            tell_damage(f"{self.path}: {n_damaged} of {len(keys)} vectors are damaged.")
        return [found.get(key) for key in keys]

    def put(self, texts: Sequence[str], vectors: NDArray[np.float32]) -> None:
        """Keep one vector per text: all of them or, if the program is stopped, none."""
        rows = [_sealed(_key(text), vector) for text, vector in zip(texts, vectors, strict=True)]
        make_folder(self.path.parent)
        try:
            self._write(rows)
        except _BrokenFile as error:
            self._start_anew(error)
            self._write(rows)

    def _read(self, keys: list[bytes]) -> dict[bytes, NDArray[np.float32] | None]:
        """The vectors that are there by key, None for a damaged one."""
        found = {}
        with self._open() as connection:
            for start in range(0, len(keys), QUESTIONS):
                some = keys[start : start + QUESTIONS]
                marks = ",".join("?" * len(some))
                for key, row in connection.execute(f"SELECT key, row FROM sealed_vectors WHERE key IN ({marks})", some):
                    found[key] = _unsealed(key, row)
        return found

    def _write(self, rows: list[tuple[bytes, bytes]]) -> None:
        # What is there already is there only if it is damaged, or if another process has computed the same.
        with self._open() as connection, connection:
            connection.executemany("INSERT OR REPLACE INTO sealed_vectors VALUES (?, ?)", rows)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(sqlite3.connect(self.path, timeout=60)) as connection:
                connection.execute(TABLE)
                yield connection
        except (sqlite3.Error, UnicodeDecodeError) as error:
            # The low byte is the kind of error; one of Python's own, of names or values that are not UTF-8, has none.
            if getattr(error, "sqlite_errorcode", 0) & 0xFF not in OUTSIDE:
                raise _BrokenFile(str(error)) from error
            raise DataError(
                f"{self.path}: cannot be used as a store of embeddings ({error}). Set ASSAY_CACHE to a folder "
                "you can write to."
            ) from error

    def _start_anew(self, error: Exception) -> None:
        """Remove a file that is no store any more, with the journals that SQLite would apply to a new one."""
        tell_damage(f"{self.path}: damaged ({error}).")
        try:
            for ending in ("-journal", "-wal", "-shm", ""):
                self.path.with_name(self.path.name + ending).unlink(missing_ok=True)
        except OSError as why:
            raise DataError(f"{self.path}: damaged, and cannot be removed ({why.strerror}). Remove it.") from None


class _BrokenFile(Exception):
    """SQLite cannot make sense of the file."""


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _sealed(key: bytes, vector: NDArray[np.float32]) -> tuple[bytes, bytes]:
    content = vector.astype("<f4").tobytes()
    return key, content + _seal(key, content)


def _unsealed(key: bytes, row: object) -> NDArray[np.float32] | None:
    """The vector of a row, None where a bit of it is wrong; SQLite may have lost even its type."""
    if not isinstance(row, bytes) or row[-SEAL:] != _seal(key, row[:-SEAL]):
        return None
    return np.frombuffer(row[:-SEAL], "<f4")


def _seal(key: bytes, content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=SEAL, key=key).digest()
