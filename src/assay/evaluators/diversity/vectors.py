"""Sentence embeddings of the texts and contexts of a batch. The backend is loaded lazily."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from assay.backends.embeddings import load_encoder
from assay.batch import Batch
from assay.evaluator import Scored, Shape
from assay.evaluators.response_sets import of_sets
from assay.kernels.points.dispersion import by_set
from assay.scores import Gaps
from assay.text.strings import Strings


def embed(model: str, texts: Strings) -> NDArray[np.float32]:
    """Return a row per text."""
    return load_encoder(model).embed(texts.to_list())


def member_vectors(model: str, batch: Batch) -> NDArray[np.float32]:
    """Return a row per member of every unit, in the order of `batch.members`."""
    distinct, place = np.unique(batch.members.values, return_inverse=True)
    return embed(model, batch.texts.take(distinct))[place]


def context_vectors(model: str, batch: Batch) -> NDArray[np.float32]:
    """Return a row per set: its item's context."""
    items, place = np.unique(batch.units.item[batch.rows], return_inverse=True)
    return embed(model, batch.dataset.items.context.take(items))[place]


def measured(model: str, measure: Callable[[NDArray[np.float64]], float], least: int, *, sign: float = 1.0) -> Shape:
    """Score each unit by a measure of its vectors that needs at least `least` texts."""

    def score(batch: Batch) -> Scored:
        values = sign * by_set(measure, member_vectors(model, batch), batch.members.offsets)
        few = batch.members.lengths < least
        reasons = {f"fewer than {least} responses": few, "identical responses": np.isnan(values) & ~few}
        return Scored(values, Gaps.where(len(batch), reasons))

    return of_sets(score)
