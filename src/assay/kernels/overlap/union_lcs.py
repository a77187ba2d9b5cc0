"""Words of a reference's lines that lie in a longest common subsequence with any line of a candidate (Lin 2004)."""

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import jit


@jit
def union_lcs_hits(
    tokens: NDArray[np.int32],
    offsets: NDArray[np.int64],
    lines: NDArray[np.int64],
    candidates: NDArray[np.int64],
    references: NDArray[np.int64],
    bounds: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Count the hits of every (candidate, reference) pair, a word at most as often as the candidate has it.

    Text i has the lines `lines[i]` to `lines[i + 1]`, line l the tokens `offsets[l]` to `offsets[l + 1]`. Unit i is
    text `candidates[i]` with the texts `references[bounds[i]:bounds[i + 1]]`. Of several longest common subsequences
    of two lines, rouge-score's is taken.
    """
    hits = np.zeros(len(references), np.int64)
    n_types, longest = 0, 0
    for token in tokens:
        n_types = max(n_types, token + 1)
    for line in range(len(offsets) - 1):
        longest = max(longest, offsets[line + 1] - offsets[line])
    left = np.zeros(n_types, np.int64)
    in_union = np.zeros(longest, np.bool_)
    for unit in range(len(candidates)):
        first, last = lines[candidates[unit]], lines[candidates[unit] + 1]
        for pair in range(bounds[unit], bounds[unit + 1]):
            for position in range(offsets[first], offsets[last]):
                left[tokens[position]] += 1
            for line in range(lines[references[pair]], lines[references[pair] + 1]):
                wanted = tokens[offsets[line] : offsets[line + 1]]
                in_union[: len(wanted)] = False
                for other in range(first, last):
                    _mark_lcs(wanted, tokens[offsets[other] : offsets[other + 1]], in_union)
                for place in range(len(wanted)):
                    if in_union[place] and left[wanted[place]] > 0:
                        left[wanted[place]] -= 1
                        hits[pair] += 1
            for position in range(offsets[first], offsets[last]):
                left[tokens[position]] = 0
    return hits


@jit
def _mark_lcs(wanted: NDArray[np.int32], other: NDArray[np.int32], marks: NDArray[np.bool_]) -> None:
    """Mark the places in `wanted` of one longest common subsequence."""
    lengths = np.zeros((len(wanted) + 1, len(other) + 1), np.int32)
    for i in range(1, len(wanted) + 1):
        for j in range(1, len(other) + 1):
            if wanted[i - 1] == other[j - 1]:
                lengths[i, j] = lengths[i - 1, j - 1] + 1
            else:
                lengths[i, j] = max(lengths[i - 1, j], lengths[i, j - 1])
    i, j = len(wanted), len(other)
    while i > 0 and j > 0:
        if wanted[i - 1] == other[j - 1]:
            marks[i - 1] = True
            i -= 1
            j -= 1
        elif lengths[i, j - 1] > lengths[i - 1, j]:
            j -= 1
        else:
            i -= 1
