"""Which texts equal one of their references once both are reduced to a key."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from assay.batch import Batch
from assay.evaluator import Scored, with_gaps
from assay.scores import Gaps


def equal_to_any(batch: Batch, key: Callable[[str], str | None], no_key: str) -> Scored:
    """Score 1 where the key of a text is that of a reference, else 0.

    A text without a key (None) equals nothing; a unit whose references have none is a gap, for the reason `no_key`.
    """
    keys = _key_numbers(batch, key)
    if not len(batch):
        return with_gaps(np.zeros(0))
    starts = batch.references.offsets[:-1]
    of_reference = keys[batch.references.values]
    hits = (of_reference == keys[batch.candidates][batch.references.row_of]) & (of_reference >= 0)
    unanswerable = ~np.logical_or.reduceat(of_reference >= 0, starts)
    return with_gaps(
        Scored(
            np.logical_or.reduceat(hits, starts).astype(np.float64),
            Gaps.where(len(batch), {no_key: unanswerable}),
        )
    )


def _key_numbers(batch: Batch, key: Callable[[str], str | None]) -> NDArray[np.int64]:
    """Number the keys of the batch's texts, -1 without one; texts that no unit needs stay -1."""
    numbers: dict[str | None, int] = {None: -1}
    result = np.full(len(batch.texts), -1, np.int64)
    rows = np.unique(np.concatenate([batch.candidates, batch.references.values]))
    for row, text in zip(rows.tolist(), batch.texts.take(rows), strict=True):
        result[row] = numbers.setdefault(key(text), len(numbers))
    return result
