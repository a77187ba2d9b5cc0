"""Longest common subsequence of token sequences, 64 positions at a time (Hyyro 2004).

A candidate of m tokens has one bit per position, set while unmatched; each reference token updates all
bits with one addition: `u = v & mask[token]; v = (v + u) | (v - u)`. The length is the number of zero bits.
Candidates longer than 64 tokens take several machine words and propagate the carry.
"""

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import jit

LONG = 4096
"""Up to this many tokens, masks are allocated for every token without counting distinct ones."""


@jit
def lcs_lengths(
    tokens: NDArray[np.int32],
    offsets: NDArray[np.int64],
    candidates: NDArray[np.int64],
    references: NDArray[np.int64],
    bounds: NDArray[np.int64],
) -> NDArray[np.int64]:
    """LCS length of every (candidate, reference) pair.

    Unit i is text `candidates[i]` with the texts `references[bounds[i]:bounds[i + 1]]`; the result is parallel to
    `references`. An empty text has length 0 with any other.
    """
    lengths = np.zeros(len(references), np.int64)
    n_types = 0
    for token in tokens:
        n_types = max(n_types, token + 1)
    longest = 0
    for candidate in candidates:
        longest = max(longest, offsets[candidate + 1] - offsets[candidate])
    slot_of = np.full(n_types, -1, np.int32)
    masks = np.zeros(_mask_words(tokens, offsets, candidates, slot_of, longest), np.uint64)
    row = np.zeros(longest // 64 + 1, np.uint64)
    for unit in range(len(candidates)):
        start, end = offsets[candidates[unit]], offsets[candidates[unit] + 1]
        n_words = (end - start + 63) // 64
        if n_words == 0:
            continue
        n_slots = 0
        for position in range(start, end):
            token = tokens[position]
            slot = slot_of[token]
            if slot < 0:
                slot = n_slots
                slot_of[token] = slot
                masks[slot * n_words : (slot + 1) * n_words] = 0
                n_slots += 1
            place = position - start
            masks[slot * n_words + place // 64] |= np.uint64(1) << np.uint64(place % 64)
        for pair in range(bounds[unit], bounds[unit + 1]):
            first, last = offsets[references[pair]], offsets[references[pair] + 1]
            if n_words == 1:
                lengths[pair] = _one_word(tokens, first, last, slot_of, masks, end - start)
            else:
                lengths[pair] = _many_words(tokens, first, last, slot_of, masks, row, n_words, end - start)
        for position in range(start, end):
            slot_of[tokens[position]] = -1
    return lengths


@jit
def _mask_words(
    tokens: NDArray[np.int32],
    offsets: NDArray[np.int64],
    candidates: NDArray[np.int64],
    seen: NDArray[np.int32],
    longest: int,
) -> int:
    """Return the largest number of machine words any candidate's masks take; `seen` is -1 before and after.

    For long candidates distinct tokens are counted, because few of thousands are distinct and each takes a row.
    """
    if longest <= LONG:
        return (longest + 1) * (longest // 64 + 1)
    most = 0
    for candidate in candidates:
        start, end = offsets[candidate], offsets[candidate + 1]
        distinct = 0
        for position in range(start, end):
            if seen[tokens[position]] < 0:
                seen[tokens[position]] = 0
                distinct += 1
        for position in range(start, end):
            seen[tokens[position]] = -1
        most = max(most, distinct * ((end - start + 63) // 64))
    return most


@jit
def _one_word(
    tokens: NDArray[np.int32],
    first: int,
    last: int,
    slot_of: NDArray[np.int32],
    masks: NDArray[np.uint64],
    length: int,
) -> int:
    open_bits = np.uint64(0xFFFFFFFFFFFFFFFF)
    for position in range(first, last):
        slot = slot_of[tokens[position]]
        if slot >= 0:
            hits = open_bits & masks[slot]
            open_bits = (open_bits + hits) | (open_bits - hits)
    return _zero_bits(open_bits, length)


@jit
def _many_words(
    tokens: NDArray[np.int32],
    first: int,
    last: int,
    slot_of: NDArray[np.int32],
    masks: NDArray[np.uint64],
    row: NDArray[np.uint64],
    n_words: int,
    length: int,
) -> int:
    row[:n_words] = np.uint64(0xFFFFFFFFFFFFFFFF)
    for position in range(first, last):
        slot = slot_of[tokens[position]]
        if slot < 0:
            continue
        carry = np.uint64(0)
        for word in range(n_words):
            bits = row[word]
            hits = bits & masks[slot * n_words + word]
            total = bits + hits
            carried = np.uint64(1) if total < bits else np.uint64(0)
            total += carry
            if carry == 1 and total == 0:
                carried = np.uint64(1)
            carry = carried
            row[word] = total | (bits - hits)
    matched = 0
    for word in range(n_words):
        matched += _zero_bits(row[word], min(64, length - 64 * word))
    return matched


@jit
def _zero_bits(bits: np.uint64, length: int) -> int:
    bits = ~bits
    if length < 64:
        bits &= (np.uint64(1) << np.uint64(length)) - np.uint64(1)
    count = 0
    while bits:
        bits &= bits - np.uint64(1)
        count += 1
    return count
