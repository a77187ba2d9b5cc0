"""The phrases of a table of paraphrases that occur in texts, and what each may become.

The table of METEOR has millions of paraphrases of some hundred thousand phrases. Those that no text of the batch can
use are dropped first: a phrase or paraphrase stays if all its words occur, and probably all its pairs of adjacent words
do (a Bloom filter, so that none is lost). A trie then finds the phrases in each text, once.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import jit
from assay.kernels.ragged import running_offsets

_BLOOM_BITS = 22
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_ROOT = 0


class Listed(NamedTuple):
    """A table of paraphrases. Phrase p has `lengths[p]` words and `counts[p]` paraphrases.

    The words of all phrases follow each other in `words`, the paraphrases in the same way in `others`.
    """

    words: NDArray[np.uint16]
    lengths: NDArray[np.uint8]
    counts: NDArray[np.int32]
    others: NDArray[np.uint16]
    other_lengths: NDArray[np.uint8]


class PhraseTable(NamedTuple):
    """Where phrases occur, and what they may become.

    Occurrence i of text t, one of `bounds[t]:bounds[t + 1]`, is the `lengths[i]` words from position `starts[i]`, and
    phrase `phrases[i]`. Phrase p may become `entry_offsets[p]:entry_offsets[p + 1]`, in table order; entry e is
    `words[word_offsets[e]:word_offsets[e + 1]]` and begins with `heads[e]`.
    """

    starts: NDArray[np.int32]
    lengths: NDArray[np.int32]
    phrases: NDArray[np.int32]
    bounds: NDArray[np.int64]
    entry_offsets: NDArray[np.int64]
    heads: NDArray[np.int32]
    words: NDArray[np.int32]
    word_offsets: NDArray[np.int64]


def listed(words: NDArray[np.uint16], lengths: NDArray[np.uint8]) -> Listed:
    """Make a table from the words of pairs, a phrase and its paraphrase, and their `[pair, 2]` lengths.

    Pairs of the same phrase in a row become one phrase with several paraphrases.
    """
    return Listed(*_grouped(words, lengths))


def phrase_table(
    table: Listed, known: NDArray[np.int32], ids: NDArray[np.int32], offsets: NDArray[np.int64], n_words: int
) -> PhraseTable:
    """Find the phrases of a table in texts `ids[offsets[i]:offsets[i + 1]]` of `n_words` different words.

    `known` is the id in the texts of each word of the table, -1 if it does not occur.
    """
    sources, source_offsets, counts, words, word_offsets = _usable(*table, known, _adjacent(ids, offsets))
    first_phrase, next_phrase, keys, slots = _trie(sources, source_offsets)
    found = _occurring(ids, offsets, first_phrase, next_phrase, keys, slots, n_words)
    return PhraseTable(*found, running_offsets(counts), words[word_offsets[:-1]], words, word_offsets)


@jit
def _grouped(
    words: NDArray[np.uint16], lengths: NDArray[np.uint8]
) -> tuple[NDArray[np.uint16], NDArray[np.uint8], NDArray[np.int32], NDArray[np.uint16], NDArray[np.uint8]]:
    n_pairs = len(lengths)
    phrases, others = np.empty(len(words), np.uint16), np.empty(len(words), np.uint16)
    phrase_lengths, counts = np.empty(n_pairs, np.uint8), np.empty(n_pairs, np.int32)
    at, n_phrases, end, end_other, before = 0, 0, 0, 0, 0
    for pair in range(n_pairs):
        length, other_length = int(lengths[pair, 0]), int(lengths[pair, 1])
        same = pair > 0 and length == lengths[pair - 1, 0]
        for word in range(length):
            same = same and words[at + word] == words[before + word]
        before = at
        if same:
            counts[n_phrases - 1] += 1
        else:
            phrases[end : end + length] = words[at : at + length]
            phrase_lengths[n_phrases], counts[n_phrases] = length, 1
            end += length
            n_phrases += 1
        at += length
        others[end_other : end_other + other_length] = words[at : at + other_length]
        end_other += other_length
        at += other_length
    return (
        phrases[:end].copy(),
        phrase_lengths[:n_phrases].copy(),
        counts[:n_phrases].copy(),
        others[:end_other].copy(),
        lengths[:, 1].copy(),
    )


@jit
def _successor(keys: NDArray[np.int64], slots: NDArray[np.int32], state: int, word: int) -> int:
    """Return the state after a word; -1 if no phrase goes on with it."""
    key = state << 32 | word
    mask = len(keys) - 1
    at = _place(key, mask)
    while keys[at] != -1:
        if keys[at] == key:
            return int(slots[at])
        at = (at + 1) & mask
    return -1


@jit
def _place(key: int, mask: int) -> int:
    return int((np.uint64(key) * _MULTIPLIER) >> np.uint64(32)) & mask


@jit
def _bloom(first: int, second: int) -> int:
    pair = np.uint64(first) << np.uint64(32) | np.uint64(second)
    return int((pair * _MULTIPLIER) >> np.uint64(64 - _BLOOM_BITS))


@jit
def _adjacent(ids: NDArray[np.int32], offsets: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Mark the hash of every pair of adjacent words."""
    marked = np.zeros(1 << (_BLOOM_BITS - 6), np.uint64)
    for text in range(len(offsets) - 1):
        for at in range(offsets[text] + 1, offsets[text + 1]):
            bit = _bloom(ids[at - 1], ids[at])
            marked[bit >> 6] |= np.uint64(1) << np.uint64(bit & 63)
    return marked


@jit
def _may_occur(
    words: NDArray[np.uint16], at: int, length: int, known: NDArray[np.int32], adjacent: NDArray[np.uint64]
) -> bool:
    before = -1
    for word in range(at, at + length):
        here = int(known[words[word]])
        if here < 0:
            return False
        if before >= 0:
            bit = _bloom(before, here)
            if not (adjacent[bit >> 6] >> np.uint64(bit & 63)) & np.uint64(1):
                return False
        before = here
    return True


@jit
def _usable(
    words: NDArray[np.uint16],
    lengths: NDArray[np.uint8],
    counts: NDArray[np.int32],
    others: NDArray[np.uint16],
    other_lengths: NDArray[np.uint8],
    known: NDArray[np.int32],
    adjacent: NDArray[np.uint64],
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    """Return the phrases that stay, the number of their paraphrases that stay, and these; words by ids in the texts."""
    kept, n_kept = np.empty(len(words), np.int32), 0
    kept_offsets, kept_counts, n_phrases = np.zeros(len(lengths) + 1, np.int64), np.zeros(len(lengths), np.int64), 0
    kept_others, n_others = np.empty(len(others), np.int32), 0
    other_offsets, n_entries = np.zeros(len(other_lengths) + 1, np.int64), 0
    at, at_other, entry = 0, 0, 0
    for phrase in range(len(lengths)):
        length, end = int(lengths[phrase]), entry + counts[phrase]
        if _may_occur(words, at, length, known, adjacent):
            first_entry = n_entries
            for other in range(entry, end):
                other_length = int(other_lengths[other])
                if _may_occur(others, at_other, other_length, known, adjacent):
                    for word in range(at_other, at_other + other_length):
                        kept_others[n_others] = known[others[word]]
                        n_others += 1
                    n_entries += 1
                    other_offsets[n_entries] = n_others
                at_other += other_length
            if n_entries > first_entry:
                for word in range(at, at + length):
                    kept[n_kept] = known[words[word]]
                    n_kept += 1
                kept_counts[n_phrases] = n_entries - first_entry
                n_phrases += 1
                kept_offsets[n_phrases] = n_kept
        else:
            for other in range(entry, end):
                at_other += int(other_lengths[other])
        entry = end
        at += length
    return (
        kept[:n_kept].copy(),
        kept_offsets[: n_phrases + 1].copy(),
        kept_counts[:n_phrases].copy(),
        kept_others[:n_others].copy(),
        other_offsets[: n_entries + 1].copy(),
    )


@jit
def _trie(
    phrases: NDArray[np.int32], offsets: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64], NDArray[np.int32]]:
    """Build a trie; return the first phrase that ends in each state, the next one that does, and its hash table.

    The successor of state s by word w is in the slot of the key s << 32 | w.
    """
    keys, slots = np.full(1024, -1, np.int64), np.zeros(1024, np.int32)
    mask = len(keys) - 1
    state_of = np.empty(len(offsets) - 1, np.int64)
    n_states = _ROOT + 1
    for phrase in range(len(state_of)):
        state = _ROOT
        for word in phrases[offsets[phrase] : offsets[phrase + 1]]:
            key = state << 32 | int(word)
            at = _place(key, mask)
            while keys[at] != -1 and keys[at] != key:
                at = (at + 1) & mask
            if keys[at] == -1:
                keys[at], slots[at] = key, n_states
                n_states += 1
                state = int(slots[at])
                if 2 * n_states > len(keys):
                    keys, slots = _grown(keys, slots)
                    mask = len(keys) - 1
            else:
                state = int(slots[at])
        state_of[phrase] = state
    first, following = np.full(n_states, -1, np.int32), np.empty(len(state_of), np.int32)
    for phrase in range(len(state_of) - 1, -1, -1):
        following[phrase], first[state_of[phrase]] = first[state_of[phrase]], phrase
    return first, following, keys, slots


@jit
def _grown(keys: NDArray[np.int64], slots: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the hash table with twice the room."""
    new_keys, new_slots = np.full(2 * len(keys), -1, np.int64), np.zeros(2 * len(keys), np.int32)
    mask = len(new_keys) - 1
    for old in range(len(keys)):
        if keys[old] != -1:
            at = _place(keys[old], mask)
            while new_keys[at] != -1:
                at = (at + 1) & mask
            new_keys[at], new_slots[at] = keys[old], slots[old]
    return new_keys, new_slots


@jit
def _occurring(
    ids: NDArray[np.int32],
    offsets: NDArray[np.int64],
    first_phrase: NDArray[np.int32],
    next_phrase: NDArray[np.int32],
    keys: NDArray[np.int64],
    slots: NDArray[np.int32],
    n_words: int,
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]:
    """Find the phrases in every text: from each position, the shorter ones first."""
    after_root = np.empty(n_words, np.int32)
    for word in range(n_words):
        after_root[word] = _successor(keys, slots, _ROOT, word)
    found, n = np.empty((3, len(ids) + 1), np.int32), 0
    bounds = np.zeros(len(offsets), np.int64)
    for text in range(len(offsets) - 1):
        for start in range(offsets[text], offsets[text + 1]):
            end, state = start, int(after_root[ids[start]])
            while state >= 0:
                end += 1
                phrase = first_phrase[state]
                while phrase >= 0:
                    if n == found.shape[1]:
                        longer = np.empty((3, 2 * n), np.int32)
                        longer[:, :n] = found
                        found = longer
                    found[0, n], found[1, n], found[2, n] = start - offsets[text], end - start, phrase
                    n += 1
                    phrase = next_phrase[phrase]
                if end == offsets[text + 1]:
                    break
                state = _successor(keys, slots, state, ids[end])
        bounds[text + 1] = n
    return found[0, :n].copy(), found[1, :n].copy(), found[2, :n].copy(), bounds
