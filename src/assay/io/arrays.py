"""Named arrays with a header in one file: what a fitted model is stored as. Reading it executes nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from assay.errors import DataError

HEADER = "header"


def save_arrays(path: str | Path, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays and a header of JSON values, in the npz format, under exactly this name."""
    stored: dict[str, Any] = {HEADER: np.frombuffer(json.dumps(header).encode("utf-8"), np.uint8), **arrays}
    with Path(path).open("wb") as file:
        np.savez_compressed(file, **stored)


def load_arrays(path: str | Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Read what `save_arrays` wrote."""
    try:
        with np.load(path, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
        header = json.loads(arrays.pop(HEADER).tobytes().decode("utf-8"))
    except FileNotFoundError as error:
        raise DataError(f"{path}: no such file.") from error
    except (BadZipFile, KeyError, ValueError, AttributeError, EOFError, OSError) as error:
        raise DataError(f"{path}: not a file of saved arrays ({error}).") from error
    return header, arrays
