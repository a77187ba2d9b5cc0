"""The most similar texts by tf-idf cosine, through an inverted index."""

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import jit

# Cosines are compared in steps of this fraction of 1.
STEPS = 2.0**33


def tfidf_weights(
    counted: tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]], documents: NDArray[np.bool_], n_types: int
) -> NDArray[np.float64]:
    """Return tf-idf weights count * (log((1 + n) / (1 + df)) + 1), each text normalized to unit length.

    `counted` is (ids, counts, offsets) per text; df counts, among the n texts marked in `documents`, those that
    contain a word. Smoothed as in scikit-learn: a word in no document still has a weight.
    """
    numbers, counts, offsets = counted
    text_of = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    frequency = np.bincount(numbers[documents[text_of]], minlength=n_types)
    weights = counts * (np.log((1 + documents.sum()) / (1 + frequency)) + 1)[numbers]
    norms = np.sqrt(np.bincount(text_of, weights**2, len(offsets) - 1))
    return np.asarray(weights / norms[text_of])


@jit
def most_similar(
    numbers: NDArray[np.int32],
    weights: NDArray[np.float64],
    offsets: NDArray[np.int64],
    n_types: int,
    pool: NDArray[np.int64],
    codes: NDArray[np.int32],
    k: int,
    n: int,
) -> NDArray[np.int64]:
    """Return the k most similar texts of `pool` for each of the first n texts, best first; -1 where there are fewer.

    Texts with the query's own code, the query itself and its duplicates, are left out. Ties go to the text that comes
    first in `pool`; cosines that differ by less than 1e-10 may tie, so that rounding noise decides nothing.
    """
    post_offsets = np.zeros(n_types + 1, np.int64)
    for text in pool:
        for entry in range(offsets[text], offsets[text + 1]):
            post_offsets[numbers[entry] + 1] += 1
    post_offsets = np.cumsum(post_offsets)
    filled = post_offsets[:-1].copy()
    posted = np.empty(post_offsets[-1], np.int64)
    posted_weights = np.empty(post_offsets[-1])
    for place in range(len(pool)):
        for entry in range(offsets[pool[place]], offsets[pool[place] + 1]):
            slot = filled[numbers[entry]]
            posted[slot], posted_weights[slot] = place, weights[entry]
            filled[numbers[entry]] += 1

    neighbors = np.full((n, k), -1, np.int64)
    best = np.empty(k)
    similarity = np.zeros(len(pool))
    for text in range(n):
        similarity[:] = 0.0
        for entry in range(offsets[text], offsets[text + 1]):
            for slot in range(post_offsets[numbers[entry]], post_offsets[numbers[entry] + 1]):
                similarity[posted[slot]] += weights[entry] * posted_weights[slot]
        n_best = 0
        for place in range(len(pool)):
            near = np.rint(similarity[place] * STEPS)
            if codes[pool[place]] == codes[text] or (n_best == k and near <= best[k - 1]):
                continue
            at = min(n_best, k - 1)
            while at > 0 and best[at - 1] < near:
                best[at] = best[at - 1]
                neighbors[text, at] = neighbors[text, at - 1]
                at -= 1
            best[at] = near
            neighbors[text, at] = pool[place]
            n_best = min(n_best + 1, k)
    return neighbors
