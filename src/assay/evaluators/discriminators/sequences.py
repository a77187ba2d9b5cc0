"""Texts as sequences of ids, for networks: of words from the shared tokens, or of an encoder's word pieces."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.backends.embeddings import load_encoder
from assay.batch import Batch
from assay.errors import EvaluatorError
from assay.evaluator import State
from assay.evaluators.discriminators.learner import Mask
from assay.kernels.overlap.bags import document_frequencies
from assay.kernels.ragged import Ragged
from assay.text.tokenizers import check_tokenizer

PADDING, UNKNOWN, FIRST = 0, 1, 2

Ids = NDArray[np.int64]


@dataclass(frozen=True)
class Words:
    """The first `max_tokens` words of each text; words in fewer than `min_texts` training texts are unknown."""

    tokenizer: str
    min_texts: int
    max_tokens: int

    def __post_init__(self) -> None:
        check_tokenizer(self.tokenizer)
        for name in ("min_texts", "max_tokens"):
            if getattr(self, name) < 1:
                raise EvaluatorError(f"{name} must be 1 or more, not {getattr(self, name)}.")

    def learn(self, train: Batch) -> tuple[State, Ids]:
        """The known words, in the order in which the training texts have them; and the sequences."""
        tokens = train.tokens(self.tokenizer)
        met, frequency = document_frequencies(tokens.ids, tokens.offsets, train.candidates, len(tokens.vocabulary))
        known = met[frequency >= self.min_texts]
        if not len(known):
            raise EvaluatorError(
                f"no word of the tokenizer {self.tokenizer!r} occurs in {self.min_texts} training texts, so there is "
                "nothing to learn from. For a script without spaces use tokenizer='chars'; for few texts min_texts=1."
            )
        column = np.full(len(tokens.vocabulary), UNKNOWN)
        column[known] = FIRST + np.arange(len(known))
        return {"words": tokens.vocabulary.take(known), "n_words": FIRST + len(known)}, self._padded(train, column)

    def rows(self, known: State, batch: Batch) -> tuple[Ids, Mask]:
        """The sequences of other texts, and which texts have no known word."""
        places = batch.ngram_places(known["words"], self.tokenizer, 1)
        ids = self._padded(batch, np.where(places >= 0, FIRST + places, UNKNOWN))
        return ids, np.asarray((ids >= FIRST).sum(axis=1) == 0)

    def _padded(self, batch: Batch, column: NDArray[np.int64]) -> Ids:
        tokens = batch.tokens(self.tokenizer)
        return padded(Ragged(tokens.ids, tokens.offsets).take(batch.candidates).mapped(column), self.max_tokens)


@dataclass(frozen=True)
class Pieces:
    """The word pieces of an encoder's own tokenizer."""

    encoder: str
    max_tokens: int

    def learn(self, train: Batch) -> tuple[State, Ids]:
        """The sequences; the vocabulary is the encoder's."""
        return {}, self._ids(train)

    def rows(self, known: State, batch: Batch) -> tuple[Ids, Mask]:
        """The sequences of other texts."""
        return self._ids(batch), np.zeros(len(batch), bool)

    def _ids(self, batch: Batch) -> Ids:
        encoder = load_encoder(self.encoder)
        limit = min(self.max_tokens, encoder.limit)
        texts = batch.texts.take(batch.candidates).to_list()
        rows = encoder.tokenizer(texts, truncation=True, max_length=limit)["input_ids"] if texts else []
        lengths = np.array([len(row) for row in rows], np.int64)
        flat = np.array([token for row in rows for token in row], np.int64)
        return padded(Ragged(flat, np.concatenate(([0], np.cumsum(lengths)))), limit)


def padded(rows: Ragged, width: int) -> Ids:
    """A matrix with a row per text, cut at `width` and filled with 0."""
    place = np.arange(len(rows.values)) - rows.offsets[rows.row_of]
    matrix, kept = np.full((len(rows), width), PADDING, np.int64), place < width
    matrix[rows.row_of[kept], place[kept]] = rows.values[kept]
    return matrix
