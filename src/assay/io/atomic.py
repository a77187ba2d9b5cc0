"""Atomic writes: files appear whole or not at all."""

from __future__ import annotations

import os
import re
import shutil
import socket
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from assay.errors import DataError

# The name of a temporary file identifies its writer: .assay-HOST-PID-XXXXXXXX.part
HOST = re.sub(r"[^\w.-]", "_", socket.gethostname())[:64]
UNFINISHED = re.compile(r"\.assay-(?P<host>.+)-(?P<pid>\d+)-\w+\.part")
# No write takes this long. Identifies files left by another host, or by a process whose PID is in use again.
ABANDONED_SECONDS = 7 * 24 * 3600


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary path next to `path`; on success, rename it to `path` atomically.

    An OSError in the block is reported as a write error, such as a full disk: do nothing else there that raises one.
    """
    _check_name(path)
    try:
        if path.is_dir():
            raise DataError(f"{path} is a folder. Name a file in it.")
        _tidy(path.parent)
        handle, name = tempfile.mkstemp(prefix=f".assay-{HOST}-{os.getpid()}-", suffix=".part", dir=path.parent)
    except OSError as error:
        raise DataError(f"cannot write {path}: {why(error)}. Choose another name or location.") from None
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        os.chmod(temporary, 0o666 & ~_umask())
        with open(temporary, "rb") as written:
            os.fsync(written.fileno())
        os.replace(temporary, path)
    except OSError as error:
        raise DataError(f"cannot write {path}: {why(error)}. Free space, or choose another location.") from None
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def replacing_folder(path: Path) -> Iterator[Path]:
    """Yield a temporary folder next to `path`, which must not exist yet; on success, rename it to `path`."""
    _check_name(path)
    try:
        _tidy(path.parent)
        temporary = Path(tempfile.mkdtemp(prefix=f".assay-{HOST}-{os.getpid()}-", suffix=".part", dir=path.parent))
    except OSError as error:
        raise DataError(f"cannot make the folder {path}: {why(error)}. Choose another name or location.") from None
    try:
        yield temporary
        os.chmod(temporary, 0o777 & ~_umask())
        os.replace(temporary, path)
    except OSError as error:
        raise DataError(
            f"cannot make the folder {path}: {why(error)}. Free space, or choose another location."
        ) from None
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _check_name(path: Path) -> None:
    """Reject an invalid name before anything is written."""
    try:
        path.lstat()
    except FileNotFoundError:
        pass
    except OSError as error:
        raise DataError(f"cannot write {path}: {error.strerror}. Choose another name or location.") from None
    except ValueError:
        raise DataError(f"{str(path)!r} cannot be the name of a file. Choose another name.") from None


def why(error: OSError) -> str:
    """The system's message for an error; libraries add much else to it."""
    return os.strerror(error.errno) if error.errno else str(error)


@cache
def _tidy(folder: Path) -> None:
    """Remove leftovers of killed writes from a folder, once per process, before the first write to it."""
    remove_unfinished(folder)


def remove_unfinished(folder: Path) -> None:
    """Remove the temporary files that killed processes left in this folder (not below it)."""
    for path in folder.glob(".assay-*.part"):
        with suppress(OSError):  # another process may be doing the same
            if _is_left_behind(path):
                shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()


def _is_left_behind(path: Path) -> bool:
    parsed = UNFINISHED.fullmatch(path.name)
    if parsed is None:
        return False
    if parsed["host"] == HOST and not _is_running(int(parsed["pid"])):
        return True
    return time.time() - path.lstat().st_mtime > ABANDONED_SECONDS


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
