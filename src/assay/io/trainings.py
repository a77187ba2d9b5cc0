"""Trainings under way, kept in the cache folder so that an interrupted one goes on."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from time import time
from typing import Any

from numpy.typing import NDArray

from assay.errors import DataError
from assay.io.arrays import packed, unpacked
from assay.io.cache import cache_folder
from assay.io.code import code_fingerprint
from assay.io.sealed import kept_content, write_sealed

WEEK = 7 * 24 * 3600.0


class TrainingStore:
    """The state of one training, found by everything it depends on; removed after a week without use."""

    def __init__(self, key: str) -> None:
        self._folder = cache_folder() / "trainings"
        self._path = self._folder / f"{blake2b((code_fingerprint() + key).encode(), digest_size=16).hexdigest()}.npz"
        self._remove_old()

    def read(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]] | None:
        """The progress and the arrays of the last epoch; None if there is none."""
        content = kept_content(self._path)
        return None if content is None else unpacked(content)

    def write(self, progress: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
        """Keep the state after an epoch. Errors of a full or read-only disk are ignored."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            write_sealed(packed(progress, arrays), self._path, name=self._path.name)
        except (OSError, DataError):
            return

    def _remove_old(self) -> None:
        try:
            for path in self._folder.glob("*.npz"):
                if time() - path.stat().st_mtime > WEEK:
                    path.unlink(missing_ok=True)
        except OSError:
            return
