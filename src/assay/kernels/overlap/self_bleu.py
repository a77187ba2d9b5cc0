"""Matches of every text of a group in all the others, in one pass: Self-BLEU (Zhu et al. 2018).

Clipping asks for the largest count of an n-gram in any other text. That is the largest of all, or, for the
text that holds the largest, the second largest: keeping both and the holder replaces comparing all pairs.
"""

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import jit


@jit
def clipped_among_others(
    numbers: NDArray[np.int32],
    counts: NDArray[np.int32],
    count_offsets: NDArray[np.int64],
    members: NDArray[np.int64],
    bounds: NDArray[np.int64],
    n_numbers: int,
) -> NDArray[np.int64]:
    """Return, parallel to `members`, the clipped matches of each text in the other texts of its group.

    Group g is the texts `members[bounds[g]:bounds[g + 1]]`, told apart by place: a text that stands twice in
    a group is a full match for itself. (numbers, counts, count_offsets) count n-grams of one order per text.
    """
    matches = np.zeros(len(members), np.int64)
    largest = np.zeros(n_numbers, np.int32)
    second = np.zeros(n_numbers, np.int32)
    holder = np.full(n_numbers, -1, np.int64)
    for group in range(len(bounds) - 1):
        for place in range(bounds[group], bounds[group + 1]):
            for entry in range(count_offsets[members[place]], count_offsets[members[place] + 1]):
                number, count = numbers[entry], counts[entry]
                if count > largest[number]:
                    second[number] = largest[number]
                    largest[number] = count
                    holder[number] = place
                elif count > second[number]:
                    second[number] = count
        for place in range(bounds[group], bounds[group + 1]):
            for entry in range(count_offsets[members[place]], count_offsets[members[place] + 1]):
                number = numbers[entry]
                limit = second[number] if holder[number] == place else largest[number]
                matches[place] += min(counts[entry], limit)
        for place in range(bounds[group], bounds[group + 1]):
            for entry in range(count_offsets[members[place]], count_offsets[members[place] + 1]):
                largest[numbers[entry]] = 0
                second[numbers[entry]] = 0
                holder[numbers[entry]] = -1
    return matches


@jit
def closest_other_lengths(lengths: NDArray[np.int64], bounds: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return each text's nearest length among the others of its group, the shorter of two; 0 if alone."""
    closest = np.zeros(len(lengths), np.int64)
    for group in range(len(bounds) - 1):
        start, end = bounds[group], bounds[group + 1]
        order = np.argsort(lengths[start:end], kind="mergesort")
        for rank in range(end - start):
            place = start + order[rank]
            best = -1
            if rank > 0:
                best = lengths[start + order[rank - 1]]
            if rank + 1 < end - start:
                above = lengths[start + order[rank + 1]]
                if best < 0 or above - lengths[place] < lengths[place] - best:
                    best = above
            closest[place] = max(best, 0)
    return closest
