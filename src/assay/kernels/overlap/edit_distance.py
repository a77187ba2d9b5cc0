"""Word edit distance: a banded matrix with traceback, and Myers' bit-parallel algorithm (1999).

The band is that of sacrebleu's TER: cells at most 25 away from the line between the corners. A text whose best
path leaves the band gets a larger distance, by that definition.
"""

import math

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import jit

BEAM_WIDTH = 25
FAR = 1 << 30
KEEP, SUBSTITUTE, DELETE, INSERT = 0, 1, 2, 3


@jit
def band(row: int, n_words: int, n_reference: int) -> tuple[int, int]:
    """Return the half-open range of columns inside the band for a row."""
    ratio = n_reference / n_words
    width = math.ceil(ratio / 2 + BEAM_WIDTH) if ratio / 2 > BEAM_WIDTH else BEAM_WIDTH
    diagonal = math.floor(row * ratio)
    last = n_reference + 1 if row == n_words else min(n_reference + 1, diagonal + width)
    return max(0, diagonal - width), last


@jit
def band_is_harmless(distance: int, n_words: int, n_reference: int) -> bool:
    """Whether an unbanded distance is guaranteed to equal the banded one.

    A path of cost d strays at most (d + |difference in length|) / 2 from the line between the corners.
    """
    return n_reference < BEAM_WIDTH or distance + abs(n_reference - n_words) <= 2 * (BEAM_WIDTH - 2)


@jit
def banded_matrix(
    words: NDArray[np.int32],
    reference: NDArray[np.int32],
    costs: NDArray[np.int32],
    steps: NDArray[np.uint8],
) -> int:
    """Fill `costs` and `steps`, `[len(words) + 1, len(reference) + 1]`, and return the distance.

    Ties prefer keep or substitute, then delete, then insert.
    """
    n_words, n_reference = len(words), len(reference)
    for column in range(n_reference + 1):
        costs[0, column] = column
        steps[0, column] = INSERT
    for row in range(1, n_words + 1):
        first, last = band(row, n_words, n_reference)
        costs[row, :first] = FAR
        costs[row, last:] = FAR
        word = words[row - 1]
        for column in range(first, last):
            if column == 0:
                costs[row, 0] = costs[row - 1, 0] + 1
                steps[row, 0] = DELETE
                continue
            if word == reference[column - 1]:
                cost = costs[row - 1, column - 1]
                step = KEEP
            else:
                cost = costs[row - 1, column - 1] + 1
                step = SUBSTITUTE
            if costs[row - 1, column] + 1 < cost:
                cost = costs[row - 1, column] + 1
                step = DELETE
            if column > first and costs[row, column - 1] + 1 < cost:
                cost = costs[row, column - 1] + 1
                step = INSERT
            costs[row, column] = cost
            steps[row, column] = step
    return int(costs[n_words, n_reference])


@jit
def banded_distance_from(
    words: NDArray[np.int32],
    reference: NDArray[np.int32],
    costs: NDArray[np.int32],
    row: int,
    limit: int,
    above: NDArray[np.int32],
    current: NDArray[np.int32],
) -> int:
    """Return the banded distance of `words`, resuming after the first `row` words, which `costs` already covers.

    Returns FAR as soon as the distance is sure to exceed `limit`.
    """
    n_words, n_reference = len(words), len(reference)
    above[: n_reference + 1] = costs[row, : n_reference + 1]
    while row < n_words:
        row += 1
        first, last = band(row, n_words, n_reference)
        current[: n_reference + 1] = FAR
        lowest = FAR
        for column in range(first, last):
            if column == 0:
                cost = above[0] + 1
            else:
                cost = above[column - 1] + (1 if words[row - 1] != reference[column - 1] else 0)
                cost = min(cost, above[column] + 1)
                if column > first:
                    cost = min(cost, current[column - 1] + 1)
            current[column] = cost
            lowest = min(lowest, cost)
        if lowest > limit:
            return FAR
        above, current = current, above
    return int(above[n_reference])


@jit
def bit_parallel_distance(
    words: NDArray[np.int32],
    row: int,
    n_reference: int,
    masks: NDArray[np.uint64],
    rises: NDArray[np.uint64],
    falls: NDArray[np.uint64],
    scores: NDArray[np.int64],
    keep: bool,
) -> int:
    """Return the distance to a reference of at most 64 tokens, its positions encoded as bits in `masks`.

    `rises`, `falls` and `scores` hold the state after each word. The computation resumes at `row`; with `keep` it
    stores the states from there on, so that texts with a common prefix can reuse them.
    """
    top = np.uint64(1) << np.uint64(n_reference - 1)
    rise, fall, score = rises[row], falls[row], scores[row]
    for position in range(row, len(words)):
        hits = masks[words[position]]
        diagonal = (((hits & rise) + rise) ^ rise) | hits | fall
        right_rise = fall | ~(diagonal | rise)
        right_fall = diagonal & rise
        if right_rise & top:
            score += 1
        elif right_fall & top:
            score -= 1
        right_rise = (right_rise << np.uint64(1)) | np.uint64(1)
        right_fall = right_fall << np.uint64(1)
        rise = right_fall | ~(diagonal | right_rise)
        fall = right_rise & diagonal
        if keep:
            rises[position + 1], falls[position + 1], scores[position + 1] = rise, fall, score
    return int(score)
