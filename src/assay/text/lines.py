"""Texts as lines."""

import numpy as np
from numpy.typing import NDArray

from assay.text.strings import Strings

NEWLINE = 0x0A


def split_lines(texts: Strings) -> tuple[Strings, NDArray[np.int64]]:
    r"""Split every text as `str.split("\n")`: text i has the lines bounds[i] to bounds[i + 1]."""
    data, offsets = texts.packed, texts.offsets - texts.offsets[0]
    breaks = data == NEWLINE
    breaks_before = np.concatenate([[0], np.cumsum(breaks)])
    # A line ends at a newline or with its text; newlines themselves are dropped from the data.
    ends = np.sort(np.concatenate([np.flatnonzero(breaks), offsets[1:]]))
    line_offsets = np.concatenate([[0], ends - breaks_before[ends]]).astype(np.int64)
    bounds = breaks_before[offsets] + np.arange(len(offsets))
    return Strings(data[~breaks], line_offsets), bounds
