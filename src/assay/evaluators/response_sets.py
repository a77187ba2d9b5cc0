"""Shared by all metrics of response sets: a set without any text is a gap."""

from __future__ import annotations

from collections.abc import Sequence
from functools import wraps

import numpy as np
from numpy.typing import NDArray

from assay.batch import Batch
from assay.evaluator import Batched, Score, Scored, Use, batched, with_gaps
from assay.scores import Gaps
from assay.shapes import Field

NO_TEXT = "no response has any text"


def of_sets(score: Score, *, uses: Sequence[Use] = (), reads: Sequence[Field] = ("text",)) -> Batched:
    """Score sets from arrays; a set whose texts are all blank is a gap for every metric."""
    return batched(speaking(score), uses=uses, reads=reads)


def speaking(score: Score) -> Score:
    """Wrap a score so that sets without any text are gaps."""

    @wraps(score)
    def scored(batch: Batch) -> Scored:
        result = with_gaps(score(batch))
        silent = _silent(batch)
        if not silent.any():
            return result
        gaps = Gaps(np.where(silent, len(result.gaps.reasons), result.gaps.codes), (*result.gaps.reasons, NO_TEXT))
        return with_gaps(Scored(result.values, gaps))

    return scored


def _silent(batch: Batch) -> NDArray[np.bool_]:
    """Which units have no text with a printable character."""
    texts = batch.texts
    # Nearly every text starts with a printable character; only the others are searched.
    spoken = texts.lengths > 0
    spoken[spoken] = texts.data[texts.offsets[:-1][spoken]] > ord(" ")
    for row in np.flatnonzero(~spoken).tolist():
        spoken[row] = bool((texts.data[texts.offsets[row] : texts.offsets[row + 1]] > ord(" ")).any())
    if spoken.all():
        return batch.members.lengths == 0
    return np.bincount(batch.members.row_of, weights=spoken[batch.members.values], minlength=len(batch)) == 0
