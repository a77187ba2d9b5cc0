"""Retrieved references: the other outputs of an item, or the nearest texts of a pool."""

from __future__ import annotations

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
from assay.references import ReferenceFactory, Resolve, others_of_item
from assay.text.tokenizers import check_tokenizer, tokenize

WORDS = "tfidf"
TOKENIZER = "lower+13a"
ROWS_AT_ONCE = 1024

By = Annotated[str, lambda by: by if by == WORDS else named_by_content(by)]


@ReferenceFactory
def others(*, among: str | tuple[str, ...] = "all", alone: Literal["gap", "itself"] = "gap") -> Resolve:
    """The other outputs of the same item, including those with the same text.

    `among` is 'all', 'human', or the systems to take references from. An output without others is a gap; with
    `alone='itself'` it is its own reference, as in some published numbers.
    """

    def resolve(dataset: Dataset) -> Ragged:
        references = others_of_item(dataset, _allowed(dataset, among))
        return _filled(references, np.arange(len(references))) if alone == "itself" else references

    return resolve


@ReferenceFactory
def nearest(
    *, k: int = 10, among: str | tuple[str, ...] = "human", by: By = WORDS, tokenizer: str = TOKENIZER
) -> Resolve:
    """The k outputs most similar to a text; the text itself and its duplicates are left out.

    `among` is 'all', 'human', or the systems to take references from. `by` is 'tfidf', the cosine of tf-idf weighted
    words (document frequencies over the pool), or an embedding model by short name or folder.
    """
    if k < 1:
        raise EvaluatorError(f"the parameter 'k' of nearest must be at least 1. Got {k} instead.")
    check_tokenizer(tokenizer)
    if by != WORDS and tokenizer != TOKENIZER:
        raise EvaluatorError("nearest by an embedding model has no tokenizer: leave it out, or take by='tfidf'.")

    def resolve(dataset: Dataset) -> Ragged:
        pool = np.flatnonzero(_allowed(dataset, among))
        codes = dataset.outputs.text.factorize()[0]
        if by == WORDS:
            outputs = _nearest_by_words(dataset, pool, codes, k, tokenizer)
        else:
            outputs = _nearest_by_vectors(dataset, pool, codes, k, by)
        return Ragged(outputs[outputs >= 0], running_offsets((outputs >= 0).sum(axis=1)))

    return resolve


def _allowed(dataset: Dataset, among: str | tuple[str, ...]) -> NDArray[np.bool_]:
    """Whether each output may serve as a reference."""
    if among == "all":
        return np.ones(len(dataset.outputs), bool)
    if among == "human":
        if not dataset.human.any():
            raise EvaluatorError(
                'references among human texts, and the data has none. Mark them with "human": true, or name the '
                'systems: among=("...",).'
            )
        return dataset.human
    names = (among,) if isinstance(among, str) else among
    systems = dataset.systems.id.to_list()
    for name in names:
        if name not in systems:
            raise EvaluatorError(f"no system {name!r} to take references from.{did_you_mean(name, systems)}")
    return np.isin(dataset.outputs.system, [systems.index(name) for name in names])


def _filled(groups: Ragged, values: NDArray[np.int64]) -> Ragged:
    """Fill empty rows with one value each."""
    lengths = np.maximum(groups.lengths, 1)
    filled = np.repeat(values, lengths)
    filled[np.repeat(groups.lengths > 0, lengths)] = groups.values
    return Ragged(filled, running_offsets(lengths))


def _nearest_by_words(
    dataset: Dataset, pool: NDArray[np.int64], codes: NDArray[np.int32], k: int, tokenizer: str
) -> NDArray[np.int64]:
    tokens = tokenize(dataset.outputs.text, tokenizer)
    counted = count_ngrams(tokens.ids, tokens.offsets)
    n_types = len(tokens.vocabulary)
    documents = np.zeros(len(tokens), bool)
    documents[pool] = True
    weights = tfidf_weights(counted, documents, n_types)
    return most_similar(counted[0], weights, counted[2], n_types, pool, codes, k)


def _nearest_by_vectors(
    dataset: Dataset, pool: NDArray[np.int64], codes: NDArray[np.int32], k: int, model: str
) -> NDArray[np.int64]:
    vectors = load_encoder(model).embed(dataset.outputs.text.to_list()).astype(np.float64)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    nearest_outputs = np.full((len(vectors), k), -1, np.int64)
    for start in range(0, len(vectors), ROWS_AT_ONCE):
        rows = slice(start, start + ROWS_AT_ONCE)
        similarity = vectors[rows] @ vectors[pool].T
        similarity[codes[rows, None] == codes[pool]] = -np.inf
        order = np.argsort(-similarity, axis=1, kind="stable")[:, :k]
        usable = np.isfinite(np.take_along_axis(similarity, order, axis=1))
        nearest_outputs[rows, : order.shape[1]] = np.where(usable, pool[order], -1)
    return nearest_outputs
