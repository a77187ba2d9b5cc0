"""Pair scores by a model, and the best reference of each unit."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from assay.batch import Batch
from assay.evaluator import Scored
from assay.scores import Gaps

# Scores the pairs (left[i], right[i]) of distinct texts.
PairScorer = Callable[[list[str], NDArray[np.int64], NDArray[np.int64]], NDArray[np.float64]]
PAIRS_AT_ONCE = 2_000
"""Bounds the memory of token vectors; pairs of one set are adjacent, so few texts are encoded twice."""


def best_reference(batch: Batch, score: PairScorer) -> Scored:
    """The largest score of each unit's candidate with any of its references (a pair has one)."""
    references = batch.references
    left, right = batch.candidates[references.row_of], references.values
    values = np.full(len(left), np.nan)
    for start in range(0, len(left), PAIRS_AT_ONCE):
        chunk = slice(start, start + PAIRS_AT_ONCE)
        used, place = np.unique(np.concatenate([left[chunk], right[chunk]]), return_inverse=True)
        n = len(place) // 2
        values[chunk] = score(batch.texts.take(used).to_list(), place[:n], place[n:])
    best = np.full(len(batch), -np.inf)
    np.maximum.at(best, references.row_of, np.where(np.isnan(values), -np.inf, values))
    best = np.where(np.isfinite(best), best, np.nan)
    return Scored(best, Gaps.where(len(batch), {"an empty text": np.isnan(best)}))
