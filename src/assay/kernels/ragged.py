"""Rows of unequal length in two flat arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Ragged:
    """Row i is `values[offsets[i]:offsets[i + 1]]`."""

    values: NDArray[Any]
    offsets: NDArray[np.int64]

    @classmethod
    def empty(cls, n: int, dtype: type = np.int64) -> Ragged:
        """Make n empty rows."""
        return cls(np.zeros(0, dtype), np.zeros(n + 1, np.int64))

    @classmethod
    def singles(cls, values: NDArray[Any]) -> Ragged:
        """Make one row per value."""
        return cls(values, np.arange(len(values) + 1, dtype=np.int64))

    @classmethod
    def pairs(cls, left: NDArray[Any], right: NDArray[Any]) -> Ragged:
        """Make rows of two values."""
        return cls(np.column_stack([left, right]).ravel(), np.arange(0, 2 * len(left) + 1, 2))

    @classmethod
    def grouped(cls, groups: NDArray[Any], n: int) -> Ragged:
        """Row g lists the positions of group g in `groups`, ascending, for g in 0..n-1; -1 means no group."""
        order = np.argsort(groups, kind="stable")
        order = order[np.searchsorted(groups[order], 0) :]
        counts = np.bincount(groups[order], minlength=n)
        return cls(order, running_offsets(counts))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, row: int) -> NDArray[Any]:
        return self.values[self.offsets[row] : self.offsets[row + 1]]

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Values per row."""
        return np.diff(self.offsets)

    @property
    def row_of(self) -> NDArray[np.int64]:
        """The row of each value."""
        return np.repeat(np.arange(len(self)), self.lengths)

    def take(self, rows: NDArray[Any]) -> Ragged:
        """Return the given rows, in that order."""
        starts = self.offsets[:-1][rows]
        lengths = self.offsets[1:][rows] - starts
        offsets = running_offsets(lengths)
        source = np.repeat(starts - offsets[:-1], lengths)
        return Ragged(self.values[source + np.arange(offsets[-1])], offsets)

    def mapped(self, numbers: NDArray[Any]) -> Ragged:
        """Replace every value v by numbers[v]."""
        return Ragged(numbers[self.values], self.offsets)


def running_offsets(lengths: NDArray[Any]) -> NDArray[np.int64]:
    """Turn lengths into offsets: 0, then running sums."""
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets
