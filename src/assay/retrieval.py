"""Retrieved references: the other outputs of an item, or the nearest texts of a pool."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from assay.backends.embeddings import load_encoder
from assay.errors import EvaluatorError, did_you_mean
from assay.io.model_folders import named_by_content
from assay.kernels.overlap.ngrams import count_ngrams
from assay.kernels.pairs.nearest_texts import most_similar, tfidf_weights
from assay.kernels.ragged import Ragged, running_offsets
from assay.records import Dataset
from assay.references import Mask, ReferenceFactory, Source, others_of_item
from assay.text.strings import Strings
from assay.text.tokenizers import check_tokenizer, tokenize

WORDS = "tfidf"
TOKENIZER = "lower+13a"
ROWS_AT_ONCE = 1024
DECIMALS = 10

By = Annotated[str, lambda by: by if by == WORDS else named_by_content(by)]


@ReferenceFactory
def others(*, among: str | tuple[str, ...] = "all", alone: Literal["gap", "itself"] = "gap") -> Source:
    """The other outputs of the same item, including those with the same text.

    `among` is 'all', 'human', or the systems to take references from. An output without others is a gap; with
    `alone='itself'` it is its own reference, as in some published numbers.
    """

    def find(dataset: Dataset, allowed: Mask) -> Ragged:
        references = others_of_item(dataset, allowed)
        return _filled(references, np.arange(len(references))) if alone == "itself" else references

    return Source(find, partial(_systems_among, among), of_item=True)


@ReferenceFactory
def nearest(
    *, k: int = 10, among: str | tuple[str, ...] = "human", by: By = WORDS, tokenizer: str = TOKENIZER
) -> Source:
    """The k outputs most similar to a text; the text itself and its duplicates are left out.

    `among` is 'all', 'human', or the systems to take references from. `by` is 'tfidf', the cosine of tf-idf weighted
    words (document frequencies over the pool), or an embedding model by short name or folder.
    """
    if k < 1:
        raise EvaluatorError(f"the parameter 'k' of nearest must be at least 1. Got {k} instead.")
    check_tokenizer(tokenizer)
    if by != WORDS and tokenizer != TOKENIZER:
        raise EvaluatorError("nearest by an embedding model has no tokenizer: leave it out, or take by='tfidf'.")

    def choose(texts: Strings, pool: Strings) -> NDArray[np.int64]:
        if by == WORDS:
            return _nearest_by_words(texts, pool, k, tokenizer)
        return _nearest_by_vectors(texts, pool, k, by)

    return Source.pooled(choose, partial(_systems_among, among))


def _systems_among(among: str | tuple[str, ...], known: Mapping[str, bool]) -> Collection[str]:
    """The systems whose outputs may serve as references."""
    if among == "all":
        return known
    if among == "human":
        people = [name for name, human in known.items() if human]
        if not people:
            raise EvaluatorError(
                'references among human texts, and the data has none. Mark them with "human": true, or name the '
                'systems: among=("...",).'
            )
        return people
    names = (among,) if isinstance(among, str) else among
    for name in names:
        if name not in known:
            raise EvaluatorError(f"no system {name!r} to take references from.{did_you_mean(name, list(known))}")
    return names


def _filled(groups: Ragged, values: NDArray[np.int64]) -> Ragged:
    """Fill empty rows with one value each."""
    lengths = np.maximum(groups.lengths, 1)
    filled = np.repeat(values, lengths)
    filled[np.repeat(groups.lengths > 0, lengths)] = groups.values
    return Ragged(filled, running_offsets(lengths))


def _nearest_by_words(texts: Strings, pool: Strings, k: int, tokenizer: str) -> NDArray[np.int64]:
    both = Strings.concatenate([texts, pool])
    tokens = tokenize(both, tokenizer)
    n_types = len(tokens.vocabulary)
    # Numbered by spelling, so that sums over the words of a text do not depend on the other texts.
    place = np.empty(n_types, np.int32)
    place[np.argsort(tokens.vocabulary.keys(), kind="stable")] = np.arange(n_types, dtype=np.int32)
    counted = count_ngrams(place[tokens.ids], tokens.offsets)
    rows = np.arange(len(texts), len(both))
    weights = tfidf_weights(counted, np.arange(len(both)) >= len(texts), n_types)
    found = most_similar(counted[0], weights, counted[2], n_types, rows, both.codes(), k, len(texts))
    return np.where(found >= 0, found - len(texts), -1)


def _nearest_by_vectors(texts: Strings, pool: Strings, k: int, model: str) -> NDArray[np.int64]:
    both = Strings.concatenate([texts, pool])
    codes = both.codes()
    vectors = load_encoder(model).embed(both.to_list()).astype(np.float64)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    places = np.full((len(texts), k), -1, np.int64)
    for start in range(0, len(texts), ROWS_AT_ONCE):
        rows = slice(start, min(start + ROWS_AT_ONCE, len(texts)))
        # The last bits of a product of matrices depend on their shapes, and would break ties.
        similarity = np.round(vectors[rows] @ vectors[len(texts) :].T, DECIMALS)
        similarity[codes[rows, None] == codes[len(texts) :]] = -np.inf
        order = np.argsort(-similarity, axis=1, kind="stable")[:, :k]
        usable = np.isfinite(np.take_along_axis(similarity, order, axis=1))
        places[rows, : order.shape[1]] = np.where(usable, order, -1)
    return places
