"""The most similar texts by tf-idf cosine, found through the words they share."""

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import jit


def tfidf_weights(
    counted: tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]], documents: NDArray[np.bool_], n_types: int
) -> NDArray[np.float64]:
    """Return count * (log((1 + n) / (1 + df)) + 1), each text brought to length one.

    `counted` is (numbers, counts, offsets) per text; df counts those of the n texts marked in `documents` that hold
    a word. The smoothing is that of scikit-learn: a word in no document still has a weight.
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
) -> NDArray[np.int64]:
    """Return for every text the k most similar texts of `pool`, best first, -1 where there are fewer.

    A text whose code equals the text's own is left out: the text itself and its duplicates. Of equally similar
    texts the earlier one in `pool` comes first.
    """
    n = len(offsets) - 1
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

    found = np.full((n, k), -1, np.int64)
    best = np.empty(k)
    similarity = np.zeros(len(pool))
    for text in range(n):
        similarity[:] = 0.0
        for entry in range(offsets[text], offsets[text + 1]):
            for slot in range(post_offsets[numbers[entry]], post_offsets[numbers[entry] + 1]):
                similarity[posted[slot]] += weights[entry] * posted_weights[slot]
        held = 0
        for place in range(len(pool)):
            if codes[pool[place]] == codes[text] or (held == k and similarity[place] <= best[k - 1]):
                continue
            at = min(held, k - 1)
            while at > 0 and best[at - 1] < similarity[place]:
                best[at] = best[at - 1]
                found[text, at] = found[text, at - 1]
                at -= 1
            best[at] = similarity[place]
            found[text, at] = pool[place]
            held = min(held + 1, k)
    return found
