"""The unordered pairs of texts within each set, and means over them."""

from copy import deepcopy

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import jit

Ints = NDArray[np.int64]


def pairs_within(members: Ints, set_offsets: Ints, max_pairs: int, rng: np.random.Generator) -> tuple[Ints, Ints, Ints]:
    """Return (left, right, pair_offsets): the pairs of set s are pair_offsets[s] to pair_offsets[s + 1].

    From a set with more than `max_pairs` pairs that many are sampled without replacement, each time with `rng` as it
    is given, so that they do not depend on the other sets. A set of fewer than two texts has none.
    """
    sizes = np.diff(set_offsets)
    all_pairs = sizes * (sizes - 1) // 2
    pair_offsets = np.zeros(len(set_offsets), np.int64)
    np.cumsum(np.minimum(all_pairs, max_pairs), out=pair_offsets[1:])
    first = np.empty(pair_offsets[-1], np.int64)
    second = np.empty(pair_offsets[-1], np.int64)
    _all_pairs(sizes, pair_offsets, max_pairs, first, second)
    for s in np.flatnonzero(all_pairs > max_pairs):
        chosen = np.sort(deepcopy(rng).choice(int(all_pairs[s]), max_pairs, replace=False, shuffle=False))
        # Invert the pair number p = j (j - 1) / 2 + i, i < j.
        j = ((1 + np.sqrt(1 + 8.0 * chosen)) / 2).astype(np.int64)
        j -= j * (j - 1) // 2 > chosen
        j += j * (j + 1) // 2 <= chosen
        first[pair_offsets[s] : pair_offsets[s + 1]] = chosen - j * (j - 1) // 2
        second[pair_offsets[s] : pair_offsets[s + 1]] = j
    start = np.repeat(set_offsets[:-1], np.diff(pair_offsets))
    return members[start + first], members[start + second], pair_offsets


@jit
def mean_of_pairs(values: NDArray[np.float64], pair_offsets: Ints) -> NDArray[np.float64]:
    """Mean over the pairs of each set. NaN without pairs, and where a pair is NaN."""
    means = np.full(len(pair_offsets) - 1, np.nan)
    for s in range(len(pair_offsets) - 1):
        start, stop = pair_offsets[s], pair_offsets[s + 1]
        if stop > start:
            means[s] = np.sum(values[start:stop]) / (stop - start)
    return means


@jit
def _all_pairs(sizes: Ints, pair_offsets: Ints, max_pairs: int, first: Ints, second: Ints) -> None:
    for s in range(len(sizes)):
        if sizes[s] * (sizes[s] - 1) // 2 > max_pairs:
            continue
        at = pair_offsets[s]
        for j in range(1, sizes[s]):
            for i in range(j):
                first[at] = i
                second[at] = j
                at += 1
