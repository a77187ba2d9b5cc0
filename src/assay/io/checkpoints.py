"""Checkpoints of long trainings, so that an interrupted one is resumed. They live in the cache until it is done."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from hashlib import blake2b
from typing import Any

from numpy.typing import NDArray

from assay.errors import DataError
from assay.io.arrays import packed, unpacked
from assay.io.cache import cache_folder
from assay.io.code import code_fingerprint
from assay.io.sealed import kept_content, write_sealed


class Checkpoint:
    """One file, found by the code and by a key that names everything a training depends on."""

    def __init__(self, *key: str) -> None:
        digest = blake2b("\0".join((code_fingerprint(), *key)).encode(), digest_size=16).hexdigest()
        self.path = cache_folder() / "training" / f"{digest}.npz"

    def load(self) -> tuple[int, dict[str, NDArray[Any]]] | None:
        """The number of finished steps and the arrays after them; None if there is nothing to resume."""
        content = kept_content(self.path)
        if content is None:
            return None
        header, arrays = unpacked(content)
        return int(header["done"]), arrays

    def save(self, done: int, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Write the arrays. Without a place to write there is nothing to resume, which is no error."""
        with suppress(OSError, DataError):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            write_sealed(packed({"done": done}, arrays), self.path, name=self.path.name)

    def remove(self) -> None:
        """Remove the file, when the training is done."""
        with suppress(OSError):
            self.path.unlink(missing_ok=True)
