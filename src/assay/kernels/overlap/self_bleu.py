"""Clipped matches of each text of a group against all the others, in one pass: Self-BLEU (Zhu et al. 2018).

Clipping needs the largest count of an n-gram in any other text: the largest overall or, for the text that has it,
the second largest. Tracking both replaces comparing all pairs.
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
    """Return, parallel to `members`, the clipped matches of each text against the other texts of its group.

    Group g is the texts `members[bounds[g]:bounds[g + 1]]`, distinguished by position: a text that appears twice in
    a group fully matches itself. (numbers, counts, count_offsets) are the n-gram counts of one order per text.
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
    """Return the closest length among the other texts of each text's group, the shorter on ties; 0 if alone."""
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
