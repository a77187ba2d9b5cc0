"""Word vectors from a file: GloVe's and fastText's text, word2vec's text and binary (`.bin`), also packed (`.gz`).

Only the vectors of words that are asked for are kept. A file is identified by a hash of its content.
"""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Iterable, Iterator
from functools import cache
from io import BufferedIOBase
from pathlib import Path
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from assay.errors import DataError
from assay.io.model_folders import NAMED, remember, remembered
from assay.io.paths import existing_file, expanded

Vector = NDArray[np.float64]

LARGEST = 1e100
"""Of the numbers in a vector; the squares of larger ones may be infinite, and so distances."""


class WordVectors:
    """The vectors of one file, looked up by word."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: dict[str, Vector] = {}
        self._absent: set[str] = set()

    def find(self, words: Iterable[str]) -> dict[str, Vector]:
        """The vectors of these words; words that the file does not have are left out."""
        words = set(words)
        unread = words - self._known.keys() - self._absent
        if unread:
            self._known |= _read(self._path, unread)
            self._absent |= unread - self._known.keys()
        return {word: self._known[word] for word in words if word in self._known}


def named_by_content(vectors: str) -> str:
    """Return `name@hash` for a file of vectors, which is enough to find it again."""
    parsed = NAMED.fullmatch(vectors)
    if parsed:
        open_vectors(vectors)
        return vectors
    path = existing_file(expanded(vectors))
    content = _hash(path.resolve(), path.stat().st_size, path.stat().st_mtime_ns)
    WordVectors(path).find([""])
    remember(content, path)
    return f"{path.name}@{content}"


# An evaluator parameter that names a file of word vectors, stored as `name@hash`.
VectorsName = Annotated[str, named_by_content]


def open_vectors(name: str) -> WordVectors:
    """The vectors of `name@hash`."""
    parsed = NAMED.fullmatch(name)
    path = remembered(parsed["content"]) if parsed else None
    if parsed is None or path is None or not path.is_file():
        raise DataError(f"{name}: no word vectors with this content were found. Give the path of the file.")
    return _opened(path, path.stat().st_size, path.stat().st_mtime_ns, parsed["content"])


@cache
def _opened(path: Path, size: int, modified: int, content: str) -> WordVectors:
    if _hash(path, size, modified) != content:
        raise DataError(f"{path}: these word vectors have changed since they were used. Give the path of the file.")
    return WordVectors(path)


@cache
def _hash(path: Path, size: int, modified: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:16]


def _read(path: Path, wanted: set[str]) -> dict[str, Vector]:
    encoded = {word.encode("utf-8", "surrogatepass"): word for word in wanted}
    is_packed = path.suffix.lower() == ".gz"
    is_binary = path.name.lower().removesuffix(".gz").endswith(".bin")
    try:
        with gzip.open(path) if is_packed else path.open("rb") as file:
            pairs = _of_binary(path, file, encoded) if is_binary else _of_text(path, file, encoded)
            return {encoded[word]: vector for word, vector in pairs}
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise DataError(f"{path}: not a whole .gz file ({error}). Get it again.") from None


def _of_text(path: Path, file: BufferedIOBase, wanted: dict[bytes, str]) -> Iterator[tuple[bytes, Vector]]:
    size = 0
    for number, line in enumerate(file, 1):
        word, _, rest = line.rstrip().partition(b" ")
        if number == 1 and rest.isdigit() and word.isdigit():
            continue  # the number of words and the size
        if not size:
            size = len(rest.split())
            _vector(path, number, rest, size)
        # A word with spaces in it is no token, and has more cells.
        if word in wanted and len(cells := rest.split()) <= size:
            yield word, _vector(path, number, b" ".join(cells), size)
    if not size:
        raise DataError(f"{path}: no word vectors. Give a file with a word and its numbers per line.")


def _vector(path: Path, number: int, rest: bytes, size: int) -> Vector:
    try:
        vector = np.array([float(cell) for cell in rest.split()])
    except ValueError:
        vector = np.empty(0)
    if len(vector) != size or size < 2 or not (np.abs(vector) < LARGEST).all():
        columns = f"and {size} numbers" if size >= 2 else "and its numbers"
        raise DataError(
            f"{path} line {number}: not a word {columns}, with spaces between. Give a file of word vectors."
        )
    return vector


def _of_binary(path: Path, file: BufferedIOBase, wanted: dict[bytes, str]) -> Iterator[tuple[bytes, Vector]]:
    header = file.readline(100).split()
    if len(header) != 2 or not all(cell.isdigit() for cell in header):
        raise DataError(f"{path}: not word2vec's binary format, which begins with two numbers. Rename a text to .txt.")
    n, size = map(int, header)
    for number in range(1, n + 1):
        word = bytearray()
        while (character := file.read(1)) not in (b" ", b""):
            word += character
        cells = file.read(4 * size)
        if len(cells) != 4 * size:
            raise DataError(f"{path}: ends within word {number} of {n}. Get the file again.")
        name = bytes(word).lstrip(b"\n")
        if name in wanted:
            vector = np.frombuffer(cells, "<f4").astype(np.float64)
            if not (np.abs(vector) < LARGEST).all():
                raise DataError(f"{path}: the vector of word {number} is damaged. Get the file again.")
            yield name, vector
