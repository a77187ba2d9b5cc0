"""The embedding cache: one file of checksummed rows per model, so that no text is embedded twice.

Keys are the SHA-256 of a text's UTF-8 bytes, and the file is named by the content hash of the model folder, so neither
a renamed folder nor a changed model can yield a wrong vector.
"""

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assay.io.cache import cache_folder
from assay.io.sealed_rows import SealedRows


class VectorStore:
    """float32 vectors by text, for one model."""

    def __init__(self, identity: str, folder: Path | None = None) -> None:
        self.path = (folder or cache_folder() / "vectors") / f"{identity}.sqlite"
        self._rows = SealedRows(self.path, "embeddings")

    def get(self, texts: Sequence[str]) -> list[NDArray[np.float32] | None]:
        """Return the vector of each text, None on a miss or if damaged."""
        keys = [_key(text) for text in texts]
        stored = self._rows.get(keys)
        return [np.frombuffer(stored[key], "<f4") if key in stored else None for key in keys]

    def put(self, texts: Sequence[str], vectors: NDArray[np.float32]) -> None:
        """Store one vector per text, all in one transaction."""
        self._rows.put(
            {_key(text): vector.astype("<f4").tobytes() for text, vector in zip(texts, vectors, strict=True)}
        )


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
