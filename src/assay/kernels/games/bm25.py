"""BM25 of given pairs of a query and a document, over token ids (Robertson et al. 1994).

Texts are rows of (number, count) as returned by `kernels.overlap.ngrams.count_ngrams`.
"""

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import jit

Counted = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]


def bm25_weights(counted: Counted, n_types: int, k1: float, b: float) -> NDArray[np.float64]:
    """Return the weight of each entry of the documents: idf f (k1 + 1) / (f + k1 (1 - b + b length / mean length)).

    idf = log(1 + (n - df + .5) / (df + .5)), as in Lucene: never negative, however frequent a word is.
    """
    numbers, counts, offsets = counted
    n = len(offsets) - 1
    frequency = np.bincount(numbers, minlength=n_types)
    idf = np.log1p((n - frequency + 0.5) / (frequency + 0.5))
    text_of = np.repeat(np.arange(n), np.diff(offsets))
    length = np.bincount(text_of, counts, n)
    mean = length.mean() if n and length.any() else 1.0
    return np.asarray(idf[numbers] * counts * (k1 + 1) / (counts + k1 * (1 - b + b * length / mean)[text_of]))


@jit
def weighted_overlaps(
    queries: NDArray[np.int32],
    query_counts: NDArray[np.int32],
    query_offsets: NDArray[np.int64],
    numbers: NDArray[np.int32],
    weights: NDArray[np.float64],
    offsets: NDArray[np.int64],
    shown: NDArray[np.int64],
    bounds: NDArray[np.int64],
    n_types: int,
) -> NDArray[np.float64]:
    """Sum count in the query times weight in the document over the tokens of each pair.

    Query q is shown the documents `shown[bounds[q]:bounds[q + 1]]`.
    """
    sums = np.zeros(len(shown))
    in_query = np.zeros(n_types, np.int32)
    for query in range(len(query_offsets) - 1):
        for entry in range(query_offsets[query], query_offsets[query + 1]):
            in_query[queries[entry]] = query_counts[entry]
        for pair in range(bounds[query], bounds[query + 1]):
            total = 0.0
            for entry in range(offsets[shown[pair]], offsets[shown[pair] + 1]):
                count = in_query[numbers[entry]]
                if count:
                    total += count * weights[entry]
            sums[pair] = total
        for entry in range(query_offsets[query], query_offsets[query + 1]):
            in_query[queries[entry]] = 0
    return sums
