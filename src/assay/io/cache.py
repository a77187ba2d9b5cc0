"""The score cache on disk, keyed by the content of the data, the signature of the evaluator, and the code."""

from __future__ import annotations

import os
from hashlib import blake2b
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from assay.errors import DataError
from assay.io.arrays import packed, unpacked
from assay.io.code import code_fingerprint
from assay.io.sealed import kept_content, write_sealed
from assay.scores import Column, Gaps
from assay.text.strings import Strings


def cache_folder() -> Path:
    """`ASSAY_CACHE`, or `assay` in the user's cache folder."""
    override = os.environ.get("ASSAY_CACHE")
    if override:
        return Path(override)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "assay"


class ScoreCache:
    """A folder of score columns. An unreadable or damaged file is a cache miss, never an error."""

    def __init__(self, folder: str | Path | None = None) -> None:
        self.folder = (Path(folder) if folder else cache_folder()) / "scores"

    def path(self, *key: str) -> Path:
        """The path for a key."""
        digest = blake2b("\0".join((code_fingerprint(), *key)).encode(), digest_size=16).hexdigest()
        return self.folder / digest[:2] / f"{digest}.npz"

    def get(self, key: tuple[str, ...], name: str) -> Column | None:
        """Return a cached column; None on a miss."""
        content = kept_content(self.path(*key))
        if content is None:
            return None
        about, arrays = unpacked(content)
        if about["key"] != list(key):
            return None
        gaps = Gaps(arrays["gaps"], tuple(about["reasons"]))
        texts = Strings(arrays["texts"], arrays["text_ends"]) if "texts" in arrays else None
        return Column(name, arrays["values"], gaps, statistics=arrays.get("statistics"), texts=texts)

    def put(self, key: tuple[str, ...], column: Column) -> None:
        """Cache a column. Errors of a full or read-only disk are ignored."""
        about = {"key": key, "reasons": column.gaps.reasons}
        arrays: dict[str, NDArray[Any]] = {"values": column.values, "gaps": column.gaps.codes}
        if column.statistics is not None:
            arrays["statistics"] = column.statistics
        if column.texts is not None:
            arrays |= {"texts": column.texts.packed, "text_ends": column.texts.offsets - column.texts.offsets[0]}
        path = self.path(*key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_sealed(packed(about, arrays), path, name=path.name)
        except (OSError, DataError):
            return
