"""Similarities without an index: score all pairs of a block of rows, keep those at or above a threshold."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from assay.kernels.blocks import in_order, row_blocks
from assay.kernels.overlap.lcs import lcs_lengths
from assay.kernels.pairs.sparse_rows import SparseRows, from_dense

Block = Callable[[int, int], NDArray[np.float64]]
"""Scores rows start to stop against all columns."""


def dense_rows(
    block: Block, n_rows: int, n_columns: int, threshold: float, *, entries: int, workers: int = 1
) -> Iterator[tuple[int, SparseRows]]:
    """Yield (first row, rows) for blocks of at most `entries` pairs, in order."""

    def work(start: int, stop: int, _: None) -> SparseRows:
        return from_dense(block(start, stop), threshold)

    return in_order(work, row_blocks(n_rows, n_columns, entries), lambda: None, workers)


def rouge_l_block(
    tokens: NDArray[np.int32], offsets: NDArray[np.int64], rows: NDArray[np.int64], bank: NDArray[np.int64]
) -> NDArray[np.float64]:
    """ROUGE-L F1 of each text in `rows` with each in `bank`: 2 LCS / (|x| + |s|); 0 for two empty texts."""
    references = np.tile(bank, len(rows))
    bounds = np.arange(len(rows) + 1) * len(bank)
    shared = lcs_lengths(tokens, offsets, rows, references, bounds).reshape(len(rows), len(bank))
    lengths = np.diff(offsets)
    return np.asarray(2.0 * shared / np.maximum(lengths[rows][:, None] + lengths[bank][None, :], 1))


def greedy_f1_block(
    states: NDArray[np.float64],
    bounds: NDArray[np.int64],
    weights: NDArray[np.float64],
    rows: NDArray[np.int64],
    bank: NDArray[np.int64],
) -> NDArray[np.float64]:
    """BERTScore F1 (Zhang et al. 2020) of each text in `rows` with each of the consecutive texts `bank`.

    Text i has the unit vectors `states[bounds[i]:bounds[i + 1]]`. Each token takes its most similar one in the
    other text; `weights` weight the tokens in the means (0 for special tokens at the ends of a text).
    """
    first, last = bounds[bank[0]], bounds[bank[-1] + 1]
    starts = bounds[bank] - first
    bank_weights = weights[first:last]
    bank_totals = np.add.reduceat(bank_weights, starts)
    scores = np.zeros((len(rows), len(bank)))
    for place, row in enumerate(rows):
        mine = slice(bounds[row], bounds[row + 1])
        cosines = states[mine] @ states[first:last].T
        precision = weights[mine] @ np.maximum.reduceat(cosines, starts, axis=1)
        recall = np.add.reduceat(bank_weights * cosines.max(axis=0), starts)
        with np.errstate(divide="ignore", invalid="ignore"):
            precision = precision / weights[mine].sum()
            recall = recall / bank_totals
            scores[place] = 2 * precision * recall / (precision + recall)
    return scores
