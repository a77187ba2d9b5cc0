"""Sentence embeddings of the texts and contexts of a batch. The backend is loaded lazily."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from assay.backends.embeddings import load_encoder
from assay.batch import Batch
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
