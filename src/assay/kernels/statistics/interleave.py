"""Weights of one unit in several resamples, contiguous in memory (SIMD).

A sum over units then adds vectors, one lane per resample, without branches. Each resample is still summed in unit
order, so results do not depend on how many are computed together.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import jit

WIDTH = 16
"""Resamples per vector: 16 int32 fill a cache line."""


@jit
def interleave(weights: NDArray[Any], first: int) -> NDArray[Any]:
    """Transpose the weights (B, n) of resamples `first` to `first + WIDTH` to (n, WIDTH), zero-padded beyond B."""
    n_rows, n = weights.shape
    transposed = np.zeros((n, WIDTH), weights.dtype)
    if first + WIDTH <= n_rows:  # a constant trip count lets the compiler vectorize
        for unit in range(n):
            for b in range(WIDTH):
                transposed[unit, b] = weights[first + b, unit]
    else:
        for unit in range(n):
            for b in range(n_rows - first):
                transposed[unit, b] = weights[first + b, unit]
    return transposed
