"""Files appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from assay.errors import DataError

# How the temporary file of an unfinished write ends.
PART = ".part"


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary path beside `path`; when the block ends well, move it there in one step."""
    if path.is_dir():
        raise DataError(f"{path} is a folder. Name a file in it.")
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=PART, dir=path.parent)
    except OSError as error:
        raise DataError(f"cannot write {path}: {error.strerror}. Choose another place.") from None
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        os.chmod(temporary, 0o666 & ~_umask())
        with open(temporary, "rb") as written:
            os.fsync(written.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def remove_unfinished(folder: Path) -> None:
    """Remove what writes into this folder left behind when their process was killed."""
    for path in folder.rglob(f".*{PART}"):
        path.unlink(missing_ok=True)


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
