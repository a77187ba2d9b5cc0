"""All ways in which words and phrases of a candidate match those of a reference, as METEOR 1.5 lists them.

Four stages: equal words; different words with one stem; different words that share a synonym set; phrases listed as
paraphrases. The order matters, since the search for the best alignment breaks ties by it.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import jit
from assay.kernels.overlap.phrase_table import PhraseTable

EXACT, STEM, SYNONYM, PARAPHRASE = 0, 1, 2, 3
N_STAGES = 4
# The columns of a match: position and words in the reference, the same in the candidate, and the stage.
AT, LENGTH, FROM, FROM_LENGTH, STAGE = 0, 1, 2, 3, 4
MOST_MATCHES = 2_000_000
"""Matches of one pair beyond which its texts repeat too few words to be aligned."""


class Linked(NamedTuple):
    """Where words stand in a text: w first at `first[w]`, and after position `at` at `following[at]`; -1 is nowhere."""

    first: NDArray[np.int32]
    following: NDArray[np.int32]


@jit
def link(words: NDArray[np.int32], links: Linked) -> None:
    """Enter the words of a text where there was none."""
    first, following = links
    for at in range(len(words) - 1, -1, -1):
        following[at], first[words[at]] = first[words[at]], at


@jit
def unlink(words: NDArray[np.int32], links: Linked) -> None:
    """Make room for another text."""
    for word in words:
        links.first[word] = -1


@jit
def find_matches(
    words: NDArray[np.int32],
    others: NDArray[np.int32],
    linked_words: Linked,
    linked_stems: Linked,
    linked_others: Linked,
    stem_of: NDArray[np.int32],
    near: NDArray[np.int32],
    near_offsets: NDArray[np.int64],
    has_near: NDArray[np.bool_],
    table: PhraseTable,
    text: int,
    other_text: int,
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the matches of a candidate's words with a reference's, by position in the reference, and their bounds.

    The words of both texts, and the stems of the candidate's words, are linked. The synonyms of word w are
    `near[near_offsets[w]:near_offsets[w + 1]]`; `has_near[w]` says whether the candidate may have one. The texts are
    `text` and `other_text` of the table. No bounds: more than MOST_MATCHES.
    """
    matches, n = np.empty((64, 5), np.int32), 0
    matches, n = _match_equal(matches, n, others, linked_words)
    if not _are_equal(words, others):  # with equal texts, METEOR 1.5 looks no further
        matches, n = _match_stems(matches, n, words, others, stem_of, linked_stems)
        matches, n = _match_synonyms(matches, n, others, near, near_offsets, has_near, linked_words)
        matches, n = _match_phrases(matches, n, other_text, words, linked_words, False, table)
        matches, n = _match_phrases(matches, n, text, others, linked_others, True, table)
    if n > MOST_MATCHES:
        return matches[:0], np.zeros(0, np.int64)
    return _by_position(matches[:n], len(others))


@jit
def _are_equal(words: NDArray[np.int32], others: NDArray[np.int32]) -> bool:
    if len(words) != len(others):
        return False
    for at in range(len(words)):
        if words[at] != others[at]:
            return False
    return True


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
    matches: NDArray[np.int32], n: int, others: NDArray[np.int32], linked_words: Linked
) -> tuple[NDArray[np.int32], int]:
    for at in range(len(others)):
        start = linked_words.first[others[at]]
        while start >= 0:
            matches = _added(matches, n, at, 1, start, 1, EXACT)
            n += 1
            start = linked_words.following[start]
    return matches, n


@jit
def _match_stems(
    matches: NDArray[np.int32],
    n: int,
    words: NDArray[np.int32],
    others: NDArray[np.int32],
    stem_of: NDArray[np.int32],
    linked_stems: Linked,
) -> tuple[NDArray[np.int32], int]:
    for at in range(len(others)):
        start = linked_stems.first[stem_of[others[at]]]
        while start >= 0:
            if words[start] != others[at]:
                matches = _added(matches, n, at, 1, start, 1, STEM)
                n += 1
            start = linked_stems.following[start]
    return matches, n


@jit
def _match_synonyms(
    matches: NDArray[np.int32],
    n: int,
    others: NDArray[np.int32],
    near: NDArray[np.int32],
    near_offsets: NDArray[np.int64],
    has_near: NDArray[np.bool_],
    linked_words: Linked,
) -> tuple[NDArray[np.int32], int]:
    for at in range(len(others)):
        if not has_near[others[at]]:
            continue
        before = n
        for word in near[near_offsets[others[at]] : near_offsets[others[at] + 1]]:
            start = linked_words.first[word]
            while start >= 0:
                matches = _added(matches, n, at, 1, start, 1, SYNONYM)
                n += 1
                start = linked_words.following[start]
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
    text: int,
    others: NDArray[np.int32],
    linked_others: Linked,
    from_candidate: bool,
    table: PhraseTable,
) -> tuple[NDArray[np.int32], int]:
    """Find in one text what the phrases of the other may become."""
    for occurrence in range(table.bounds[text], table.bounds[text + 1]):
        start, length, phrase = table.starts[occurrence], table.lengths[occurrence], table.phrases[occurrence]
        for entry in range(table.entry_offsets[phrase], table.entry_offsets[phrase + 1]):
            place = linked_others.first[table.heads[entry]]
            while place >= 0:
                other_length = table.word_offsets[entry + 1] - table.word_offsets[entry]
                if _continues(others, place, table.words, table.word_offsets[entry], other_length):
                    if from_candidate:
                        matches = _added(matches, n, place, other_length, start, length, PARAPHRASE)
                    else:
                        matches = _added(matches, n, start, length, place, other_length, PARAPHRASE)
                    n += 1
                place = linked_others.following[place]
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
