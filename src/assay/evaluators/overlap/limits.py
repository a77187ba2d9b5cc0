"""Length limits of metrics with quadratic cost: longer texts are gaps."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from assay.batch import Batch
from assay.evaluator import Score, Scored, with_gaps
from assay.run.guard import spread
from assay.scores import Gaps


def short_enough(batch: Batch, lengths: NDArray[np.int64], most: int, score: Score, remedy: str = "") -> Scored:
    """Score the units whose text and references have at most `most` tokens; the others are gaps.

    `lengths` holds the number of tokens of each text of the bank. Every unit has references, as in a run.
    """
    if not len(batch):
        return with_gaps(score(batch))
    longest = np.maximum.reduceat(lengths[batch.references.values], batch.references.offsets[:-1])
    too_long = np.maximum(longest, lengths[batch.candidates]) > most
    if not too_long.any():
        return with_gaps(score(batch))
    reason = f"a text or reference of more than {most:,} tokens{remedy}"
    scored = with_gaps(score(batch.take(np.flatnonzero(~too_long))))
    return spread(scored, Gaps.where(len(batch), {reason: too_long}))
