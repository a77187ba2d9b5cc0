"""Texts of a language, one a line, for counting words in."""

from __future__ import annotations

from hashlib import blake2b

from assay.errors import DataError
from assay.io.paths import is_file, text_of


def named_corpus(where: str) -> str:
    """The name of a corpus in signatures: `path@hash`; none stays none."""
    if not where:
        return where
    path, _, content = where.partition("@")
    read_corpus(where)
    return f"{path}@{content or _content(path)}"


def read_corpus(where: str) -> list[str]:
    """The lines of a file that are not empty."""
    path, _, content = where.partition("@")
    if not is_file(path):
        raise DataError(f"{path}: no such file. Give a text file with one text a line.")
    if content and content != _content(path):
        raise DataError(f"{path}: its content has changed since {where}. Omit the part from @ on to use it anyway.")
    lines = [line.strip() for line in text_of(path).splitlines() if line.strip()]
    if not lines:
        raise DataError(f"{path}: has no text. Give a text file with one text a line.")
    return lines


def _content(path: str) -> str:
    return blake2b(text_of(path).encode(), digest_size=8).hexdigest()
