"""A table of paraphrases as a trie over the words of a batch: which phrases start here, and what they may become.

The table of METEOR has millions of entries. Those that no text of the batch can use are dropped first: an entry stays
if all its words occur, and probably all its pairs of adjacent words do (a Bloom filter, so that none is lost).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import jit

_BLOOM_BITS = 24
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
ROOT = 0


class PhraseTable(NamedTuple):
    """A trie of phrases. Its last states list entries, in table order; each entry is what the phrase may become.

    The successor of state s by word w is in `slots`, found by hashing `keys` (s << 32 | w). The entries of state s are
    `entry_offsets[s]:entry_offsets[s + 1]`; entry e is `words[word_offsets[e]:word_offsets[e + 1]]`.
    """

    keys: NDArray[np.int64]
    slots: NDArray[np.int32]
    entry_offsets: NDArray[np.int64]
    words: NDArray[np.int32]
    word_offsets: NDArray[np.int64]


def phrase_table(
    words: NDArray[np.uint16],
    lengths: NDArray[np.uint8],
    known: NDArray[np.int32],
    ids: NDArray[np.int32],
    offsets: NDArray[np.int64],
) -> PhraseTable:
    """Build the trie of the entries that texts `ids[offsets[i]:offsets[i + 1]]` can use.

    `words` holds each phrase and what it may become, one entry after the other, `lengths[e]` their numbers of words;
    `known` is the id in the texts of each word of the table, -1 if it does not occur.
    """
    sources, source_offsets, targets, target_offsets = _usable(words, lengths, known, _adjacent(ids, offsets))
    keys, slots, state_of, n_states = _trie(sources, source_offsets)
    counts = np.bincount(state_of, minlength=n_states)
    entry_offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)]).astype(np.int64)
    in_order = np.argsort(state_of, kind="stable")
    return PhraseTable(keys, slots, entry_offsets, *_reordered(targets, target_offsets, in_order))


def no_phrases() -> PhraseTable:
    """A table without entries."""
    none, offsets = np.zeros(0, np.int32), np.zeros(2, np.int64)
    return PhraseTable(np.full(2, -1, np.int64), np.zeros(2, np.int32), offsets, none, offsets[:1])


@jit
def successor(keys: NDArray[np.int64], slots: NDArray[np.int32], state: int, word: int) -> int:
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
def _is_marked(marked: NDArray[np.uint64], first: int, second: int) -> bool:
    bit = _bloom(first, second)
    return bool((marked[bit >> 6] >> np.uint64(bit & 63)) & np.uint64(1))


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
def _usable(
    words: NDArray[np.uint16], lengths: NDArray[np.uint8], known: NDArray[np.int32], adjacent: NDArray[np.uint64]
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    """Return the phrases of the entries that stay, and what they may become, with the words' ids in the texts."""
    stays = np.zeros(len(lengths), np.bool_)
    n_entries, n_sources, n_targets = 0, 0, 0
    at = 0
    for entry in range(len(lengths)):
        stay = True
        for side in range(2):
            before = -1
            for word in range(lengths[entry, side]):
                here = int(known[words[at + word]])
                if here < 0 or (word > 0 and not _is_marked(adjacent, before, here)):
                    stay = False
                    break
                before = here
            at += int(lengths[entry, side])
        stays[entry] = stay
        if stay:
            n_entries += 1
            n_sources += int(lengths[entry, 0])
            n_targets += int(lengths[entry, 1])
    sources, targets = np.empty(n_sources, np.int32), np.empty(n_targets, np.int32)
    source_offsets, target_offsets = np.zeros(n_entries + 1, np.int64), np.zeros(n_entries + 1, np.int64)
    at, kept = 0, 0
    for entry in range(len(lengths)):
        n_source, n_target = int(lengths[entry, 0]), int(lengths[entry, 1])
        if stays[entry]:
            start = source_offsets[kept]
            for word in range(n_source):
                sources[start + word] = known[words[at + word]]
            source_offsets[kept + 1] = start + n_source
            start = target_offsets[kept]
            for word in range(n_target):
                targets[start + word] = known[words[at + n_source + word]]
            target_offsets[kept + 1] = start + n_target
            kept += 1
        at += n_source + n_target
    return sources, source_offsets, targets, target_offsets


@jit
def _trie(
    phrases: NDArray[np.int32], offsets: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64], int]:
    """Build a trie; return its hash table, the last state of each phrase, and the number of states."""
    keys, slots = np.full(1024, -1, np.int64), np.zeros(1024, np.int32)
    mask = len(keys) - 1
    state_of = np.empty(len(offsets) - 1, np.int64)
    n_states = ROOT + 1
    for phrase in range(len(state_of)):
        state = ROOT
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
    return keys, slots, state_of, n_states


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
def _reordered(
    values: NDArray[np.int32], offsets: NDArray[np.int64], order: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the rows in another order."""
    moved, ends = np.empty(len(values), np.int32), np.zeros(len(offsets), np.int64)
    for row in range(len(order)):
        start, end = offsets[order[row]], offsets[order[row] + 1]
        ends[row + 1] = ends[row] + end - start
        moved[ends[row] : ends[row + 1]] = values[start:end]
    return moved, ends
