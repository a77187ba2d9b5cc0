"""The search of METEOR 1.5 for an alignment: which of the possible matches are taken (Denkowski & Lavie 2014).

Left to right over the reference, with at most BEAM partial alignments. Better is one that covers more words (a match
that is not exact counts half, rounded down), then one in fewer chunks, then one whose words moved less. Equal ones
keep their order, and no two are merged: what falls out of the beam, and so the score, depends on both.

As in the original, a partial alignment is charged for the distances of the matches tried before its own at the same
position, and not for its own.
"""

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import jit
from assay.kernels.overlap.meteor_matches import AT, EXACT, FROM, FROM_LENGTH, LENGTH, STAGE

BEAM = 40
_OPEN = -1
# The columns of a partial alignment.
_KEY, _NEXT, _END, _NODE, _PARENT, _MATCH = 0, 1, 2, 3, 4, 5
_COLUMNS = 6
_CHUNK = np.int64(1) << np.int64(34)
_COVERED = _CHUNK << np.int64(13)
"""What a chunk costs and a covered word adds, in the one number by which partial alignments are compared, from which
distances are subtracted: exact for texts of up to 8,000 words with 2,000,000 matches."""


@jit
def best_alignment(matches: NDArray[np.int32], bounds: NDArray[np.int64], n_words: int) -> NDArray[np.int32]:
    """Return the match taken at each position of the reference, -1 for none.

    Match m, of `bounds[at]:bounds[at + 1]`, starts at position `at`; `n_words` is the length of the candidate.
    """
    n_others = len(bounds) - 1
    taken = _certain(matches, bounds, n_words)
    if len(matches) == 0 or (taken >= 0).sum() == len(matches):
        return taken
    in_words = (n_words + 63) // 64
    n_parts = in_words + (n_others + 63) // 64
    # The partial alignments before and after a position, in two halves; `order` lists the rows of each, best first.
    used = np.zeros((2 * BEAM, n_parts), np.uint64)
    states, order = np.zeros((2 * BEAM, _COLUMNS), np.int64), np.zeros(2 * BEAM, np.int64)
    states[0, _END], states[0, _NODE] = _OPEN, -1
    for match in taken:
        if match >= 0:
            _use(used, 0, matches, match, in_words)
    nodes, n_nodes = np.empty((n_others * BEAM, 2), np.int32), 0
    old, n_states = 0, 1
    for at in range(n_others):
        if bounds[at] == bounds[at + 1] and _are_all_open(states, order, old, n_states, at):
            continue  # nothing to take, and no chunk to close
        new = BEAM - old
        n_new = _continued(at, states, order, old, n_states, new, used, in_words, taken[at], matches, bounds)
        for row in range(new, new + n_new):
            parent, match = states[row, _PARENT], states[row, _MATCH]
            for part in range(n_parts):
                used[row, part] = used[parent, part]
            states[row, _NODE] = states[parent, _NODE]
            if match >= 0:
                _use(used, row, matches, match, in_words)
                nodes[n_nodes, 0], nodes[n_nodes, 1] = states[parent, _NODE], match
                states[row, _NODE] = n_nodes
                n_nodes += 1
        old, n_states = new, n_new
    node = _best(states, order, old, n_states)
    while node >= 0:
        taken[matches[nodes[node, 1], AT]] = nodes[node, 1]
        node = nodes[node, 0]
    return taken


@jit
def _certain(matches: NDArray[np.int32], bounds: NDArray[np.int64], n_words: int) -> NDArray[np.int32]:
    """Return the matches, by position, whose words have no other match."""
    covers, covers_other = np.zeros(n_words, np.int32), np.zeros(len(bounds) - 1, np.int32)
    for match in range(len(matches)):
        for at in range(matches[match, FROM], matches[match, FROM] + matches[match, FROM_LENGTH]):
            covers[at] += 1
        for at in range(matches[match, AT], matches[match, AT] + matches[match, LENGTH]):
            covers_other[at] += 1
    certain = np.full(len(bounds) - 1, -1, np.int32)
    for position in range(len(certain)):
        match = bounds[position]
        if bounds[position + 1] - match == 1:
            alone = True
            for at in range(matches[match, FROM], matches[match, FROM] + matches[match, FROM_LENGTH]):
                alone = alone and covers[at] == 1
            for at in range(position, position + matches[match, LENGTH]):
                alone = alone and covers_other[at] == 1
            if alone:
                certain[position] = match
    return certain


@jit
def _are_all_open(states: NDArray[np.int64], order: NDArray[np.int64], old: int, n_states: int, at: int) -> bool:
    for nth in range(n_states):
        state = order[old + nth]
        if states[state, _END] != _OPEN or states[state, _NEXT] > at:
            return False
    return True


@jit
def _continued(
    at: int,
    states: NDArray[np.int64],
    order: NDArray[np.int64],
    old: int,
    n_states: int,
    new: int,
    used: NDArray[np.uint64],
    in_words: int,
    certain: int,
    matches: NDArray[np.int32],
    bounds: NDArray[np.int64],
) -> int:
    """Enter the best continuations of all partial alignments at a position; return how many there are.

    One function with the insertion, since a call with arrays costs more than what it would do.
    """
    n_new = 0
    for nth in range(n_states):
        state = order[old + nth]
        key, following, end = states[state, _KEY], states[state, _NEXT], states[state, _END]
        inside = at < following
        for match in range(bounds[at + 1] if inside else bounds[at], bounds[at + 1] + 1):
            if match < bounds[at + 1]:
                if certain < 0 and _is_used(used, state, matches, match, in_words):
                    continue
                moved = abs(at - matches[match, FROM])
                new_key = key + _gain(matches, match, end) - (moved if certain >= 0 else 0)
                key -= moved
                new_following, new_end, taken = (
                    at + matches[match, LENGTH],
                    matches[match, FROM] + matches[match, FROM_LENGTH],
                    match,
                )
            elif inside:
                new_key, new_following, new_end, taken = key, following, end, -1
            elif certain >= 0:
                continue
            else:
                new_key, new_following, new_end, taken = key - (_CHUNK if end != _OPEN else 0), at + 1, _OPEN, -1
            # Insert it behind those that are as good, if the beam has room.
            row = new + n_new
            if n_new < BEAM:
                n_new += 1
            else:
                row = order[new + BEAM - 1]
                if new_key <= states[row, _KEY]:
                    continue
            place = new + n_new - 1
            while place > new and states[order[place - 1], _KEY] < new_key:
                order[place] = order[place - 1]
                place -= 1
            order[place] = row
            states[row, _KEY], states[row, _NEXT], states[row, _END] = new_key, new_following, new_end
            states[row, _PARENT], states[row, _MATCH] = state, taken
    return n_new


@jit
def _gain(matches: NDArray[np.int32], match: int, end: int) -> int:
    """What taking a match adds to the key, when the chunk before it ends at `end`."""
    length, start_length = matches[match, LENGTH], matches[match, FROM_LENGTH]
    covered = length + start_length if matches[match, STAGE] == EXACT else length // 2 + start_length // 2
    return int(covered * _COVERED - (_CHUNK if end != _OPEN and end != matches[match, FROM] else 0))


@jit
def _best(states: NDArray[np.int64], order: NDArray[np.int64], last: int, n_states: int) -> int:
    """Return the last node of the best alignment; a chunk that is still open counts."""
    best, best_key = order[last], np.int64(0)
    for nth in range(n_states):
        state = order[last + nth]
        key = states[state, _KEY] - (_CHUNK if states[state, _END] != _OPEN else 0)
        if nth == 0 or key > best_key:
            best, best_key = state, key
    return int(states[best, _NODE])


@jit
def _use(used: NDArray[np.uint64], state: int, matches: NDArray[np.int32], match: int, in_words: int) -> None:
    """Mark the words of a match: those of the candidate in the first `in_words` numbers."""
    for at in range(matches[match, FROM], matches[match, FROM] + matches[match, FROM_LENGTH]):
        used[state, at >> 6] |= np.uint64(1) << np.uint64(at & 63)
    for at in range(matches[match, AT], matches[match, AT] + matches[match, LENGTH]):
        used[state, in_words + (at >> 6)] |= np.uint64(1) << np.uint64(at & 63)


@jit
def _is_used(used: NDArray[np.uint64], state: int, matches: NDArray[np.int32], match: int, in_words: int) -> bool:
    for at in range(matches[match, FROM], matches[match, FROM] + matches[match, FROM_LENGTH]):
        if (used[state, at >> 6] >> np.uint64(at & 63)) & np.uint64(1):
            return True
    for at in range(matches[match, AT], matches[match, AT] + matches[match, LENGTH]):
        if (used[state, in_words + (at >> 6)] >> np.uint64(at & 63)) & np.uint64(1):
            return True
    return False
