"""Translation edit rate: insertions, deletions, substitutions and block shifts (Snover et al. 2006).

The search is Tercom's as implemented in sacrebleu: greedily shift the block that lowers the edit distance most, while
one does; blocks of at most 10 tokens, moved at most 50 tokens, at most 1,000 candidate shifts, banded edit distance.
Three things make it fast without changing a result. A shift of n tokens saves at most 2n edits, so most shifts cannot
beat the best so far; wherever the band cannot matter, distances are bit-parallel and resume where the shifted text
first differs; and the words in common bound the edits from below, so most references cannot be the nearest one.
"""

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import jit
from assay.kernels.overlap.edit_distance import (
    BEAM_WIDTH,
    DELETE,
    FAR,
    INSERT,
    KEEP,
    band_is_harmless,
    banded_distance_from,
    banded_matrix,
    bit_parallel_distance,
)

MAX_SHIFT_SIZE = 10
MAX_SHIFT_DISTANCE = 50
BAND = 2 * BEAM_WIDTH
MAX_SHIFTS_TRIED = 1000
MOST_WORK = 1_000_000_000
"""Matrix cells allowed for one pair, a few seconds. Only long texts with a tiny vocabulary exceed it."""


@jit
def fewest_edits_with_shifts(
    tokens: NDArray[np.int32],
    offsets: NDArray[np.int64],
    candidates: NDArray[np.int64],
    references: NDArray[np.int64],
    bounds: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Edits, shifts included, that turn each candidate into the nearest of its references.

    Unit i is text `candidates[i]` with the texts `references[bounds[i]:bounds[i + 1]]`, at least one. -1 where a pair
    exceeds MOST_WORK.
    """
    n_types, most_references = 0, 0
    for token in tokens:
        n_types = max(n_types, token + 1)
    for unit in range(len(candidates)):
        most_references = max(most_references, bounds[unit + 1] - bounds[unit])
    masks = np.zeros(n_types, np.uint64)
    counts = np.zeros(n_types, np.int32)
    least = np.zeros(most_references, np.int64)
    fewest = np.zeros(len(candidates), np.int64)
    for unit in range(len(candidates)):
        candidate = tokens[offsets[candidates[unit]] : offsets[candidates[unit] + 1]]
        own = references[bounds[unit] : bounds[unit + 1]]
        for nth in range(len(own)):
            reference = tokens[offsets[own[nth]] : offsets[own[nth] + 1]]
            longer = max(len(reference), len(candidate))
            least[nth] = longer - _tokens_in_common(candidate, reference, counts)
        best = FAR
        # The most promising reference first: most of the others then cannot do better, and are not searched.
        for _ in range(len(own)):
            nth = int(least[: len(own)].argmin())
            if least[nth] >= best:
                break
            reference = tokens[offsets[own[nth]] : offsets[own[nth] + 1]]
            edits = _edits(candidate, reference, masks, least[nth], best)
            if edits < 0:
                best = -1
                break
            best = min(best, edits)
            least[nth] = FAR
        fewest[unit] = best
    return fewest


@jit
def _tokens_in_common(words: NDArray[np.int32], reference: NDArray[np.int32], counts: NDArray[np.int32]) -> int:
    """Count matching tokens regardless of order; `counts` is zero before and after."""
    for token in reference:
        counts[token] += 1
    in_common = 0
    for token in words:
        if counts[token] > 0:
            counts[token] -= 1
            in_common += 1
    for token in reference:
        counts[token] = 0
    return in_common


@jit
def _edits(
    candidate: NDArray[np.int32], reference: NDArray[np.int32], masks: NDArray[np.uint64], least: int, best: int
) -> int:
    """Edits with shifts if below `best`, else any number from `best` on; never below `least`. `masks` is zero."""
    n_words, n_reference = len(candidate), len(reference)
    if n_words == 0 or n_reference == 0:
        return max(n_words, n_reference)
    rises, falls = np.empty(n_words + 1, np.uint64), np.empty(n_words + 1, np.uint64)
    scores = np.empty(n_words + 1, np.int64)
    rises[0], falls[0], scores[0] = np.uint64(0xFFFFFFFFFFFFFFFF), np.uint64(0), n_reference
    if n_reference > 64:
        return _search(candidate, reference, masks, rises, falls, scores, least, best)
    for position in range(n_reference):
        masks[reference[position]] |= np.uint64(1) << np.uint64(position)
    edits = bit_parallel_distance(candidate, 0, n_reference, masks, rises, falls, scores, True)
    # Beyond the distance to any order of the same words, at least one shift is needed.
    if not band_is_harmless(edits, n_words, n_reference) or (edits > least and least + 1 < min(best, edits)):
        edits = _search(candidate, reference, masks, rises, falls, scores, least, best)
    for token in reference:
        masks[token] = 0
    return edits


@jit
def _search(
    candidate: NDArray[np.int32],
    reference: NDArray[np.int32],
    masks: NDArray[np.uint64],
    rises: NDArray[np.uint64],
    falls: NDArray[np.uint64],
    scores: NDArray[np.int64],
    least: int,
    best_elsewhere: int,
) -> int:
    """Shift while it helps, then add the remaining distance; -1 if MOST_WORK is exceeded."""
    n_words, n_reference = len(candidate), len(reference)
    words, shifted = candidate.copy(), candidate.copy()
    costs = np.empty((n_words + 1, n_reference + 1), np.int32)
    steps = np.empty((n_words + 1, n_reference + 1), np.uint8)
    above, current = np.empty(n_reference + 1, np.int32), np.empty(n_reference + 1, np.int32)
    aligned = np.empty(n_reference, np.int64)
    word_errors = np.zeros(n_words + 1, np.int64)
    reference_errors = np.zeros(n_reference + 1, np.int64)
    n_shifts = 0
    tried = 0
    work = 0
    while True:
        distance = banded_matrix(words, reference, costs, steps)
        if distance == least or n_shifts + least + 1 >= min(best_elsewhere, n_shifts + distance):
            return n_shifts + distance
        _align(steps, n_words, n_reference, aligned, word_errors, reference_errors)
        if n_reference <= 64:
            bit_parallel_distance(words, 0, n_reference, masks, rises, falls, scores, True)
        best = (0, 0, 0, 0)  # gain, size, -start, -target: Tercom's tie-break
        for start in range(n_words):
            if work > MOST_WORK:
                return -1
            nearest = max(0, start - MAX_SHIFT_DISTANCE)
            for at in range(nearest, min(n_reference, start + MAX_SHIFT_DISTANCE + 1)):
                size = 0
                while (
                    size < MAX_SHIFT_SIZE
                    and start + size < n_words
                    and at + size < n_reference
                    and words[start + size] == reference[at + size]
                ):
                    size += 1
                    if (
                        word_errors[start + size] == word_errors[start]
                        or reference_errors[at + size] == reference_errors[at]
                        or start <= aligned[at] < start + size
                    ):
                        continue
                    last_target = -1
                    for place in range(at - 1, at + size):
                        target = 0 if place == -1 else aligned[place] + 1
                        if target == last_target:
                            continue
                        last_target = target
                        tried += 1
                        if (min(2 * size, distance - least), size, -start, -target) <= best:
                            continue
                        _shift(words, start, size, target, shifted)
                        row = min(start, target)
                        after = -1
                        if n_reference <= 64:
                            after = bit_parallel_distance(shifted, row, n_reference, masks, rises, falls, scores, False)
                            if not band_is_harmless(after, n_words, n_reference):
                                after = -1
                        work += n_words - row
                        if after < 0:
                            work += (n_words - row) * BAND
                            limit = distance - max(best[0], 1)
                            after = banded_distance_from(shifted, reference, costs, row, limit, above, current)
                        shift = (distance - after, size, -start, -target)
                        if shift[0] > 0 and shift > best:
                            best = shift
        if best[0] <= 0 or tried >= MAX_SHIFTS_TRIED:
            return n_shifts + distance
        n_shifts += 1
        _shift(words, -best[2], best[1], -best[3], shifted)
        words[:] = shifted


@jit
def _align(
    steps: NDArray[np.uint8],
    n_words: int,
    n_reference: int,
    aligned: NDArray[np.int64],
    word_errors: NDArray[np.int64],
    reference_errors: NDArray[np.int64],
) -> None:
    """Trace back: the word aligned with each reference position, and running error counts."""
    row, column = n_words, n_reference
    while row > 0 or column > 0:
        step = steps[row, column]
        if step == DELETE:
            word_errors[row] = 1
            row -= 1
        else:
            aligned[column - 1] = row - 1
            reference_errors[column] = 0 if step == KEEP else 1
            if step != INSERT:
                word_errors[row] = 0 if step == KEEP else 1
                row -= 1
            column -= 1
    for position in range(n_words):
        word_errors[position + 1] += word_errors[position]
    for position in range(n_reference):
        reference_errors[position + 1] += reference_errors[position]


@jit
def _shift(words: NDArray[np.int32], start: int, size: int, target: int, shifted: NDArray[np.int32]) -> None:
    """Write `words` with the block of `size` at `start` moved to `target`, as Tercom counts targets."""
    n = len(words)
    if target < start:
        shifted[:target] = words[:target]
        shifted[target : target + size] = words[start : start + size]
        shifted[target + size : start + size] = words[target:start]
        shifted[start + size :] = words[start + size :]
        return
    # A target inside the block counts from the block's end.
    end = target if target > start + size else min(n, target + size)
    shifted[:start] = words[:start]
    shifted[start : end - size] = words[start + size : end]
    shifted[end - size : end] = words[start : start + size]
    shifted[end:] = words[end:]
