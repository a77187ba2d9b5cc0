"""Levenshtein distance of long texts, 64 positions at a time (Myers 1999, blocked as in Hyyro 2003).

Each token of the text updates all blocks of the pattern's column; a block passes the change in distance to the next.
Tokens that are frequent in the pattern have precomputed masks, those of rare ones are built on use, so that memory is
linear in the length of the pattern and not quadratic.
"""

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import jit

_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_ONE = np.uint64(1)
_RARE = 8
"""A token that occurs less than once per this many blocks is rare."""


@jit
def long_distance(pattern: NDArray[np.int32], text: NDArray[np.int32], n_types: int) -> int:
    """Return the distance of two texts; every token is below `n_types`, and the pattern is not empty."""
    n, blocks = len(pattern), (len(pattern) + 63) // 64
    counts = np.zeros(n_types + 1, np.int64)
    for token in pattern:
        counts[token + 1] += 1
    row_of = np.full(n_types, -1, np.int64)
    n_rows = 0
    for token in range(n_types):
        if counts[token + 1] * _RARE > blocks:
            row_of[token] = n_rows
            n_rows += 1
    starts = np.cumsum(counts)
    filled = starts[:-1].copy()
    places = np.empty(n, np.int64)
    frequent = np.zeros((n_rows, blocks), np.uint64)
    for place in range(n):
        token = pattern[place]
        places[filled[token]] = place
        filled[token] += 1
        if row_of[token] >= 0:
            frequent[row_of[token], place // 64] |= _ONE << np.uint64(place % 64)
    rises, falls = np.full(blocks, _ALL, np.uint64), np.zeros(blocks, np.uint64)
    scratch = np.zeros(blocks, np.uint64)
    last = _ONE << np.uint64((n - 1) % 64)
    distance = n
    for token in text:
        if row_of[token] >= 0:
            distance += _column(rises, falls, frequent[row_of[token]], last)
            continue
        for at in range(starts[token], starts[token + 1]):
            scratch[places[at] // 64] |= _ONE << np.uint64(places[at] % 64)
        distance += _column(rises, falls, scratch, last)
        for at in range(starts[token], starts[token + 1]):
            scratch[places[at] // 64] = 0
    return distance


@jit
def _column(rises: NDArray[np.uint64], falls: NDArray[np.uint64], hits: NDArray[np.uint64], last: np.uint64) -> int:
    """Process one token of the text; return the change in distance at the end of the pattern."""
    step = 1  # the distance to an empty pattern rises with every token
    for block in range(len(rises)):
        rise, fall, equal = rises[block], falls[block], hits[block]
        vertical = equal | fall
        if step < 0:
            equal |= _ONE
        horizontal = (((equal & rise) + rise) ^ rise) | equal
        up, down = fall | ~(horizontal | rise), rise & horizontal
        top = last if block == len(rises) - 1 else _ONE << np.uint64(63)
        after = 1 if up & top else (-1 if down & top else 0)
        up, down = up << _ONE, down << _ONE
        if step < 0:
            down |= _ONE
        elif step > 0:
            up |= _ONE
        rises[block], falls[block] = down | ~(vertical | up), up & vertical
        step = after
    return step
