"""The best reference of each unit, for scores defined on one pair of texts."""

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import jit


@jit
def first_best(scores: NDArray[np.float64], bounds: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the highest-scoring pair of each unit, the first one on ties; -1 without pairs."""
    best = np.full(len(bounds) - 1, -1, np.int64)
    for unit in range(len(bounds) - 1):
        for pair in range(bounds[unit], bounds[unit + 1]):
            if best[unit] < 0 or scores[pair] > scores[best[unit]]:
                best[unit] = pair
    return best
