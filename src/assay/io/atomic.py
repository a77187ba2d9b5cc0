"""Files appear whole or not at all."""

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

# The temporary file of a write says which process of which computer writes it: .assay-HOST-PID-XXXXXXXX.part
HOST = re.sub(r"[^\w.-]", "_", socket.gethostname())[:64]
UNFINISHED = re.compile(r"\.assay-(?P<host>.+)-(?P<pid>\d+)-\w+\.part")
# No write takes so long: of another computer, or of a process whose number is in use again, it is known by its age.
ABANDONED_SECONDS = 7 * 24 * 3600


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary path beside `path`; when the block ends well, move it there in one step.

    An OSError in the block is one of writing, a full disk above all: do nothing else in it that can raise one.
    """
    _check_name(path)
    try:
        if path.is_dir():
            raise DataError(f"{path} is a folder. Name a file in it.")
        _tidy(path.parent)
        handle, name = tempfile.mkstemp(prefix=f".assay-{HOST}-{os.getpid()}-", suffix=".part", dir=path.parent)
    except OSError as error:
        raise DataError(f"cannot write {path}: {why(error)}. Choose another name or place.") from None
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        os.chmod(temporary, 0o666 & ~_umask())
        with open(temporary, "rb") as written:
            os.fsync(written.fileno())
        os.replace(temporary, path)
    except OSError as error:
        raise DataError(f"cannot write {path}: {why(error)}. Make room, or choose another place.") from None
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def replacing_folder(path: Path) -> Iterator[Path]:
    """Give a temporary folder beside `path`, which is not there yet; when the block ends well, name it so."""
    _check_name(path)
    try:
        _tidy(path.parent)
        temporary = Path(tempfile.mkdtemp(prefix=f".assay-{HOST}-{os.getpid()}-", suffix=".part", dir=path.parent))
    except OSError as error:
        raise DataError(f"cannot make the folder {path}: {why(error)}. Choose another name or place.") from None
    try:
        yield temporary
        os.chmod(temporary, 0o777 & ~_umask())
        os.replace(temporary, path)
    except OSError as error:
        raise DataError(f"cannot make the folder {path}: {why(error)}. Make room, or choose another place.") from None
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _check_name(path: Path) -> None:
    """Refuse, before anything is written, a name that nothing can have."""
    try:
        path.lstat()
    except FileNotFoundError:
        pass
    except OSError as error:
        raise DataError(f"cannot write {path}: {error.strerror}. Choose another name or place.") from None
    except ValueError:
        raise DataError(f"{str(path)!r} cannot be the name of a file. Choose another name.") from None


def why(error: OSError) -> str:
    """Say in words of the system what went wrong; libraries put much else into the message."""
    return os.strerror(error.errno) if error.errno else str(error)


@cache
def _tidy(folder: Path) -> None:
    """Remove what killed writes left in a folder, once in a process, before the first write into it."""
    remove_unfinished(folder)


def remove_unfinished(folder: Path) -> None:
    """Remove what writes into this very folder left behind when their process was killed."""
    for path in folder.glob(".assay-*.part"):
        with suppress(OSError):  # another process may be at the same
            if _is_left_behind(path):
                shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()


def _is_left_behind(path: Path) -> bool:
    named = UNFINISHED.fullmatch(path.name)
    if named is None:
        return False
    if named["host"] == HOST and not _is_running(int(named["pid"])):
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
