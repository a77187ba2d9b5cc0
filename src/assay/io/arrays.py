"""Named arrays with a JSON header as the bytes of an npz file, for scores and fitted models. Never unpickles."""

from __future__ import annotations

import json
from collections.abc import Mapping
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

HEADER = "header"


def packed(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Serialize arrays and a header of JSON values to the bytes of an npz file."""
    stored: dict[str, Any] = {HEADER: np.frombuffer(json.dumps(header).encode("utf-8"), np.uint8), **arrays}
    file = BytesIO()
    np.savez(file, **stored)
    return file.getvalue()


def unpacked(content: bytes) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The inverse of `packed`."""
    with np.load(BytesIO(content), allow_pickle=False) as stored:
        arrays = {name: stored[name] for name in stored.files}
    return json.loads(arrays.pop(HEADER).tobytes().decode("utf-8")), arrays
