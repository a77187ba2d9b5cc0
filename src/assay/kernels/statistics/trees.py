"""Sums of decision trees: what boosted trees say of rows of features."""

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
    """Add the leaf values of all trees, in their order, to the baseline. At or below its threshold a row goes left.

    Nodes of all trees stand one after the other; a node whose `feature` is LEAF is one.
    """
    sums = np.full(len(features), baseline)
    for row in range(len(features)):
        for root in roots:
            node = root
            while feature[node] != LEAF:
                node = left[node] if features[row, feature[node]] <= threshold[node] else right[node]
            sums[row] += value[node]
    return sums
