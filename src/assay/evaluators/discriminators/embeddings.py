"""Sentence embeddings as features."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.backends.embeddings import load_encoder
from assay.batch import Batch
from assay.evaluator import State
from assay.evaluators.discriminators.learner import Floats, Mask


@dataclass(frozen=True)
class Embeddings:
    """The vector of each text by a local encoder; nothing is learnt on the way."""

    encoder: str

    def learn(self, train: Batch) -> tuple[State, Floats]:
        """The vectors of the training texts."""
        return {}, self._vectors(train)

    def rows(self, known: State, batch: Batch) -> tuple[Floats, Mask]:
        """The vectors of other texts; there is one for every text."""
        return self._vectors(batch), np.zeros(len(batch), bool)

    def _vectors(self, batch: Batch) -> Floats:
        texts = batch.texts.take(batch.candidates).to_list()
        return load_encoder(self.encoder).embed(texts).astype(np.float64)
