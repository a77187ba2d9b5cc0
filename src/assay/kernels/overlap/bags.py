"""Bags of n-grams: which n-grams occur in how many texts, and the counts of chosen ones as sparse rows."""

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import jit
from assay.kernels.overlap.ngrams import NO_NGRAM, sort_row


@jit
def document_frequencies(
    grams: NDArray[np.int32], offsets: NDArray[np.int64], texts: NDArray[np.int64], n_grams: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The n-grams of some texts by first appearance, and in how many of these texts each occurs.

    `grams` is one row of `ngram_ids`. The order depends on these texts alone, not on others of the bank.
    """
    latest = np.full(n_grams, -1, np.int64)
    place = np.empty(n_grams, np.int64)
    met = np.empty(n_grams, np.int64)
    frequency = np.zeros(n_grams, np.int64)
    size = 0
    for row, text in enumerate(texts):
        for at in range(offsets[text], offsets[text + 1]):
            gram = grams[at]
            if gram == NO_NGRAM or latest[gram] == row:
                continue
            if latest[gram] < 0:
                met[size] = gram
                place[gram] = size
                size += 1
            latest[gram] = row
            frequency[place[gram]] += 1
    return met[:size].copy(), frequency[:size].copy()


@jit
def bag_of_ngrams(
    grams: NDArray[np.int32],
    offsets: NDArray[np.int64],
    texts: NDArray[np.int64],
    columns: NDArray[np.int32],
    first: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
    """Count the chosen n-grams of each text: offsets, columns and counts of sparse rows, columns ascending.

    The column of n-gram g of order n is `columns[first[n - 1] + g]`, -1 if it was not chosen.
    """
    most = 0
    longest = 0
    for text in texts:
        length = offsets[text + 1] - offsets[text]
        most += length * len(grams)
        longest = max(longest, length * len(grams))
    found = np.empty(most, np.int32)
    counts = np.empty(most, np.float64)
    ends = np.zeros(len(texts) + 1, np.int64)
    row = np.empty(longest, np.int32)
    size = 0
    for number, text in enumerate(texts):
        length = 0
        for order in range(len(grams)):
            for at in range(offsets[text], offsets[text + 1]):
                gram = grams[order, at]
                column = columns[first[order] + gram] if gram != NO_NGRAM else NO_NGRAM
                if column >= 0:
                    row[length] = column
                    length += 1
        sort_row(row, length)
        previous = np.int32(-1)
        for column in row[:length]:
            if column != previous:
                found[size] = column
                counts[size] = 0.0
                size += 1
                previous = column
            counts[size - 1] += 1.0
        ends[number + 1] = size
    return ends, found[:size].copy(), counts[:size].copy()
