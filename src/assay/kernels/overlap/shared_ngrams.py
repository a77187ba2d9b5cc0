"""N-grams a candidate shares with each of its references, all orders at once, exactly.

The n-grams of a candidate form a small trie with suffix links (Aho & Corasick 1975). Each reference is read once:
the state is the longest n-gram that ends here and occurs in the candidate, and suffix links lead to all shorter
ones. The trie of one sentence stays in the CPU cache, unlike a table of all n-grams of a dataset, and collisions
never merge two n-grams.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import jit


@jit
def shared_ngrams(
    tokens: NDArray[np.int32],
    offsets: NDArray[np.int64],
    max_order: int,
    candidates: NDArray[np.int64],
    references: NDArray[np.int64],
    bounds: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Return clipped matches `[pair, order - 1]`: sums over n-grams of the smaller of the two counts.

    Unit i is text `candidates[i]` with the texts `references[bounds[i]:bounds[i + 1]]`; rows are parallel to
    `references`.
    """
    matches = np.zeros((len(references), max_order), np.int64)
    longest = 0
    for candidate in candidates:
        longest = max(longest, offsets[candidate + 1] - offsets[candidate])
    capacity = 16
    while capacity < 2 * max_order * longest:
        capacity *= 2
    keys = np.zeros(capacity, np.int64)
    owner = np.full(capacity, -1, np.int64)  # the unit that filled a slot, so the table is never cleared
    child = np.zeros(capacity, np.int32)
    n_nodes_most = max_order * longest + 1
    suffix = np.zeros(n_nodes_most, np.int32)
    depth = np.zeros(n_nodes_most, np.int32)
    count = np.zeros(n_nodes_most, np.int32)
    left = np.zeros(n_nodes_most, np.int32)
    left_for = np.full(n_nodes_most, -1, np.int64)
    ending = np.zeros(max_order + 1, np.int32)

    for unit in range(len(candidates)):
        start, end = offsets[candidates[unit]], offsets[candidates[unit] + 1]
        size = 16
        while size < 2 * max_order * (end - start):
            size *= 2
        mask = size - 1
        n_nodes = 1
        ending[:] = 0
        for position in range(start, end):
            token = tokens[position]
            # Longest first: the node of an n-gram extends the (n-1)-gram that ended one token earlier.
            for order in range(min(max_order, position - start + 1), 0, -1):
                parent = ending[order - 1]
                slot, present = _find(keys, owner, mask, unit, parent, token)
                if present:
                    node = child[slot]
                    count[node] += 1
                else:
                    node = n_nodes
                    n_nodes += 1
                    keys[slot] = (np.int64(parent) << 32) | np.int64(token)
                    owner[slot] = unit
                    child[slot] = node
                    depth[node] = order
                    count[node] = 1
                    left_for[node] = -1
                ending[order] = node
            for order in range(1, min(max_order, position - start + 1) + 1):
                suffix[ending[order]] = ending[order - 1]

        for pair in range(bounds[unit], bounds[unit + 1]):
            state = np.int32(0)
            for position in range(offsets[references[pair]], offsets[references[pair] + 1]):
                token = tokens[position]
                if depth[state] == max_order:
                    state = suffix[state]
                while True:
                    slot, present = _find(keys, owner, mask, unit, state, token)
                    if present:
                        state = child[slot]
                        break
                    if state == 0:
                        break
                    state = suffix[state]
                node = state
                while node != 0:
                    if left_for[node] != pair:
                        left_for[node] = pair
                        left[node] = count[node]
                    if left[node] > 0:
                        left[node] -= 1
                        matches[pair, depth[node] - 1] += 1
                    node = suffix[node]
    return matches


@jit
def _find(
    keys: NDArray[np.int64], owner: NDArray[np.int64], mask: int, unit: int, parent: Any, token: Any
) -> tuple[Any, bool]:
    """Return the slot of an edge of this unit's trie, or where it would go, and whether it is present."""
    key = (np.int64(parent) << 32) | np.int64(token)
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    slot = np.int64(mixed >> np.uint64(40)) & mask
    while owner[slot] == unit:
        if keys[slot] == key:
            return slot, True
        slot = (slot + 1) & mask
    return slot, False
