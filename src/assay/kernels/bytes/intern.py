"""Interning: equal byte strings get equal codes, numbered by first appearance.

Open addressing with linear probing over 64-bit keys. A string of up to seven bytes is its own key (its bytes
and its length), so equal keys prove equal strings; a longer one is hashed in the style of FNV-1a, eight
bytes at a time, and its bytes are compared, so collisions never merge two strings.
"""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import jit

T = TypeVar("T", bound=np.generic)

SHORT = 7
LONG_MARK = np.uint64(0xFF << 56)
FNV_OFFSET = np.uint64(0xCBF29CE484222325)
FNV_PRIME = np.uint64(0x100000001B3)
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FIRST, SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)  # of the finalizer of SplitMix64
HALF = np.uint64(32)
EMPTY = -1


def intern(data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Intern the strings `data[offsets[i]:offsets[i + 1]]`.

    Returns `codes`, the code of each string, and `first`, the row where each code first appears.
    """
    codes = Interner().add(data, offsets[:-1], offsets[1:])
    return codes, first_rows(codes)


class Interner:
    """A growing vocabulary: strings in, codes out, over any number of calls."""

    def __init__(self) -> None:
        self._keys = np.empty(1024, np.uint64)
        self._slots = np.full(1024, EMPTY, np.int32)
        self._pool = np.empty(8192, np.uint8)
        self._ends = np.zeros(513, np.int64)
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def add(self, data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return the code of each string `data[starts[i]:ends[i]]`; new strings get the next codes."""
        if not data.flags.writeable:  # read-only arrays would compile a second specialization
            data = data.copy()
        codes, self._keys, self._slots, self._pool, self._ends, self._size = _add(
            data, starts, ends, self._keys, self._slots, self._pool, self._ends, self._size
        )
        return codes

    @property
    def strings(self) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """The distinct strings as (data, offsets), in code order."""
        offsets = self._ends[: self._size + 1].copy()
        return self._pool[: offsets[-1]].copy(), offsets


@jit
def first_rows(codes: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return where each code first appears, given that codes are numbered by first appearance."""
    first = np.empty(len(codes), np.int64)
    size = 0
    for row in range(len(codes)):
        if codes[row] == size:
            first[size] = row
            size += 1
    return first[:size].copy()


@jit
def row_keys(data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> NDArray[np.uint64]:
    """A 64-bit key of each text: equal for equal texts; two of n others share one with probability n^2 / 2^65.

    Every step is mixed over all bits, unlike the keys of the table below, whose strings are compared as well.
    """
    keys = np.empty(len(offsets) - 1, np.uint64)
    for row in range(len(keys)):
        key = np.uint64(offsets[row + 1] - offsets[row])
        for at in range(offsets[row], offsets[row + 1], 8):
            word = np.uint64(0)
            for place in range(min(np.int64(8), offsets[row + 1] - at)):
                word |= np.uint64(data[at + place]) << np.uint64(8 * place)
            key = key * GOLDEN + word
            key = (key ^ (key >> np.uint64(30))) * FIRST
            key = (key ^ (key >> np.uint64(27))) * SECOND
            key ^= key >> np.uint64(31)
        keys[row] = key
    return keys


@jit
def _add(
    data: NDArray[np.uint8],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    keys: NDArray[np.uint64],
    slots: NDArray[np.int32],
    pool: NDArray[np.uint8],
    pool_ends: NDArray[np.int64],
    size: int,
) -> tuple[
    NDArray[np.int32],
    NDArray[np.uint64],
    NDArray[np.int32],
    NDArray[np.uint8],
    NDArray[np.int64],
    int,
]:
    codes = np.empty(len(starts), np.int32)
    mask = len(slots) - 1
    shift = _shift(len(slots))
    for row in range(len(starts)):
        start = starts[row]
        end = ends[row]
        key = _key(data, start, end)
        at = np.int64((key * GOLDEN) >> shift)
        while slots[at] != EMPTY:
            if keys[at] == key and (
                key < LONG_MARK or _equal(data, start, end, pool, pool_ends[slots[at]], pool_ends[slots[at] + 1])
            ):
                break
            at = (at + 1) & mask
        if slots[at] == EMPTY:
            slots[at] = size
            keys[at] = key
            stop = pool_ends[size] + end - start
            if stop > len(pool):
                pool = _longer(pool, max(2 * len(pool), stop))
            pool[pool_ends[size] : stop] = data[start:end]
            size += 1
            pool_ends[size] = stop
            codes[row] = size - 1
            if 2 * size == len(slots):
                keys, slots = _rehash(keys, slots)
                pool_ends = _longer(pool_ends, size * 2 + 1)
                mask = len(slots) - 1
                shift = _shift(len(slots))
        else:
            codes[row] = slots[at]
    return codes, keys, slots, pool, pool_ends, size


@jit
def _key(data: NDArray[np.uint8], start: int, end: int) -> np.uint64:
    length = end - start
    if length <= SHORT:
        key = np.uint64(length)
        if length > 0 and start + 8 <= len(data):
            bits = np.uint64(8 * length)
            return (key << bits) | (_eight_reversed(data, start) >> (np.uint64(64) - bits))
        for i in range(start, end):
            key = (key << np.uint64(8)) | np.uint64(data[i])
        return key
    hashed = FNV_OFFSET ^ np.uint64(length)
    i = start
    while i + 8 <= end:
        hashed = (hashed ^ _eight(data, i)) * FNV_PRIME
        hashed ^= hashed >> HALF
        i += 8
    while i < end:
        hashed = (hashed ^ np.uint64(data[i])) * FNV_PRIME
        i += 1
    hashed ^= hashed >> HALF
    return hashed | LONG_MARK


@jit
def _equal(a: NDArray[np.uint8], a_start: int, a_end: int, b: NDArray[np.uint8], b_start: int, b_end: int) -> bool:
    if a_end - a_start != b_end - b_start:
        return False
    length = a_end - a_start
    i = 0
    while i + 8 <= length:
        if _eight(a, a_start + i) != _eight(b, b_start + i):
            return False
        i += 8
    while i < length:
        if a[a_start + i] != b[b_start + i]:
            return False
        i += 1
    return True


@jit
def _eight(data: NDArray[np.uint8], start: int) -> np.uint64:
    """Eight bytes as one number; unsigned indices never wrap around, so the compiler makes it one load."""
    at = np.uint64(start)
    word = np.uint64(data[at])
    word |= np.uint64(data[at + np.uint64(1)]) << np.uint64(8)
    word |= np.uint64(data[at + np.uint64(2)]) << np.uint64(16)
    word |= np.uint64(data[at + np.uint64(3)]) << np.uint64(24)
    word |= np.uint64(data[at + np.uint64(4)]) << np.uint64(32)
    word |= np.uint64(data[at + np.uint64(5)]) << np.uint64(40)
    word |= np.uint64(data[at + np.uint64(6)]) << np.uint64(48)
    word |= np.uint64(data[at + np.uint64(7)]) << np.uint64(56)
    return word


@jit
def _eight_reversed(data: NDArray[np.uint8], start: int) -> np.uint64:
    """Eight bytes as one number, the first byte highest."""
    at = np.uint64(start)
    word = np.uint64(data[at]) << np.uint64(56)
    word |= np.uint64(data[at + np.uint64(1)]) << np.uint64(48)
    word |= np.uint64(data[at + np.uint64(2)]) << np.uint64(40)
    word |= np.uint64(data[at + np.uint64(3)]) << np.uint64(32)
    word |= np.uint64(data[at + np.uint64(4)]) << np.uint64(24)
    word |= np.uint64(data[at + np.uint64(5)]) << np.uint64(16)
    word |= np.uint64(data[at + np.uint64(6)]) << np.uint64(8)
    word |= np.uint64(data[at + np.uint64(7)])
    return word


@jit
def _rehash(keys: NDArray[np.uint64], slots: NDArray[np.int32]) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
    capacity = 2 * len(slots)
    mask = capacity - 1
    shift = _shift(capacity)
    new_keys = np.empty(capacity, np.uint64)
    new_slots = np.full(capacity, EMPTY, np.int32)
    for old in range(len(slots)):
        if slots[old] != EMPTY:
            at = np.int64((keys[old] * GOLDEN) >> shift)
            while new_slots[at] != EMPTY:
                at = (at + 1) & mask
            new_slots[at] = slots[old]
            new_keys[at] = keys[old]
    return new_keys, new_slots


@jit
def _longer(array: NDArray[T], length: int) -> NDArray[T]:
    longer = np.empty(length, array.dtype)
    longer[: len(array)] = array
    return longer


@jit
def _shift(capacity: int) -> np.uint64:
    """Return the right shift that leaves log2(capacity) bits of a 64-bit product."""
    shift = np.uint64(64)
    while capacity > 1:
        capacity >>= 1
        shift -= np.uint64(1)
    return shift
