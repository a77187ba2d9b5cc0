"""What one unit weighs in several resamples, side by side in memory.

A sum over units then adds vectors, one number per resample, without a branch. Each resample's own sum is made in
the order of the units all the same, so that no bit depends on how many are made together.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import jit

WIDTH = 16
"""Resamples that are handled together: 16 whole numbers fill a line of the cache."""


@jit
def side_by_side(weights: NDArray[Any], first: int) -> NDArray[Any]:
    """Turn the weights (B, n) of resamples `first` to `first + WIDTH` into (n, WIDTH); beyond B they are 0."""
    n_rows, n = weights.shape
    turned = np.zeros((n, WIDTH), weights.dtype)
    if first + WIDTH <= n_rows:  # a number that is known beforehand is what the compiler makes quick
        for unit in range(n):
            for b in range(WIDTH):
                turned[unit, b] = weights[first + b, unit]
    else:
        for unit in range(n):
            for b in range(n_rows - first):
                turned[unit, b] = weights[first + b, unit]
    return turned
