"""Contain failures: a unit that fails becomes a gap with a reason, the others keep their scores."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from assay.batch import Batch
from assay.errors import AssayError, pass_on_interrupt
from assay.scored import Result, Scored, failure, with_gaps
from assay.scores import Gaps
from assay.text.strings import Strings

# After this many single failures, the rest of a failing chunk is given up at once.
MOST_FAILURES = 50


def guarded(function: Callable[[Batch], Result], batch: Batch, *, whole: bool) -> Scored:
    """Score a batch; on failure, bisect it to isolate the units that fail.

    With `whole`, scores depend on all units of the batch, so it fails as a whole.
    """
    budget = [MOST_FAILURES]

    def attempt(positions: NDArray[np.int64]) -> list[Scored]:
        try:
            return [with_gaps(function(batch if len(positions) == len(batch) else batch.take(positions)))]
        except AssayError:
            raise
        except Exception as error:
            pass_on_interrupt(error)
            if not whole and len(positions) > 1 and budget[0] > 0:
                middle = len(positions) // 2
                return attempt(positions[:middle]) + attempt(positions[middle:])
            budget[0] -= 1
            reasons = Gaps.where(len(positions), {failure(error): np.ones(len(positions), bool)})
            return [Scored(np.full(len(positions), np.nan), reasons)]

    return stacked(attempt(np.arange(len(batch))))


def spread(scored: Scored, unusable: Gaps) -> Scored:
    """Put the scores of usable units back among those that could not be scored."""
    usable = unusable.codes == 0
    values = np.full((len(usable), *scored.values.shape[1:]), np.nan)
    values[usable] = scored.values
    codes = unusable.codes + np.int32(len(scored.gaps.reasons) - 1)
    codes[usable] = scored.gaps.codes
    texts = scored.texts
    if texts is not None:
        texts = Strings.concatenate([texts, Strings.empty(1)]).take(np.where(usable, usable.cumsum() - 1, len(texts)))
    return Scored(values, Gaps(codes, (*scored.gaps.reasons, *unusable.reasons[1:])), texts)


def stacked(parts: list[Scored]) -> Scored:
    """Concatenate parts; one that failed is widened to the statistics of the others."""
    width = max((part.values.shape[1] for part in parts if part.values.ndim == 2), default=0)
    values = [
        np.full((len(part.values), width), np.nan) if width and part.values.ndim == 1 else part.values for part in parts
    ]
    texts = parts[0].texts if len(parts) == 1 else None  # not read, since they may not be written yet
    if len(parts) > 1 and any(part.texts is not None for part in parts):
        texts = Strings.concatenate([part.texts or Strings.empty(len(part.values)) for part in parts])
    gaps = Gaps.concatenate([part.gaps for part in parts])
    return Scored(np.concatenate(values) if values else np.zeros(0), gaps, texts)
