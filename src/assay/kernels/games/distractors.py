"""Draw distractors: other texts, each target with a random stream of its own."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import jit

GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@jit
def draw_others(keys: NDArray[np.uint64], taken: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    """Draw k distinct texts for each text, neither itself nor in its row of `taken`; `keys[t]` seeds the stream of t.

    Each draw is uniform among what is left (SplitMix64, rejecting repetitions), and the first draws do not depend on k.
    There must be at least k texts to draw from.
    """
    n = len(keys)
    drawn = np.empty((n, k), np.int64)
    for text in range(n):
        state = keys[text]
        size = 0
        while size < k:
            state += GOLDEN
            other = np.int64(_mix(state) % np.uint64(n))
            usable = other != text
            for column in range(taken.shape[1]):
                usable = usable and taken[text, column] != other
            for column in range(size):
                usable = usable and drawn[text, column] != other
            if usable:
                drawn[text, size] = other
                size += 1
    return drawn


@jit
def _mix(state: Any) -> Any:
    """Scramble 64 bits, a number or an array (the finalizer of SplitMix64)."""
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return state ^ (state >> np.uint64(31))


@jit
def mixed(left: NDArray[np.uint64], right: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Hash two arrays of equal shape into one."""
    hashes: NDArray[np.uint64] = _mix(left * GOLDEN + right)
    return hashes
