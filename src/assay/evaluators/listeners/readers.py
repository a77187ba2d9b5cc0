"""How a text listener reads: the score of each choice that an utterance is shown with, in logarithms of odds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from assay.backends.embeddings import load_encoder
from assay.kernels.games.bm25 import bm25_weights, weighted_overlaps
from assay.kernels.games.likelihood import log_likelihoods
from assay.kernels.overlap.ngrams import count_ngrams
from assay.kernels.ragged import Ragged
from assay.text.strings import Strings
from assay.text.tokenizers import tokenize

Floats = NDArray[np.float64]
PAIRS_AT_ONCE = 20_000


def by_bm25(utterances: Strings, choices: Strings, shown: Ragged, tokenizer: str, k1: float, b: float) -> Floats:
    """BM25 of the choice for the utterance as a query; document frequencies are those of the distinct choices."""
    tokens = tokenize(Strings.concatenate([utterances, choices]), tokenizer)
    numbers, counts, offsets = count_ngrams(tokens.ids, tokens.offsets)
    start = offsets[len(utterances)]
    documents = numbers[start:], counts[start:], offsets[len(utterances) :] - start
    queries = numbers[:start], counts[:start], offsets[: len(utterances) + 1]
    n_types = len(tokens.vocabulary)
    weights = bm25_weights(documents, n_types, k1, b)
    return weighted_overlaps(*queries, documents[0], weights, documents[2], shown.values, shown.offsets, n_types)


def by_ngrams(utterances: Strings, choices: Strings, shown: Ragged, tokenizer: str, order: int, mu: float) -> Floats:
    """Log-likelihood of the utterance under an n-gram model of the choice."""
    tokens = tokenize(Strings.concatenate([utterances, choices]), tokenizer)
    rows = Ragged(tokens.ids, tokens.offsets)
    return log_likelihoods(rows, len(tokens.vocabulary), len(utterances), shown, order, mu)


def by_embeddings(utterances: Strings, choices: Strings, shown: Ragged, model: str) -> Floats:
    """Cosine of the sentence embeddings of utterance and choice."""
    vectors = load_encoder(model).embed([*utterances, *choices]).astype(np.float64)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    left, right = vectors[: len(utterances)], vectors[len(utterances) :]
    cosines = np.empty(len(shown.values))
    for start in range(0, len(cosines), PAIRS_AT_ONCE):
        pairs = slice(start, start + PAIRS_AT_ONCE)
        cosines[pairs] = np.einsum("ij,ij->i", left[shown.row_of[pairs]], right[shown.values[pairs]])
    return cosines


def distinct_choices(texts: Strings, shown: Ragged) -> tuple[Strings, Ragged]:
    """The distinct texts of all choices, and the choices of each utterance as positions among them."""
    codes, distinct = texts.factorize()
    return distinct, shown.mapped(codes.astype(np.int64))
