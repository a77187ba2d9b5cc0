"""Check paths: names that are too long, invalid, or point to a pipe give plain errors."""

from __future__ import annotations

import stat
from pathlib import Path

from assay.errors import DataError


def expanded(path: str | Path) -> Path:
    """The path with `~` expanded; unchanged if there is no such home."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        return Path(path)


def existing(path: str | Path) -> Path:
    """Return the path of a file or folder; an error says why it cannot be read.

    Pipes, sockets and devices are rejected: data is read more than once, and they yield it at most once.
    """
    mode = _mode(path)
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        kind = "pipe" if stat.S_ISFIFO(mode) else "socket" if stat.S_ISSOCK(mode) else "device"
        raise DataError(
            f"{path}: a {kind}, and data is read more than once. Write it to a file first: ... > outputs.jsonl"
        )
    return Path(path)


def existing_file(path: str | Path) -> Path:
    """Return the path of a file; an error says why it cannot be read."""
    if existing(path).is_dir():
        raise DataError(f"{path}: a folder. Name a file in it.")
    return Path(path)


def is_file(path: str | Path) -> bool:
    """Whether a regular file exists; False for an invalid name."""
    try:
        return stat.S_ISREG(_mode(path))
    except DataError:
        return False


def is_folder(path: str | Path) -> bool:
    """Whether a folder exists; False for an invalid name."""
    try:
        return stat.S_ISDIR(_mode(path))
    except DataError:
        return False


def _mode(path: str | Path) -> int:
    try:
        return Path(path).stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        raise DataError(f"{path}: no such file. Check the name and the folder.") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror}). Check the name and its permissions.") from None
    except ValueError:
        raise DataError(f"{str(path)!r} cannot be the name of a file. Check the name.") from None


def text_of(path: str | Path) -> str:
    """Read a whole UTF-8 text file, with or without a byte order mark; line endings are preserved."""
    file = existing_file(path)
    try:
        return file.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: not UTF-8 at byte {error.start + 1}. Save it as UTF-8.") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror}). Check the name and its permissions.") from None
