"""Sparse rows of a similarity matrix: the pairs that reached a threshold, each row sorted by column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class SparseRows(NamedTuple):
    """Row i holds `values[offsets[i]:offsets[i + 1]]` at `columns[offsets[i]:offsets[i + 1]]`."""

    offsets: NDArray[np.int64]
    columns: NDArray[np.int32]
    values: NDArray[np.float64]

    @property
    def rows(self) -> NDArray[np.int64]:
        """The row of every entry."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    def keep(self, mask: NDArray[np.bool_]) -> SparseRows:
        """Return the entries where `mask` is true; the number of rows stays."""
        offsets = np.zeros(len(self.offsets), np.int64)
        np.cumsum(np.bincount(self.rows[mask], minlength=len(offsets) - 1), out=offsets[1:])
        return SparseRows(offsets, self.columns[mask], self.values[mask])

    def strongest(self, k: int) -> SparseRows:
        """Return the k largest entries of each row, ties going to lower columns; the number of rows stays."""
        order = np.lexsort((self.columns, -self.values, self.rows))
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order)) - np.repeat(self.offsets[:-1], np.diff(self.offsets))
        return self.keep(place < k)


def from_dense(block: NDArray[np.float64], threshold: float) -> SparseRows:
    """Keep the entries of a dense block that are at least `threshold`; NaN is dropped."""
    rows, columns = np.nonzero(block >= threshold)
    offsets = np.zeros(len(block) + 1, np.int64)
    np.cumsum(np.bincount(rows, minlength=len(block)), out=offsets[1:])
    return SparseRows(offsets, columns.astype(np.int32), block[rows, columns])


def stack(blocks: Sequence[SparseRows]) -> SparseRows:
    """Stack blocks of rows vertically."""
    if not blocks:
        return SparseRows(np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0))
    lengths = np.concatenate([np.diff(block.offsets) for block in blocks])
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return SparseRows(offsets, np.concatenate([b.columns for b in blocks]), np.concatenate([b.values for b in blocks]))
