"""Scores kept on disk, found again by the content of the data, the signature of the evaluator and assay's code."""

from __future__ import annotations

import json
import os
from hashlib import blake2b
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from assay.errors import DataError
from assay.io.atomic import replacing
from assay.io.code import code_fingerprint
from assay.scores import Column, Gaps


def cache_folder() -> Path:
    """`ASSAY_CACHE`, or `assay` in the user's cache folder."""
    named = os.environ.get("ASSAY_CACHE")
    if named:
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "assay"


class ScoreCache:
    """A folder of score columns. A file that cannot be read is a miss, never an error."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = (folder or cache_folder()) / "scores"

    def path(self, *key: str) -> Path:
        """Where the column of this key would be."""
        digest = blake2b("\0".join((code_fingerprint(), *key)).encode(), digest_size=16).hexdigest()
        return self.folder / digest[:2] / f"{digest}.npz"

    def get(self, key: tuple[str, ...], name: str) -> Column | None:
        """Return a stored column, or None."""
        try:
            with open(self.path(*key), "rb") as file, np.load(file, allow_pickle=False) as stored:
                about = json.loads(str(stored["about"]))
                if about["key"] != list(key):
                    return None
                gaps = Gaps(stored["gaps"], tuple(about["reasons"]))
                statistics = stored["statistics"] if "statistics" in stored else None
                return Column(name, stored["values"], gaps, statistics=statistics)
        except (OSError, ValueError, KeyError, EOFError, BadZipFile):
            return None

    def put(self, key: tuple[str, ...], column: Column) -> None:
        """Store a column. A full or read-only disk only costs the next run its time."""
        about = json.dumps({"key": key, "reasons": column.gaps.reasons})
        arrays = {"values": column.values, "gaps": column.gaps.codes, "about": np.array(about)}
        if column.statistics is not None:
            arrays["statistics"] = column.statistics
        path = self.path(*key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with replacing(path) as temporary, open(temporary, "wb") as file:
                np.savez(file, **arrays)  # type: ignore[arg-type]
        except (OSError, DataError):
            return
