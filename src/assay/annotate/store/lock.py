"""One server per SQLite store: a lock that the system releases when its process ends, however it ends."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from assay.annotate.records import StoreError

if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


class ServerLock:
    """Held from construction to `close`."""

    def __init__(self, store: Path) -> None:
        path = store.with_name(store.name + ".lock")
        try:
            self._handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise StoreError(f"{store}: cannot be made or locked ({error.strerror}). Choose another place.") from None
        try:
            _lock(self._handle)
        except OSError:
            os.close(self._handle)
            raise StoreError(
                f"{store}: another process serves or changes this study. Stop it first, or let it do the work."
            ) from None

    def close(self) -> None:
        """Release the lock."""
        os.close(self._handle)
