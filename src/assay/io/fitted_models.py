"""Folders of fitted evaluators: a manifest and plain arrays, identified by content. Reading never executes code.

manifest.json   evaluator, versions, unit, seed, the training data in numbers, and a hash of every other file
state.npz       the fitted state: named arrays, columns of texts and JSON values
training.npz    hashes of the training texts, contexts and games, to detect scored ones that were seen in training
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b, sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay import __version__
from assay.errors import DataError, EvaluatorError
from assay.io.arrays import packed, unpacked
from assay.io.atomic import replacing_folder
from assay.io.model_folders import NAMED, remember, remembered
from assay.io.paths import expanded, is_file
from assay.records import Dataset
from assay.records.choices import game_keys
from assay.scores import UNITS
from assay.text.strings import Strings

FORMAT = 1
MANIFEST, STATE, TRAINING = "manifest.json", "state.npz", "training.npz"
_REMEDY = "Fit it again, or copy the whole folder again."


@dataclass(frozen=True)
class FittedModel:
    """A verified folder and its manifest."""

    folder: Path
    content: str
    signature: str
    unit: str
    manifest: Mapping[str, Any] = field(compare=False)

    @property
    def name(self) -> str:
        """Its name in signatures: sufficient to find it again, and different for other content."""
        return f"{self.folder.name}@{self.content}"

    def state(self) -> dict[str, Any]:
        """The fitted state."""
        return _state(self.folder, self.content)

    def met(self, dataset: Dataset, apart: str) -> dict[str, NDArray[np.bool_]]:
        """Which outputs have a text or a context seen in training; for a listener, both the text and the choices."""
        _, known = unpacked(_bytes(self.folder, TRAINING, self.manifest["files"]))
        if apart == "game":
            return {"game": np.isin(_hashes(game_keys(dataset)), known.get("games", np.zeros(0, np.uint64)))}
        contexts = np.isin(_hashes(dataset.items.context), known["contexts"]) & (dataset.items.context.lengths > 0)
        return {
            "text": np.isin(_hashes(dataset.outputs.text), known["texts"]),
            "context": contexts[dataset.outputs.item],
        }


def write_model(folder: str | Path, signature: str, unit: str, state: object, dataset: Dataset, seed: int) -> None:
    """Write a fitted evaluator to a new folder, atomically."""
    path = new_model_folder(folder)
    hashes = {"texts": dataset.outputs.text, "contexts": dataset.items.context, "games": game_keys(dataset)}
    files = {
        STATE: state_as_bytes(signature.partition("(")[0], state),
        TRAINING: packed({}, {name: np.unique(_hashes(texts)) for name, texts in hashes.items()}),
    }
    manifest = {
        "format": FORMAT,
        "evaluator": signature,
        "assay": __version__,
        "unit": unit,
        "seed": seed,
        "training": {
            "fingerprint": dataset.fingerprint,
            "outputs": len(dataset.outputs),
            "items": len(dataset.items),
            "systems": dataset.systems.id.to_list(),
        },
        "files": {name: sha256(content).hexdigest() for name, content in files.items()},
    }
    with replacing_folder(path) as temporary:
        for name, content in files.items():
            (temporary / name).write_bytes(content)
        (temporary / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")


def state_as_bytes(evaluator: str, state: object) -> bytes:
    """A fitted state as bytes that hold plain arrays, texts and JSON values; what would need pickle is an error."""
    return packed(*_plain(evaluator, state))


def state_from_bytes(content: bytes) -> dict[str, Any]:
    """The inverse of `state_as_bytes`."""
    about, arrays = unpacked(content)
    state: dict[str, Any] = dict(about["values"])
    state |= {name: arrays[f"array {name}"] for name in about["arrays"]}
    return state | {name: Strings(arrays[f"bytes {name}"], arrays[f"offsets {name}"]) for name in about["texts"]}


def new_model_folder(folder: str | Path) -> Path:
    """Return the path of a folder that does not exist yet; an error otherwise."""
    path = expanded(folder)
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        pass
    except (OSError, ValueError):
        raise DataError(f"{str(folder)[:80]!r} cannot be the name of a folder. Choose another name.") from None
    else:
        raise DataError(f"{folder}: there is something of this name already. Choose another name, or remove it.")
    if not path.absolute().parent.is_dir():
        raise DataError(f"{path.absolute().parent}: no such folder. Make it first.")
    return path.absolute()


def read_model(given: str) -> FittedModel:
    """Find a folder by its path, or by the `name@hash` of a signature, and verify it."""
    named = NAMED.fullmatch(given)
    folder = remembered(named["content"]) if named else expanded(given).absolute()
    if named and (folder is None or _read(folder, given).content != named["content"]):
        raise DataError(
            f"{given}: the model with this content is not on this computer, or has changed. "
            "Give the path of its folder."
        )
    assert folder is not None
    model = _read(folder, given)
    remember(model.content, folder)
    return model


def _read(folder: Path, given: str) -> FittedModel:
    if not is_file(folder / MANIFEST):
        raise DataError(
            f"{given}: not the folder of a fitted evaluator (no {MANIFEST} in it). Make one with: "
            "assay fit EVALUATOR DATA -o FOLDER"
        )
    content = (folder / MANIFEST).read_bytes()
    try:
        manifest = json.loads(content)
        written, files = int(manifest["format"]), dict(manifest["files"])
    except (ValueError, KeyError, TypeError, RecursionError):
        raise DataError(f"{folder / MANIFEST}: damaged, or not written by assay. {_REMEDY}") from None
    if written > FORMAT:
        raise DataError(
            f"{given}: written in format {written} by a newer assay; this one reads {FORMAT}. Update assay."
        )
    signature, unit = str(manifest.get("evaluator", "")), manifest.get("unit")
    if "(" not in signature or unit not in UNITS:
        raise DataError(f"{folder / MANIFEST}: damaged, or not written by assay. {_REMEDY}")
    for name in (STATE, TRAINING):
        _check_file(folder / name, files.get(name), *_stamp(folder / name))
    return FittedModel(folder.resolve(), sha256(content).hexdigest()[:16], signature, unit, manifest)


def _stamp(path: Path) -> tuple[int, int]:
    try:
        status = path.stat()
    except OSError:
        raise DataError(f"{path}: missing, although the manifest lists it. {_REMEDY}") from None
    return status.st_mtime_ns, status.st_size


@lru_cache(maxsize=64)
def _check_file(path: Path, expected: str | None, changed: int, size: int) -> None:
    """Compare a file with its hash in the manifest, once per modification."""
    with path.open("rb") as file:
        content = sha256()
        while block := file.read(1 << 20):
            content.update(block)
    if content.hexdigest() != expected:
        raise DataError(f"{path}: damaged: its content does not match the manifest. {_REMEDY}")


def _bytes(folder: Path, name: str, files: Mapping[str, str]) -> bytes:
    content = (folder / name).read_bytes()
    if sha256(content).hexdigest() != files[name]:
        raise DataError(f"{folder / name}: changed while it was in use. {_REMEDY}")
    return content


@lru_cache(maxsize=4)
def _state(folder: Path, content: str) -> dict[str, Any]:
    return state_from_bytes(_bytes(folder, STATE, json.loads((folder / MANIFEST).read_bytes())["files"]))


def _plain(evaluator: str, state: object) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Split a state into arrays and JSON values; anything that would need pickle is an error."""
    if not isinstance(state, Mapping):
        raise _unsavable(evaluator, f"what it learnt is a {type(state).__name__}")
    arrays: dict[str, NDArray[Any]] = {}
    about: dict[str, Any] = {"arrays": [], "texts": [], "values": {}}
    for name, value in state.items():
        if isinstance(value, Strings):
            about["texts"].append(name)
            arrays |= {f"bytes {name}": value.packed, f"offsets {name}": value.offsets - value.offsets[0]}
        elif isinstance(value, np.ndarray):
            if value.dtype.hasobject:
                raise _unsavable(evaluator, f"the array {name!r} holds Python objects")
            about["arrays"].append(name)
            arrays[f"array {name}"] = value
        elif _is_json(value):
            about["values"][name] = value
        else:
            raise _unsavable(evaluator, f"{name!r} is a {type(value).__name__}")
    return about, arrays


def _unsavable(evaluator: str, why: str) -> EvaluatorError:
    return EvaluatorError(
        f"{evaluator} cannot be saved: {why}. Let fit return arrays, Strings and JSON values by name, or give "
        "fitted(..., save=..., load=...) to turn it into that and back."
    )


def _is_json(value: object) -> bool:
    if isinstance(value, list):
        return all(map(_is_json, value))
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_json(part) for key, part in value.items())
    return value is None or isinstance(value, bool | int | float | str)


def _hashes(texts: Strings) -> NDArray[np.uint64]:
    data, offsets = texts.data.tobytes(), texts.offsets.tolist()
    digests = [blake2b(data[start:end], digest_size=8).digest() for start, end in pairwise(offsets)]
    return np.frombuffer(b"".join(digests), "<u8")
