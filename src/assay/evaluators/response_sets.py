"""What every metric of a set of responses has in common: a set that says nothing has no diversity to measure."""

from __future__ import annotations

from collections.abc import Sequence
from functools import wraps

import numpy as np
from numpy.typing import NDArray

from assay.batch import Batch
from assay.evaluator import Batched, Score, Scored, Use, batched, with_gaps
from assay.scores import Gaps

NO_TEXT = "no response has any text"


def of_sets(score: Score, *, uses: Sequence[Use] = ()) -> Batched:
    """Score sets from arrays; a set whose texts are all empty is a gap whatever the metric would say of it."""
    return batched(speaking(score), uses=uses)


def speaking(score: Score) -> Score:
    """Make sets without any text a gap of a score."""

    @wraps(score)
    def scored(batch: Batch) -> Scored:
        found = with_gaps(score(batch))
        silent = _silent(batch)
        if not silent.any():
            return found
        gaps = Gaps(np.where(silent, len(found.gaps.reasons), found.gaps.codes), (*found.gaps.reasons, NO_TEXT))
        return with_gaps(Scored(found.values, gaps))

    return scored


def _silent(batch: Batch) -> NDArray[np.bool_]:
    """Which units hold only texts without a printed character."""
    texts = batch.texts
    # Nearly every text starts with a printed character; the others are looked at one by one.
    spoken = texts.lengths > 0
    spoken[spoken] = texts.data[texts.offsets[:-1][spoken]] > ord(" ")
    for row in np.flatnonzero(~spoken).tolist():
        spoken[row] = bool((texts.data[texts.offsets[row] : texts.offsets[row + 1]] > ord(" ")).any())
    if spoken.all():
        return batch.members.lengths == 0
    return np.bincount(batch.members.row_of, weights=spoken[batch.members.values], minlength=len(batch)) == 0
