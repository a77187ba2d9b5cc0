"""Balanced subsampling: a subset in which a value is uninformative about a binary class."""

import numpy as np
from numpy.typing import NDArray


def balanced_rows(
    values: NDArray[np.float64], is_high: NDArray[np.bool_], group_size: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Sort stably by value, cut into groups, and downsample the larger class of each group to the smaller.

    Rows of the larger class are drawn at random. Returned rows are ascending.
    """
    ordered = np.argsort(values, kind="stable")
    chosen = [np.zeros(0, np.int64)]
    for start in range(0, len(ordered), group_size):
        group = ordered[start : start + group_size]
        classes = [group[~is_high[group]], group[is_high[group]]]
        n = min(map(len, classes))
        chosen += [rng.permutation(members)[:n] for members in classes]
    return np.sort(np.concatenate(chosen))
