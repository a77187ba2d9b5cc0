"""`str.replace` for a whole column of texts."""

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import jit


@jit
def replace(
    data: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    pattern: NDArray[np.uint8],
    replacement: NDArray[np.uint8],
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return (data, offsets) with every non-overlapping match of the non-empty `pattern` replaced, left to right."""
    length = offsets[-1] - offsets[0]
    growth = max(0, len(replacement) - len(pattern))
    result = np.empty(length + growth * (length // len(pattern)), np.uint8)
    result_offsets = np.zeros(len(offsets), np.int64)
    width = len(pattern)
    to = 0
    for text in range(len(offsets) - 1):
        at = offsets[text]
        end = offsets[text + 1]
        while at < end:
            matched = 0
            if at + width <= end:
                while matched < width and data[at + matched] == pattern[matched]:
                    matched += 1
            if matched == width:
                for byte in replacement:
                    result[to] = byte
                    to += 1
                at += width
            else:
                result[to] = data[at]
                to += 1
                at += 1
        result_offsets[text + 1] = to
    return result[:to].copy(), result_offsets
