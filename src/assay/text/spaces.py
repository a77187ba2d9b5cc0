"""White space in UTF-8 bytes, as defined by `str.split()` and `str.isspace()`."""

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import jit

MAY_START_SPACE = np.zeros(256, np.bool_)  # one lookup rules out most bytes
MAY_START_SPACE[list(b"\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \xc2\xe1\xe2\xe3")] = True


@jit
def space_width(data: NDArray[np.uint8], at: int, end: int) -> int:
    """Width in bytes of the white-space character that starts at `at`, 0 if none does."""
    byte = data[at]
    if not MAY_START_SPACE[byte]:
        return 0
    if byte < 0x80:
        return 1
    if byte == 0xC2 and at + 1 < end:  # U+0085, U+00A0
        return 2 if data[at + 1] == 0x85 or data[at + 1] == 0xA0 else 0
    if at + 2 >= end:
        return 0
    second = data[at + 1]
    third = data[at + 2]
    if byte == 0xE2:
        if second == 0x80:  # U+2000 to U+200A, U+2028, U+2029, U+202F
            return 3 if third <= 0x8A or third == 0xA8 or third == 0xA9 or third == 0xAF else 0
        return 3 if second == 0x81 and third == 0x9F else 0  # U+205F
    if byte == 0xE1:  # U+1680
        return 3 if second == 0x9A and third == 0x80 else 0
    return 3 if second == 0x80 and third == 0x80 else 0  # U+3000
