"""Folders of trained generators: a manifest and plain arrays, named by content. Reading never executes code."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay import __version__
from assay.errors import DataError
from assay.io.arrays import packed, unpacked
from assay.io.atomic import replacing_folder
from assay.io.fitted_models import new_model_folder
from assay.io.model_folders import NAMED, remember, remembered
from assay.io.paths import expanded, is_file

FORMAT = 1
MANIFEST, STATE = "generator.json", "state.npz"
_REMEDY = "Train it again, or copy the whole folder again."


@dataclass(frozen=True, eq=False)
class GeneratorFolder:
    """A verified folder: what kind of generator it is, its settings and arrays."""

    folder: Path
    content: str
    kind: str
    manifest: Mapping[str, Any]
    settings: Mapping[str, Any]
    arrays: Mapping[str, NDArray[Any]]

    @property
    def name(self) -> str:
        """Its name in signatures."""
        return f"{self.folder.name}@{self.content}"


def write_generator(
    folder: str | Path,
    kind: str,
    settings: Mapping[str, Any],
    arrays: Mapping[str, NDArray[Any]],
    training: Mapping[str, Any],
) -> None:
    """Write a trained generator to a new folder, atomically."""
    path = new_model_folder(folder)
    content = packed({"settings": settings}, arrays)
    manifest = {
        "format": FORMAT,
        "generator": kind,
        "assay": __version__,
        "training": training,
        "files": {STATE: sha256(content).hexdigest()},
    }
    with replacing_folder(path) as temporary:
        (temporary / STATE).write_bytes(content)
        (temporary / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")


def generator_path(model: str) -> Path | None:
    """The folder of a trained generator, by path or by the `name@hash` of a signature; None for anything else."""
    parsed = NAMED.fullmatch(model)
    folder = remembered(parsed["content"]) if parsed else expanded(model)
    return folder if folder is not None and is_file(folder / MANIFEST) else None


def read_generator(folder: Path) -> GeneratorFolder:
    """Read and verify a folder."""
    path = folder / MANIFEST
    try:
        raw = path.read_bytes()
        manifest = json.loads(raw)
        kind, digest = manifest["generator"], manifest["files"][STATE]
        version = manifest["format"]
    except (ValueError, KeyError, TypeError):
        raise DataError(f"{path}: not the manifest of a generator. {_REMEDY}") from None
    if version != FORMAT:
        raise DataError(f"{path}: written in format {version}; this version of assay reads {FORMAT}. Train it again.")
    try:
        state = (folder / STATE).read_bytes()
    except OSError:
        raise DataError(f"{folder / STATE}: missing or unreadable. {_REMEDY}") from None
    if sha256(state).hexdigest() != digest:
        raise DataError(f"{folder / STATE}: damaged: its content does not match the manifest. {_REMEDY}")
    header, arrays = unpacked(state)
    # The manifest names the state by its hash, so its own hash names everything.
    content = sha256(raw).hexdigest()[:16]
    remember(content, folder)
    frozen = {name: _read_only(array) for name, array in arrays.items()}
    return GeneratorFolder(folder.resolve(), content, str(kind), manifest, header["settings"], frozen)


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    array = np.asarray(array)
    array.flags.writeable = False
    return array
