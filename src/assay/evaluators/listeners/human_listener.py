"""What human listeners chose."""

from __future__ import annotations

from typing import Literal

import numpy as np

from assay.batch import Batch
from assay.errors import EvaluatorError
from assay.evaluator import Shape, evaluator
from assay.kernels.ragged import Ragged
from assay.kernels.statistics.beliefs import row_sums
from assay.listening import Heard, ListenerScore, clicks_of, items_of, listener
from assay.records.columns import numbers_of
from assay.shapes import Field

DESCRIBED = "described"
"""The output column with the index of the choice that an utterance was written for, where that is not the target."""


@evaluator(
    needs=("choices", "judgments"),
    scale="a share of listeners, 0 to 1; `surprisal` and `kl` in nats",
    cite="Newman et al. 2020",
    stored=False,
)
def human_listener(
    *,
    criterion: str = "",
    reading: Literal["clicked", "not described"] = "clicked",
    score: ListenerScore = "probability",
) -> Shape:
    """The share of human listeners who chose the target.

    A judgment counts if its column `choice` is an index of a choice. `criterion` is the one that asks for
    understanding, unless another is named.

    An utterance may have been written for another choice than the target, to mislead (the output column `described`).
    With reading='clicked' only clicks on the target count; with 'not described' every click but one on the described
    choice does, as Newman et al. (2020) count.
    """

    def listen(batch: Batch) -> Heard:
        clicks = clicks_of(batch, criterion)
        if reading == "not described":
            clicks = _read_as_not_described(clicks, batch)
        total = row_sums(clicks)
        shares = clicks.values / np.maximum(total, 1.0)[clicks.row_of]
        return Heard(Ragged(shares, clicks.offsets), {"no listeners": total == 0})

    reads: tuple[Field, ...] = ("text", "choices", "judgments")
    if reading == "not described":
        reads += ("columns",)
    # Which criterion is meant, and whether choices are numbers, is a question to all the data.
    return listener(listen, score, whole=True, reads=reads)


def _read_as_not_described(clicks: Ragged, batch: Batch) -> Ragged:
    """Count every click that is not on the described choice for the target."""
    values = batch.dataset.outputs.columns.get(DESCRIBED)
    column = None if values is None else numbers_of(values)
    if column is None:
        raise EvaluatorError(
            f"human_listener(reading='not described') needs the column {DESCRIBED!r} of outputs: the index of the "
            "choice that each utterance was written for."
        )
    described, target = column[batch.rows], batch.dataset.items.target.take(items_of(batch))
    counts = clicks.values.copy()
    for row in np.flatnonzero((target.lengths > 0) & (described >= 0) & (described < clicks.lengths)).tolist():
        start, end, meant = clicks.offsets[row], clicks.offsets[row + 1], int(target[row].argmax())
        place = int(described[row])
        if place != meant:
            of_others = counts[start:end].sum() - counts[start + place]
            counts[start:end] = np.where(np.arange(end - start) == place, counts[start:end], 0.0)
            counts[start + meant] = of_others
    return Ragged(counts, clicks.offsets)
