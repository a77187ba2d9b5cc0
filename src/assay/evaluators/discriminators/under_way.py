"""Trainings of trees are kept piece by piece: an interrupted one goes on, to the same bits."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np

from assay.evaluators.discriminators.learner import Examples, Settings
from assay.io.trainings import TrainingStore


def kept_training(
    kind: str, settings: Settings, seed: int, examples: Examples, held_back: Examples | None
) -> TrainingStore:
    """Where a training on sparse rows is kept, found by everything it depends on."""
    digest = blake2b(repr((kind, sorted(settings.items()), seed)).encode(), digest_size=16)
    for texts in (examples, held_back):
        if texts is not None:
            for part in (texts.rows.indptr, texts.rows.indices, texts.rows.data, texts.human, texts.weights):
                digest.update(repr((part.shape, part.dtype.str)).encode() + np.ascontiguousarray(part).tobytes())
    return TrainingStore(digest.hexdigest())
