"""Vectors of texts kept on disk, so that no text is embedded twice: one SQLite file per model.

SQLite makes each write atomic and lets several processes share the file. A text is known by the SHA-256 of
its UTF-8 bytes, a model by the content hash of its folder; so neither a renamed folder nor a changed model
can give a wrong vector.
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

TABLE = "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL) WITHOUT ROWID"
QUESTIONS = 500
"""Keys asked for in one statement; SQLite allows 999 in old versions."""


class VectorStore:
    """float32 vectors by text, for one model."""

    def __init__(self, identity: str, folder: Path | None = None) -> None:
        self.path = (folder or cache_folder() / "vectors") / f"{identity}.sqlite"

    def get(self, texts: Sequence[str]) -> list[NDArray[np.float32] | None]:
        """Return the vector of each text, None where there is none yet."""
        if not self.path.exists():
            return [None] * len(texts)
        keys = [_key(text) for text in texts]
        found: dict[bytes, NDArray[np.float32]] = {}
        with self._open() as connection:
            for start in range(0, len(keys), QUESTIONS):
                some = keys[start : start + QUESTIONS]
                marks = ",".join("?" * len(some))
                rows = connection.execute(f"SELECT key, vector FROM vectors WHERE key IN ({marks})", some)
                found.update((key, np.frombuffer(vector, "<f4")) for key, vector in rows)
        return [found.get(key) for key in keys]

    def put(self, texts: Sequence[str], vectors: NDArray[np.float32]) -> None:
        """Keep one vector per text: all of them or, if the program is stopped, none."""
        rows = [(_key(text), vector.astype("<f4").tobytes()) for text, vector in zip(texts, vectors, strict=True)]
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self._open() as connection, connection:
            connection.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?)", rows)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(sqlite3.connect(self.path, timeout=60)) as connection:
                connection.execute(TABLE)
                yield connection
        except sqlite3.DatabaseError as error:
            raise DataError(
                f"{self.path}: cannot be used as a store of embeddings ({error}). Delete the file; it is "
                "made again. Or set ASSAY_CACHE to a folder you can write to."
            ) from error


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "replace")).digest()
