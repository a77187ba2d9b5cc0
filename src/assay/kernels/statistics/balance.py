"""A subset in which a number says nothing about a class: equal classes within each stretch of its order."""

import numpy as np
from numpy.typing import NDArray


def balanced_rows(
    values: NDArray[np.float64], is_high: NDArray[np.bool_], group_size: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Sort stably by value, cut into groups, keep in each as many of one class as of the other.

    Of a group's larger class the rows to keep are drawn at random. Returned rows ascend.
    """
    ordered = np.argsort(values, kind="stable")
    kept = [np.zeros(0, np.int64)]
    for start in range(0, len(ordered), group_size):
        group = ordered[start : start + group_size]
        classes = [group[~is_high[group]], group[is_high[group]]]
        n = min(map(len, classes))
        kept += [rng.permutation(members)[:n] for members in classes]
    return np.sort(np.concatenate(kept))
