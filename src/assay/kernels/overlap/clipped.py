"""Clipped n-gram matches against several references, the statistics of BLEU (Papineni et al. 2002).

For each unit the candidate's n-grams form a small trie in a hash table that fits the L1 cache; each reference
position then walks down the trie as far as it matches. A reference n-gram is looked up only if its prefix occurs
in the candidate, and n-grams never need global ids.
"""

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import jit
from assay.kernels.ragged import Ragged

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
HALF = np.uint64(32)
NONE = -1


def clipped_counts(
    ids: NDArray[np.int32],
    offsets: NDArray[np.int64],
    candidates: NDArray[np.int64],
    references: Ragged,
    max_order: int,
) -> NDArray[np.int64]:
    """Return a row [matches 1..N, n-grams 1..N, candidate length, closest reference length] per unit.

    Unit u compares the text `candidates[u]` with the texts `references[u]`, by index into the bank. Matches are
    clipped at the largest count in any single reference. Of two equally close reference lengths the shorter wins;
    without references there are no matches and the length is 0.
    """
    return _clipped_counts(
        ids,
        offsets,
        np.asarray(candidates, np.int64),
        np.asarray(references.values, np.int64),
        references.offsets,
        max_order,
        int(ids.max()) + 1 if len(ids) else 0,
    )


@jit
def _clipped_counts(
    ids: NDArray[np.int32],
    offsets: NDArray[np.int64],
    candidates: NDArray[np.int64],
    references: NDArray[np.int64],
    reference_offsets: NDArray[np.int64],
    max_order: int,
    n_tokens: int,
) -> NDArray[np.int64]:
    statistics = np.zeros((len(candidates), 2 * max_order + 2), np.int64)
    longest = 0
    for text in candidates:
        longest = max(longest, offsets[text + 1] - offsets[text])
    n_nodes = longest * max_order
    capacity = 16
    while capacity < 2 * n_nodes:
        capacity *= 2
    keys = np.empty(capacity, np.uint64)
    children = np.empty(capacity, np.int32)

    roots = np.full(n_tokens, NONE, np.int32)  # the node of each single token
    depth = np.empty(n_nodes, np.int32)
    in_candidate = np.empty(n_nodes, np.int32)
    in_reference = np.empty(n_nodes, np.int32)
    seen_by = np.empty(n_nodes, np.int32)  # the reference `in_reference` counts
    most = np.empty(n_nodes, np.int32)  # the largest count in one reference

    for unit in range(len(candidates)):
        start = offsets[candidates[unit]]
        end = offsets[candidates[unit] + 1]
        length = end - start
        used = 16  # the part of the table this candidate needs
        shift = np.uint64(60)
        while used < 2 * length * (max_order - 1):
            used *= 2
            shift -= np.uint64(1)
        children[:used] = NONE

        size = 0
        for at in range(start, end):
            node = NONE
            for order in range(min(max_order, end - at)):
                token = ids[at + order]
                slot = np.int64(0)
                if order == 0:
                    child = roots[token]
                else:
                    key = (np.uint64(node) << HALF) | np.uint64(token)
                    slot = np.int64((key * GOLDEN) >> shift)
                    while children[slot] != NONE and keys[slot] != key:
                        slot = (slot + 1) & (used - 1)
                    child = children[slot]
                if child == NONE:
                    child = np.int32(size)
                    size += 1
                    if order == 0:
                        roots[token] = child
                    else:
                        keys[slot] = (np.uint64(node) << HALF) | np.uint64(token)
                        children[slot] = child
                    depth[child] = order
                    in_candidate[child] = 0
                    seen_by[child] = NONE
                    most[child] = 0
                in_candidate[child] += 1
                node = child

        closest = NONE
        for nth in range(reference_offsets[unit], reference_offsets[unit + 1]):
            reference_start = offsets[references[nth]]
            reference_end = offsets[references[nth] + 1]
            reference_length = reference_end - reference_start
            gap = abs(reference_length - length) - abs(closest - length)
            if closest == NONE or gap < 0 or (gap == 0 and reference_length < closest):
                closest = reference_length
            mark = nth - reference_offsets[unit]
            for at in range(reference_start, reference_end):
                node = roots[ids[at]]
                order = 1
                while node != NONE:
                    if seen_by[node] != mark:
                        seen_by[node] = mark
                        in_reference[node] = 0
                    in_reference[node] += 1
                    most[node] = max(most[node], in_reference[node])
                    if order == max_order or at + order == reference_end:
                        break
                    key = (np.uint64(node) << HALF) | np.uint64(ids[at + order])
                    slot = np.int64((key * GOLDEN) >> shift)
                    while children[slot] != NONE and keys[slot] != key:
                        slot = (slot + 1) & (used - 1)
                    node = children[slot]
                    order += 1

        for node in range(size):
            statistics[unit, depth[node]] += min(in_candidate[node], most[node])
        for order in range(max_order):
            statistics[unit, max_order + order] = max(0, length - order)
        statistics[unit, 2 * max_order] = length
        statistics[unit, 2 * max_order + 1] = max(0, closest)
        for at in range(start, end):
            roots[ids[at]] = NONE
    return statistics
