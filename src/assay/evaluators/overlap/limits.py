"""Texts that are too long for a metric whose work grows with the square of their length: gaps, with a reason."""

from __future__ import annotations

import numpy as np

from assay.batch import Batch
from assay.evaluator import Score, Scored, with_gaps
from assay.scores import Gaps


def short_enough(batch: Batch, tokenizer: str, most: int, score: Score, remedy: str = "") -> Scored:
    """Score the units whose text and references have at most `most` tokens; the others are gaps.

    Every unit has references, as in a run.
    """
    if not len(batch):
        return with_gaps(score(batch))
    lengths = batch.tokens(tokenizer).lengths
    longest = np.maximum.reduceat(lengths[batch.references.values], batch.references.offsets[:-1])
    usable = np.maximum(longest, lengths[batch.candidates]) <= most
    if usable.all():
        return with_gaps(score(batch))
    some = with_gaps(score(batch.take(np.flatnonzero(usable))))
    values = np.full((len(batch), *some.values.shape[1:]), np.nan)
    values[usable] = some.values
    codes = np.full(len(batch), len(some.gaps.reasons), np.int32)
    codes[usable] = some.gaps.codes
    reason = f"a text or reference of more than {most:,} tokens{remedy}"
    return Scored(values, Gaps(codes, (*some.gaps.reasons, reason)))
