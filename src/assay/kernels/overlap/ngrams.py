"""N-gram ids shared by all texts of a bank, and n-gram counts per text.

Text i is `ids[offsets[i]:offsets[i + 1]]`. An n-gram is identified by the pair (id of its first n - 1 tokens, last
token), which is exact: hash collisions never merge two n-grams.
"""

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import jit

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
HALF = np.uint64(32)
FREE = np.uint64(0xFFFFFFFFFFFFFFFF)
NO_NGRAM = -1
INSERTION_LIMIT = 48


def ngram_ids(
    ids: NDArray[np.int32], offsets: NDArray[np.int64], max_order: int
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return `grams` and `sizes`: `grams[n - 1, p]` is the id of the n-gram that starts at position p.

    It is -1 where the text ends before the n-gram does, so the n-grams of a text are
    `grams[n - 1, offsets[i] : offsets[i + 1] - n + 1]`. Ids of one order run from 0 to `sizes[n - 1] - 1`
    by first appearance. `grams[0]` are the tokens themselves.
    """
    grams = np.empty((max_order, len(ids)), np.int32)
    sizes = np.zeros(max_order, np.int64)
    if max_order and len(ids):
        grams[0] = ids
        sizes[0] = int(ids.max()) + 1
    for order in range(1, max_order):
        sizes[order] = extend_ngrams(grams[order - 1], int(sizes[order - 1]), ids, offsets, order, grams[order])
    return grams, sizes


@jit
def count_ngrams(
    grams: NDArray[np.int32], offsets: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]:
    """Count n-grams per text: (ids, counts, offsets), ids ascending within a text; -1 is skipped.

    `grams` is one row of `ngram_ids`, or the tokens.
    """
    numbers = np.empty(len(grams), np.int32)
    counts = np.empty(len(grams), np.int32)
    count_offsets = np.zeros(len(offsets), np.int64)
    longest = 0
    for text in range(len(offsets) - 1):
        longest = max(longest, offsets[text + 1] - offsets[text])
    row = np.empty(longest, np.int32)
    size = 0
    for text in range(len(offsets) - 1):
        length = 0
        for at in range(offsets[text], offsets[text + 1]):
            if grams[at] != NO_NGRAM:
                row[length] = grams[at]
                length += 1
        sort_row(row, length)
        previous = NO_NGRAM
        for gram in row[:length]:
            if gram != previous:
                numbers[size] = gram
                counts[size] = 0
                size += 1
                previous = gram
            counts[size - 1] += 1
        count_offsets[text + 1] = size
    return numbers[:size].copy(), counts[:size].copy(), count_offsets


@jit
def sort_row(row: NDArray[np.int32], length: int) -> None:
    """Sort the first `length` values in place; insertion sort is fastest for most texts, which are short."""
    if length > INSERTION_LIMIT:
        row[:length].sort()
        return
    for i in range(1, length):
        value = row[i]
        j = i
        while j > 0 and row[j - 1] > value:
            row[j] = row[j - 1]
            j -= 1
        row[j] = value


@jit
def extend_ngrams(
    shorter: NDArray[np.int32],
    n_shorter: int,
    ids: NDArray[np.int32],
    offsets: NDArray[np.int64],
    order: int,
    longer: NDArray[np.int32],
) -> int:
    """Fill `longer` with the ids of the (order + 1)-grams; return how many are distinct."""
    occurrences = np.zeros(n_shorter, np.int32)
    for gram in shorter:
        if gram != NO_NGRAM:
            occurrences[gram] += 1
    capacity = 1024
    shift = np.uint64(54)
    while capacity < len(ids) // 2:
        capacity *= 2
        shift -= np.uint64(1)
    table = np.full((capacity, 2), FREE, np.uint64)  # key and id adjacent: one cache line
    n_entries = 0
    size = 0
    for text in range(len(offsets) - 1):
        last = max(offsets[text], offsets[text + 1] - order)
        for at in range(offsets[text], last):
            # An extension of an n-gram that occurs once occurs once itself: no lookup needed.
            if occurrences[shorter[at]] == 1 or occurrences[shorter[at + 1]] == 1:
                longer[at] = size
                size += 1
                continue
            key = (np.uint64(shorter[at]) << HALF) | np.uint64(ids[at + order])
            slot = np.int64((key * GOLDEN) >> shift)
            while table[slot, 0] != FREE and table[slot, 0] != key:
                slot = (slot + 1) & (capacity - 1)
            if table[slot, 0] == FREE:
                table[slot, 0] = key
                table[slot, 1] = np.uint64(size)
                longer[at] = size
                size += 1
                n_entries += 1
                if 2 * n_entries == capacity:
                    table = _doubled(table, shift)
                    capacity *= 2
                    shift -= np.uint64(1)
            else:
                longer[at] = np.int32(table[slot, 1])
        longer[last : offsets[text + 1]] = NO_NGRAM
    return size


@jit
def _doubled(table: NDArray[np.uint64], shift: np.uint64) -> NDArray[np.uint64]:
    capacity = 2 * len(table)
    doubled = np.full((capacity, 2), FREE, np.uint64)
    for old in range(len(table)):
        if table[old, 0] != FREE:
            slot = np.int64((table[old, 0] * GOLDEN) >> (shift - np.uint64(1)))
            while doubled[slot, 0] != FREE:
                slot = (slot + 1) & (capacity - 1)
            doubled[slot, 0] = table[old, 0]
            doubled[slot, 1] = table[old, 1]
    return doubled
