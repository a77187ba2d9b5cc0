"""Prediction of boosted decision trees."""

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import jit

LEAF = -1


@jit
def sum_of_trees(
    features: NDArray[np.float64],
    roots: NDArray[np.int64],
    feature: NDArray[np.int64],
    threshold: NDArray[np.float64],
    left: NDArray[np.int64],
    right: NDArray[np.int64],
    value: NDArray[np.float64],
    baseline: float,
) -> NDArray[np.float64]:
    """Add the leaf values of all trees, in order, to the baseline. Values up to the threshold go left.

    The nodes of all trees are concatenated; a node is a leaf if its `feature` is LEAF.
    """
    sums = np.full(len(features), baseline)
    for row in range(len(features)):
        for root in roots:
            node = root
            while feature[node] != LEAF:
                node = left[node] if features[row, feature[node]] <= threshold[node] else right[node]
            sums[row] += value[node]
    return sums
