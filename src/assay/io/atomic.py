"""Files appear whole or not at all."""

from __future__ import annotations

import os
import re
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from assay.errors import DataError

# The temporary file of a write says which process of which computer writes it: .assay-HOST-PID-XXXXXXXX.part
HOST = re.sub(r"[^\w.-]", "_", socket.gethostname())[:64]
UNFINISHED = re.compile(rf"\.assay-{re.escape(HOST)}-(\d+)-\w+\.part")


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary path beside `path`; when the block ends well, move it there in one step."""
    try:
        path.lstat()
    except FileNotFoundError:
        pass
    except OSError as error:
        raise DataError(f"cannot write {path}: {error.strerror}. Choose another name or place.") from None
    except ValueError:
        raise DataError(f"{str(path)!r} cannot be the name of a file. Choose another name.") from None
    try:
        if path.is_dir():
            raise DataError(f"{path} is a folder. Name a file in it.")
        handle, name = tempfile.mkstemp(prefix=f".assay-{HOST}-{os.getpid()}-", suffix=".part", dir=path.parent)
    except OSError as error:
        raise DataError(f"cannot write {path}: {error.strerror}. Choose another name or place.") from None
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
    """Remove what writes into this very folder left behind when their process, of this computer, was killed."""
    for path in folder.glob(".assay-*.part"):
        named = UNFINISHED.fullmatch(path.name)
        if named and not _is_running(int(named[1])):
            path.unlink(missing_ok=True)


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
