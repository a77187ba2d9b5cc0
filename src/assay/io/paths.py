"""What a path leads to, asked without surprises: names that are too long, broken or lead to a pipe are plain errors."""

from __future__ import annotations

import stat
from pathlib import Path

from assay.errors import DataError


def expanded(path: str | Path) -> Path:
    """The path with `~` replaced by the home folder, or as it is where nobody has that home."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        return Path(path)


def existing(path: str | Path) -> Path:
    """Return the path of a file or folder, or say why there is none that can be read.

    Pipes, sockets and devices are refused: data is read more than once, and they give it only once, if at all.
    """
    mode = _mode(path)
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        kind = "pipe" if stat.S_ISFIFO(mode) else "socket" if stat.S_ISSOCK(mode) else "device"
        raise DataError(
            f"{path}: a {kind}, and data is read more than once. Write it to a file first: ... > outputs.jsonl"
        )
    return Path(path)


def existing_file(path: str | Path) -> Path:
    """Return the path of a file, or say why there is none that can be read."""
    if existing(path).is_dir():
        raise DataError(f"{path}: a folder. Name a file in it.")
    return Path(path)


def is_file(path: str | Path) -> bool:
    """Say whether a plain file is there; a name that cannot be one has none."""
    try:
        return stat.S_ISREG(_mode(path))
    except DataError:
        return False


def is_folder(path: str | Path) -> bool:
    """Say whether a folder is there; a name that cannot be one has none."""
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
    """Read a whole text file in UTF-8, with or without a byte order mark; line ends stay as they are."""
    file = existing_file(path)
    try:
        return file.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: not UTF-8 at byte {error.start + 1}. Save it as UTF-8.") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror}). Check the name and its permissions.") from None
