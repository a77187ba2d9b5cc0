"""Conversion between our columns and Arrow's, without a Python object per text. Needs the extra `parquet`."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.errors import MissingExtra
from assay.text.strings import Strings


def arrow() -> Any:
    """Import pyarrow, or say how to install it."""
    try:
        import pyarrow
    except ImportError:
        raise MissingExtra("Parquet", "pyarrow", "parquet") from None
    return pyarrow


def strings_to_arrow(texts: Strings) -> Any:
    """Convert a column of texts to Arrow."""
    pa = arrow()
    offsets = np.ascontiguousarray(texts.offsets - texts.offsets[0])
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(np.ascontiguousarray(texts.packed))]
    return pa.Array.from_buffers(pa.large_string(), len(texts), buffers)


def strings_from_arrow(column: Any) -> Strings:
    """Convert a column of texts from Arrow; nulls become empty texts."""
    pa = arrow()
    chunks = column.cast(pa.large_string()).chunks if isinstance(column, pa.ChunkedArray) else [column]
    return Strings.concatenate([_one_from_arrow(chunk.cast(pa.large_string())) for chunk in chunks])


def _one_from_arrow(array: Any) -> Strings:
    if array.null_count:
        array = array.fill_null("")
    _, offsets, data = array.buffers()
    numbers = np.frombuffer(offsets, np.int64)[array.offset : array.offset + len(array) + 1]
    bytes_ = np.frombuffer(data, np.uint8) if data is not None else np.zeros(0, np.uint8)
    return Strings(bytes_, numbers)
