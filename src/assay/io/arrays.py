"""Named arrays with a JSON header in one npz file, for scores and fitted models. Reading never unpickles."""

from __future__ import annotations

import json
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import DataError
from assay.io.sealed import read_sealed, write_sealed

HEADER = "header"


def save_arrays(path: str | Path, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays and a header of JSON values as a checksummed npz file, under exactly this name."""
    write_sealed(packed(header, arrays, compressed=True), Path(path))


def load_arrays(path: str | Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Read what `save_arrays` wrote."""
    try:
        return unpacked(read_sealed(Path(path)))
    except FileNotFoundError as error:
        raise DataError(f"{path}: no such file.") from error
    except DataError as error:
        raise DataError(f"{path}: not a file of saved arrays ({error}). Save it again.") from error


def packed(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], *, compressed: bool = False) -> bytes:
    """Serialize arrays and a header of JSON values to the bytes of an npz file."""
    stored: dict[str, Any] = {HEADER: np.frombuffer(json.dumps(header).encode("utf-8"), np.uint8), **arrays}
    file = BytesIO()
    (np.savez_compressed if compressed else np.savez)(file, **stored)
    return file.getvalue()


def unpacked(content: bytes) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The inverse of `packed`."""
    with np.load(BytesIO(content), allow_pickle=False) as stored:
        arrays = {name: stored[name] for name in stored.files}
    return json.loads(arrays.pop(HEADER).tobytes().decode("utf-8")), arrays
