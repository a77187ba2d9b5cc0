"""Copy byte strings from one buffer into another."""

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import jit


@jit
def copy_rows(
    source: NDArray[np.uint8],
    starts: NDArray[np.int64],
    lengths: NDArray[np.int64],
    target: NDArray[np.uint8],
    places: NDArray[np.int64],
) -> None:
    """Copy `source[starts[i] : starts[i] + lengths[i]]` to `target[places[i] :]` for every i, in place."""
    for row in range(len(starts)):
        start = starts[row]
        place = places[row]
        for k in range(lengths[row]):
            target[place + k] = source[start + k]
