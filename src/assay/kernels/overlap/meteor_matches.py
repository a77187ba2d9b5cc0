"""All ways in which words and phrases of a candidate match those of a reference, as METEOR 1.5 lists them.

Four stages: equal words; different words with one stem; different words that share a synonym set; phrases listed as
paraphrases. The order matters, since the search for the best alignment breaks ties by it.
"""

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import jit
from assay.kernels.overlap.phrase_table import ROOT, successor

EXACT, STEM, SYNONYM, PARAPHRASE = 0, 1, 2, 3
N_STAGES = 4
# The columns of a match: position and words in the reference, the same in the candidate, and the stage.
AT, LENGTH, FROM, FROM_LENGTH, STAGE = 0, 1, 2, 3, 4
MOST_MATCHES = 2_000_000
"""Matches of one pair beyond which its texts repeat too few words to be aligned."""


@jit
def find_matches(
    words: NDArray[np.int32],
    others: NDArray[np.int32],
    stem_of: NDArray[np.int32],
    near: NDArray[np.int32],
    near_offsets: NDArray[np.int64],
    keys: NDArray[np.int64],
    slots: NDArray[np.int32],
    entry_offsets: NDArray[np.int64],
    phrases: NDArray[np.int32],
    phrase_offsets: NDArray[np.int64],
    first_in: NDArray[np.int32],
    first_stem: NDArray[np.int32],
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the matches of a candidate's words with a reference's, by position in the reference, and their bounds.

    `near[near_offsets[w]:near_offsets[w + 1]]` are the synonyms of word w. `first_in` (a row for each of the two
    texts) and `first_stem` are scratch, all -1 before and after. No bounds: more than MOST_MATCHES.
    """
    matches, n = np.empty((64, 5), np.int32), 0
    next_word, next_other = np.empty(len(words), np.int32), np.empty(len(others), np.int32)
    next_stem = np.empty(len(words), np.int32)
    for at in range(len(words) - 1, -1, -1):
        next_word[at], first_in[0, words[at]] = first_in[0, words[at]], at
        next_stem[at], first_stem[stem_of[words[at]]] = first_stem[stem_of[words[at]]], at
    for at in range(len(others) - 1, -1, -1):
        next_other[at], first_in[1, others[at]] = first_in[1, others[at]], at

    matches, n = _match_equal(matches, n, others, first_in[0], next_word)
    if not np.array_equal(words, others):  # with equal texts, METEOR 1.5 looks no further
        matches, n = _match_stems(matches, n, words, others, stem_of, first_stem, next_stem)
        matches, n = _match_synonyms(matches, n, others, near, near_offsets, first_in[0], next_word)
        table = keys, slots, entry_offsets, phrases, phrase_offsets
        matches, n = _match_phrases(matches, n, others, words, first_in[0], next_word, False, *table)
        matches, n = _match_phrases(matches, n, words, others, first_in[1], next_other, True, *table)
    for word in words:
        first_in[0, word] = -1
        first_stem[stem_of[word]] = -1
    for word in others:
        first_in[1, word] = -1
    if n > MOST_MATCHES:
        return matches[:0], np.zeros(0, np.int64)
    return _by_position(matches[:n], len(others))


@jit
def _added(
    matches: NDArray[np.int32], n: int, at: int, length: int, start: int, start_length: int, stage: int
) -> NDArray[np.int32]:
    """Append a match; beyond MOST_MATCHES only the count goes on."""
    if n >= MOST_MATCHES:
        return matches
    if n == len(matches):
        longer = np.empty((2 * n, 5), np.int32)
        longer[:n] = matches
        matches = longer
    matches[n, AT], matches[n, LENGTH] = at, length
    matches[n, FROM], matches[n, FROM_LENGTH], matches[n, STAGE] = start, start_length, stage
    return matches


@jit
def _match_equal(
    matches: NDArray[np.int32],
    n: int,
    others: NDArray[np.int32],
    first: NDArray[np.int32],
    following: NDArray[np.int32],
) -> tuple[NDArray[np.int32], int]:
    for at in range(len(others)):
        start = first[others[at]]
        while start >= 0:
            matches = _added(matches, n, at, 1, start, 1, EXACT)
            n += 1
            start = following[start]
    return matches, n


@jit
def _match_stems(
    matches: NDArray[np.int32],
    n: int,
    words: NDArray[np.int32],
    others: NDArray[np.int32],
    stem_of: NDArray[np.int32],
    first: NDArray[np.int32],
    following: NDArray[np.int32],
) -> tuple[NDArray[np.int32], int]:
    for at in range(len(others)):
        start = first[stem_of[others[at]]]
        while start >= 0:
            if words[start] != others[at]:
                matches = _added(matches, n, at, 1, start, 1, STEM)
                n += 1
            start = following[start]
    return matches, n


@jit
def _match_synonyms(
    matches: NDArray[np.int32],
    n: int,
    others: NDArray[np.int32],
    near: NDArray[np.int32],
    near_offsets: NDArray[np.int64],
    first: NDArray[np.int32],
    following: NDArray[np.int32],
) -> tuple[NDArray[np.int32], int]:
    for at in range(len(others)):
        before = n
        for word in near[near_offsets[others[at]] : near_offsets[others[at] + 1]]:
            start = first[word]
            while start >= 0:
                matches = _added(matches, n, at, 1, start, 1, SYNONYM)
                n += 1
                start = following[start]
        for later in range(before + 1, min(n, len(matches))):  # by position in the candidate
            moved, place = matches[later, FROM], later
            while place > before and matches[place - 1, FROM] > moved:
                matches[place, FROM] = matches[place - 1, FROM]
                place -= 1
            matches[place, FROM] = moved
    return matches, n


@jit
def _match_phrases(
    matches: NDArray[np.int32],
    n: int,
    words: NDArray[np.int32],
    others: NDArray[np.int32],
    first: NDArray[np.int32],
    following: NDArray[np.int32],
    from_candidate: bool,
    keys: NDArray[np.int64],
    slots: NDArray[np.int32],
    entry_offsets: NDArray[np.int64],
    phrases: NDArray[np.int32],
    phrase_offsets: NDArray[np.int64],
) -> tuple[NDArray[np.int32], int]:
    """Find the phrases of one text, and in the other what each may become."""
    for start in range(len(words)):
        state = ROOT
        for end in range(start, len(words)):
            state = successor(keys, slots, state, words[end])
            if state < 0:
                break
            for entry in range(entry_offsets[state], entry_offsets[state + 1]):
                phrase_start = phrase_offsets[entry]
                place = first[phrases[phrase_start]]
                while place >= 0:
                    other_length = phrase_offsets[entry + 1] - phrase_start
                    if _continues(others, place, phrases, phrase_start, other_length):
                        length = end + 1 - start
                        if from_candidate:
                            matches = _added(matches, n, place, other_length, start, length, PARAPHRASE)
                        else:
                            matches = _added(matches, n, start, length, place, other_length, PARAPHRASE)
                        n += 1
                    place = following[place]
    return matches, n


@jit
def _continues(
    words: NDArray[np.int32], start: int, phrases: NDArray[np.int32], phrase_start: int, length: int
) -> bool:
    if start + length > len(words):
        return False
    for at in range(1, length):
        if words[start + at] != phrases[phrase_start + at]:
            return False
    return True


@jit
def _by_position(matches: NDArray[np.int32], n_positions: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Sort matches by position in the reference, those of one position in the order they were found."""
    bounds = np.zeros(n_positions + 1, np.int64)
    for match in range(len(matches)):
        bounds[matches[match, AT] + 1] += 1
    for position in range(n_positions):
        bounds[position + 1] += bounds[position]
    places = bounds[:-1].copy()
    ordered = np.empty_like(matches)
    for match in range(len(matches)):
        place = places[matches[match, AT]]
        places[matches[match, AT]] += 1
        for column in range(5):
            ordered[place, column] = matches[match, column]
    return ordered, bounds
