"""Counts by 64-bit key: what parts of the data count apart and add, such as the document frequencies of n-grams.

A key is a hash of the spelling, so it is the same in every part. Two of n n-grams share one with a probability of
about n^2 / 2^65: 3e-8 of a million, 3e-4 of a hundred million.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.kernels.bytes.intern import FIRST, GOLDEN, SECOND
from assay.kernels.overlap.ngrams import NO_NGRAM, count_ngrams

Keys = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class KeyCounts:
    """A count for each of some distinct keys, which ascend."""

    keys: Keys
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, keys: Keys, counts: NDArray[np.int64]) -> KeyCounts:
        """Add the counts of equal keys."""
        order = np.argsort(keys, kind="stable")
        sorted_keys = keys[order]
        starts = np.flatnonzero(np.diff(sorted_keys, prepend=~sorted_keys[:1]))
        totals = np.add.reduceat(counts[order], starts) if len(starts) else np.zeros(0, np.int64)
        return cls(sorted_keys[starts], totals)

    @classmethod
    def total(cls, parts: Iterable[KeyCounts]) -> KeyCounts:
        """Add the counts of parts."""
        found = list(parts)
        if len(found) == 1:
            return found[0]
        keys = np.concatenate([part.keys for part in found]) if found else np.zeros(0, np.uint64)
        return cls.of(keys, np.concatenate([part.counts for part in found]) if found else np.zeros(0, np.int64))

    def __getitem__(self, keys: Keys) -> NDArray[np.int64]:
        """The counts of keys, 0 where there is none."""
        if not len(self.keys):
            return np.zeros(len(keys), np.int64)
        place = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[place] == keys, self.counts[place], 0)

    @property
    def n_bytes(self) -> int:
        """The memory it takes."""
        return self.keys.nbytes + self.counts.nbytes


class KeyedNGrams(NamedTuple):
    """N-grams of one order in texts: their numbers and counts, the offsets of texts, and the key of each number.

    They are numbered in the order of their keys, so that sums over them do not depend on the other texts.
    """

    numbers: NDArray[np.int32]
    counts: NDArray[np.int32]
    offsets: NDArray[np.int64]
    keys: Keys


def keyed_ngrams(
    grams: NDArray[np.int32],
    n_grams: int,
    order: int,
    ids: NDArray[np.int32],
    offsets: NDArray[np.int64],
    of_token: Keys,
) -> KeyedNGrams:
    """Count the n-grams of texts, numbered by key; the arguments are those of `ngram_keys`."""
    keys = ngram_keys(grams, n_grams, order, ids, of_token)
    by_key = np.argsort(keys, kind="stable")
    place = np.empty(len(keys) + 1, np.int32)
    place[by_key], place[NO_NGRAM] = np.arange(len(keys)), NO_NGRAM
    return KeyedNGrams(*count_ngrams(place[grams], offsets), keys[by_key])


def mixed(keys: Keys) -> Keys:
    """Spread keys over all 64 bits, one to one."""
    keys = (keys ^ (keys >> np.uint64(30))) * FIRST
    keys = (keys ^ (keys >> np.uint64(27))) * SECOND
    return keys ^ (keys >> np.uint64(31))


def ngram_keys(grams: NDArray[np.int32], n_grams: int, order: int, ids: NDArray[np.int32], of_token: Keys) -> Keys:
    """The key of each n-gram of an order by id; `grams` has the n-gram at each position, `ids` the token."""
    at = np.flatnonzero(grams >= 0)
    first = np.zeros(n_grams, np.int64)
    first[grams[at]] = at
    keys = np.full(n_grams, order, np.uint64)
    for n in range(order):
        keys = mixed(keys * GOLDEN + of_token[ids[first + n]])
    return keys
