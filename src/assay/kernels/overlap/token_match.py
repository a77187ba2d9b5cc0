"""Greedy matching of token vectors between two texts (Zhang et al. 2020)."""

import numpy as np
from numpy.typing import NDArray


def greedy_matches(
    states: NDArray[np.float64],
    bounds: NDArray[np.int64],
    weights: NDArray[np.float64],
    left: NDArray[np.int64],
    right: NDArray[np.int64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return precision and recall of each pair of texts: mean best cosine over the left and over the right tokens.

    Text i has the unit vectors `states[bounds[i]:bounds[i + 1]]`. `weights` weight the tokens in the means; NaN where
    all weights of a text are 0.
    """
    precision, recall = np.full(len(left), np.nan), np.full(len(left), np.nan)
    for pair, (a, b) in enumerate(zip(left.tolist(), right.tolist(), strict=True)):
        mine, other = slice(bounds[a], bounds[a + 1]), slice(bounds[b], bounds[b + 1])
        if weights[mine].sum() > 0 and weights[other].sum() > 0:
            cosines = states[mine] @ states[other].T
            precision[pair] = weights[mine] @ cosines.max(axis=1) / weights[mine].sum()
            recall[pair] = weights[other] @ cosines.max(axis=0) / weights[other].sum()
    return precision, recall
