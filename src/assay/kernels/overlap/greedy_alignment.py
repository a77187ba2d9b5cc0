"""The greedy word alignment of nltk's METEOR: stage by stage, last word first."""

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import jit


@jit
def greedy_alignment(
    words: NDArray[np.int32],
    others: NDArray[np.int32],
    stem_of: NDArray[np.int32],
    synonyms: NDArray[np.int32],
    synonym_offsets: NDArray[np.int64],
    newest: NDArray[np.int32],
) -> tuple[int, int]:
    """Return the numbers of matched words and chunks when each word, last first, takes the last free partner.

    Stages: same word, then same stem, then shared synonym set. `newest` is scratch, all -1 before and after.
    """
    partner = np.full(len(words), -1, np.int32)
    taken = np.zeros(len(others), np.bool_)
    earlier = np.empty(len(others), np.int32)
    matches = _match_equal(words, others, partner, taken, newest, earlier)
    left_over = min(len(words), len(others)) - matches
    if left_over > 0:
        matches += _match_equal(stem_of[words], stem_of[others], partner, taken, newest, earlier)
    if left_over > 0 and len(synonyms) > 0:
        matches += _match_synonyms(words, others, partner, taken, synonyms, synonym_offsets)
    chunks = 0
    for position in range(len(words)):
        at = partner[position]
        if at >= 0 and (position == 0 or partner[position - 1] < 0 or partner[position - 1] != at - 1):
            chunks += 1
    return matches, chunks


@jit
def share_a_set(word: int, other: int, synonyms: NDArray[np.int32], synonym_offsets: NDArray[np.int64]) -> bool:
    """Whether two words share a synonym set; each word's sets are sorted."""
    own, end = synonym_offsets[word], synonym_offsets[word + 1]
    theirs, other_end = synonym_offsets[other], synonym_offsets[other + 1]
    while own < end and theirs < other_end:
        if synonyms[own] == synonyms[theirs]:
            return True
        if synonyms[own] < synonyms[theirs]:
            own += 1
        else:
            theirs += 1
    return False


@jit
def _match_equal(
    keys: NDArray[np.int32],
    other_keys: NDArray[np.int32],
    partner: NDArray[np.int32],
    taken: NDArray[np.bool_],
    newest: NDArray[np.int32],
    earlier: NDArray[np.int32],
) -> int:
    """Match equal keys among free positions. Free positions of a key form a linked list, last to first."""
    for at in range(len(other_keys)):
        if not taken[at]:
            earlier[at] = newest[other_keys[at]]
            newest[other_keys[at]] = at
    matches = 0
    for position in range(len(keys) - 1, -1, -1):
        if partner[position] < 0:
            at = newest[keys[position]]
            if at >= 0:
                newest[keys[position]] = earlier[at]
                partner[position] = at
                taken[at] = True
                matches += 1
    for key in other_keys:
        newest[key] = -1
    return matches


@jit
def _match_synonyms(
    words: NDArray[np.int32],
    others: NDArray[np.int32],
    partner: NDArray[np.int32],
    taken: NDArray[np.bool_],
    synonyms: NDArray[np.int32],
    synonym_offsets: NDArray[np.int64],
) -> int:
    matches = 0
    for position in range(len(words) - 1, -1, -1):
        if partner[position] >= 0 or synonym_offsets[words[position]] == synonym_offsets[words[position] + 1]:
            continue
        for at in range(len(others) - 1, -1, -1):
            if not taken[at] and share_a_set(words[position], others[at], synonyms, synonym_offsets):
                partner[position] = at
                taken[at] = True
                matches += 1
                break
    return matches
