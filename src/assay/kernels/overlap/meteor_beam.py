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
_RANK, _DISTANCE, _NEXT, _END, _NODE, _PARENT, _MATCH = 0, 1, 2, 3, 4, 5, 6
_COLUMNS = 7
_COVERED = np.int64(1) << np.int64(32)
"""What a covered word adds to the rank, from which chunks are subtracted."""


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
    # The partial alignments before and after a position; no views of rows in the loops, which cost more than the work.
    used = np.zeros((2, BEAM, n_parts), np.uint64)
    states, order = np.zeros((2, BEAM, _COLUMNS), np.int64), np.zeros((2, BEAM), np.int64)
    states[0, 0, _END], states[0, 0, _NODE] = _OPEN, -1
    for match in taken:
        if match >= 0:
            _use(used, 0, 0, matches, match, in_words)
    node_before, node_match = np.empty(n_others * BEAM, np.int32), np.empty(n_others * BEAM, np.int32)
    n_states, n_nodes = 1, 0
    old = 0
    for at in range(n_others):
        if bounds[at] == bounds[at + 1] and _are_all_open(states, order, old, n_states, at):
            continue  # nothing to take, and no chunk to close
        new = 1 - old
        n_new = 0
        for nth in range(n_states):
            state = order[old, nth]
            n_new = _go_on(at, states, order, old, state, n_new, used, in_words, taken[at], matches, bounds)
        for state in range(n_new):
            parent, match = states[new, state, _PARENT], states[new, state, _MATCH]
            for part in range(n_parts):
                used[new, state, part] = used[old, parent, part]
            states[new, state, _NODE] = states[old, parent, _NODE]
            if match >= 0:
                _use(used, new, state, matches, match, in_words)
                node_before[n_nodes], node_match[n_nodes] = states[old, parent, _NODE], match
                states[new, state, _NODE] = n_nodes
                n_nodes += 1
        n_states = n_new
        old = new
    node = _best(states, order, old, n_states)
    while node >= 0:
        taken[matches[node_match[node], AT]] = node_match[node]
        node = node_before[node]
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
        state = order[old, nth]
        if states[old, state, _END] != _OPEN or states[old, state, _NEXT] > at:
            return False
    return True


@jit
def _go_on(
    at: int,
    states: NDArray[np.int64],
    order: NDArray[np.int64],
    old: int,
    state: int,
    n_new: int,
    used: NDArray[np.uint64],
    in_words: int,
    certain: int,
    matches: NDArray[np.int32],
    bounds: NDArray[np.int64],
) -> int:
    """Add the continuations of a partial alignment at a position; return how many there are in all."""
    rank, distance = states[old, state, _RANK], states[old, state, _DISTANCE]
    following, end = states[old, state, _NEXT], states[old, state, _END]
    new = 1 - old
    if at < following:  # inside a match
        return _add(states, order, new, n_new, rank, distance, following, end, state, -1)
    if certain >= 0:
        distance += abs(matches[certain, AT] - matches[certain, FROM])
        return _add_match(states, order, new, n_new, rank, distance, end, state, matches, certain)
    for match in range(bounds[at], bounds[at + 1]):
        if not _is_used(used, old, state, matches, match, in_words):
            n_new = _add_match(states, order, new, n_new, rank, distance, end, state, matches, match)
            distance += abs(matches[match, AT] - matches[match, FROM])
    return _add(states, order, new, n_new, rank - (end != _OPEN), distance, at + 1, _OPEN, state, -1)


@jit
def _add_match(
    states: NDArray[np.int64],
    order: NDArray[np.int64],
    new: int,
    n: int,
    rank: int,
    distance: int,
    end: int,
    parent: int,
    matches: NDArray[np.int32],
    match: int,
) -> int:
    start, length, start_length = matches[match, FROM], matches[match, LENGTH], matches[match, FROM_LENGTH]
    covered = length + start_length if matches[match, STAGE] == EXACT else length // 2 + start_length // 2
    rank += covered * _COVERED - (end != _OPEN and end != start)
    return _add(states, order, new, n, rank, distance, matches[match, AT] + length, start + start_length, parent, match)


@jit
def _add(
    states: NDArray[np.int64],
    order: NDArray[np.int64],
    new: int,
    n: int,
    rank: int,
    distance: int,
    following: int,
    end: int,
    parent: int,
    match: int,
) -> int:
    """Insert a partial alignment behind those that are as good, if the beam has room; return how many there are."""
    low, high = 0, n
    while low < high:
        middle = (low + high) >> 1
        other = order[new, middle]
        if rank > states[new, other, _RANK] or (
            rank == states[new, other, _RANK] and distance < states[new, other, _DISTANCE]
        ):
            high = middle
        else:
            low = middle + 1
    if low == BEAM:
        return n
    row = n if n < BEAM else order[new, BEAM - 1]
    for later in range(min(n, BEAM - 1), low, -1):
        order[new, later] = order[new, later - 1]
    order[new, low] = row
    states[new, row, _RANK], states[new, row, _DISTANCE] = rank, distance
    states[new, row, _NEXT], states[new, row, _END] = following, end
    states[new, row, _PARENT], states[new, row, _MATCH] = parent, match
    return min(n + 1, BEAM)


@jit
def _best(states: NDArray[np.int64], order: NDArray[np.int64], last: int, n_states: int) -> int:
    """Return the last node of the best alignment; a chunk that is still open counts."""
    best = order[last, 0]
    for nth in range(n_states):
        state = order[last, nth]
        states[last, state, _RANK] -= states[last, state, _END] != _OPEN
        rank, best_rank = states[last, state, _RANK], states[last, best, _RANK]
        if rank > best_rank or (rank == best_rank and states[last, state, _DISTANCE] < states[last, best, _DISTANCE]):
            best = state
    return int(states[last, best, _NODE])


@jit
def _use(
    used: NDArray[np.uint64], side: int, state: int, matches: NDArray[np.int32], match: int, in_words: int
) -> None:
    """Mark the words of a match: those of the candidate in the first `in_words` numbers."""
    for at in range(matches[match, FROM], matches[match, FROM] + matches[match, FROM_LENGTH]):
        used[side, state, at >> 6] |= np.uint64(1) << np.uint64(at & 63)
    for at in range(matches[match, AT], matches[match, AT] + matches[match, LENGTH]):
        used[side, state, in_words + (at >> 6)] |= np.uint64(1) << np.uint64(at & 63)


@jit
def _is_used(
    used: NDArray[np.uint64], side: int, state: int, matches: NDArray[np.int32], match: int, in_words: int
) -> bool:
    for at in range(matches[match, FROM], matches[match, FROM] + matches[match, FROM_LENGTH]):
        if (used[side, state, at >> 6] >> np.uint64(at & 63)) & np.uint64(1):
            return True
    for at in range(matches[match, AT], matches[match, AT] + matches[match, LENGTH]):
        if (used[side, state, in_words + (at >> 6)] >> np.uint64(at & 63)) & np.uint64(1):
            return True
    return False
