"""Building blocks of CIDEr: n-gram document frequencies and tf-idf cosine similarity (Vedantam et al. 2015).

Texts are rows of (number, count) as returned by `kernels.overlap.ngrams.count_ngrams` for one order.
"""

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import jit


@jit
def document_frequencies(
    numbers: NDArray[np.int32],
    count_offsets: NDArray[np.int64],
    documents: NDArray[np.int64],
    bounds: NDArray[np.int64],
    n_numbers: int,
) -> NDArray[np.int64]:
    """Count the documents that contain each n-gram; document d is the texts `documents[bounds[d]:bounds[d + 1]]`."""
    frequencies = np.zeros(n_numbers, np.int64)
    seen_in = np.full(n_numbers, -1, np.int64)
    for document in range(len(bounds) - 1):
        for member in range(bounds[document], bounds[document + 1]):
            text = documents[member]
            for entry in range(count_offsets[text], count_offsets[text + 1]):
                number = numbers[entry]
                if seen_in[number] != document:
                    seen_in[number] = document
                    frequencies[number] += 1
    return frequencies


@jit
def tfidf_similarities(
    numbers: NDArray[np.int32],
    counts: NDArray[np.int32],
    count_offsets: NDArray[np.int64],
    weights: NDArray[np.float64],
    candidates: NDArray[np.int64],
    references: NDArray[np.int64],
    bounds: NDArray[np.int64],
    clip: bool,
) -> NDArray[np.float64]:
    """Cosine of the vectors count * weight of every (candidate, reference) pair; 0 if either is zero.

    With `clip` a candidate's entry is clipped to the reference's in the dot product (CIDEr-D).
    Unit i is text `candidates[i]` with the texts `references[bounds[i]:bounds[i + 1]]`.
    """
    similarities = np.zeros(len(references))
    in_candidate = np.zeros(len(weights), np.int32)
    for unit in range(len(candidates)):
        start, end = count_offsets[candidates[unit]], count_offsets[candidates[unit] + 1]
        square = 0.0
        for entry in range(start, end):
            in_candidate[numbers[entry]] = counts[entry]
            square += (counts[entry] * weights[numbers[entry]]) ** 2
        for pair in range(bounds[unit], bounds[unit + 1]):
            text = references[pair]
            product, other_square = 0.0, 0.0
            for entry in range(count_offsets[text], count_offsets[text + 1]):
                number = numbers[entry]
                weighted = counts[entry] * weights[number]
                other_square += weighted**2
                if in_candidate[number] > 0:
                    mine = in_candidate[number] * weights[number]
                    product += min(mine, weighted) * weighted if clip else mine * weighted
            if square > 0 and other_square > 0:
                similarities[pair] = product / np.sqrt(square * other_square)
        for entry in range(start, end):
            in_candidate[numbers[entry]] = 0
    return similarities
