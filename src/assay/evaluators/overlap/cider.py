"""CIDEr and CIDEr-D (Vedantam et al. 2015)."""

from collections.abc import Iterator
from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assay.batch import Batch, TextBank
from assay.errors import EvaluatorError
from assay.evaluator import Scored, Shape, batched, counted, evaluator
from assay.io.documents import load_documents, named_documents
from assay.kernels.overlap.cider import document_frequencies, tfidf_similarities
from assay.kernels.overlap.key_counts import KeyCounts, KeyedNGrams, mixed
from assay.kernels.ragged import Ragged
from assay.references import References, given
from assay.scores import Gaps
from assay.text.tokenizers import check_tokenizer
from assay.text.tokens import Tokens

SIGMA = 6.0
POOLED = np.uint64(0x243F6A8885A308D3)  # any constant: what the keys of documents of all systems share
ONE_DOCUMENT = "CIDEr needs the references of two units to weigh words"


@evaluator(needs=("references",), scale="0 to 10", cite="Vedantam et al. 2015")
def cider(
    *,
    variant: Literal["d", "plain"] = "d",
    max_order: int = 4,
    sigma: float = SIGMA,
    documents: str = "pooled",
    tokenizer: str = "whitespace",
    lowercase: bool = False,
    references: References = given(),  # noqa: B008 (a value, never changed)
) -> Shape:
    """Similarity of tf-idf weighted n-grams to the references: words in many references count little.

    10 times the mean over orders and references of the cosine of count * log(documents / document frequency).
    CIDEr-D (`variant='d'`, what COCO reports as CIDEr) clips counts at the reference's and multiplies by
    exp(-(difference in length)^2 / (2 sigma^2)). A document is the references of one unit: of all units
    (`documents='pooled'`), of the units of the same system (`'system'`), or of the items of a given data file.
    """
    if max_order < 1 or sigma <= 0:
        raise EvaluatorError("cider needs max_order of at least 1 and sigma above 0.")
    if variant == "plain" and sigma != SIGMA:
        raise EvaluatorError("cider(variant='plain') has no sigma: leave it out, or take variant='d'.")
    check_tokenizer(tokenizer)
    prepared = f"lower+{tokenizer}" if lowercase else tokenizer
    named = documents if documents in ("pooled", "system") else named_documents(documents)

    by_system = named == "system"

    def count(batch: Batch) -> KeyCounts:
        orders = batch.keyed_ngrams(prepared, max_order)
        return KeyCounts.total(
            _documents(orders, batch.references.take(g), salt) for salt, g in _groups(batch, by_system)
        )

    def score(batch: Batch, counts: KeyCounts) -> Scored:
        values = np.full(len(batch), np.nan)
        tokens = batch.tokens(prepared)
        orders = batch.keyed_ngrams(prepared, max_order)
        for salt, group in _groups(batch, by_system):
            references = batch.references.take(group)
            values[group] = _cider(
                tokens, orders, batch.candidates[group], references, counts, salt, sigma if variant == "d" else None
            )
        return Scored(values, Gaps.where(len(batch), {ONE_DOCUMENT: np.isnan(values)}))

    if named in ("pooled", "system"):
        return counted(count, score, settled={"documents": named})

    @cache
    def of_file() -> KeyCounts:
        corpus = load_documents(named)
        return _documents(TextBank.of(corpus.texts).keyed_ngrams(prepared, max_order), corpus.numbers, POOLED)

    return batched(lambda batch: score(batch, of_file()), settled={"documents": named})


def _groups(batch: Batch, by_system: bool) -> Iterator[tuple[np.uint64, NDArray[np.int64]]]:
    """The units that share documents, and what tells their keys from those of others."""
    if not by_system:
        yield POOLED, np.arange(len(batch))
        return
    codes, names = batch.units.system_ids.take(batch.rows).factorize()
    for code, salt in enumerate(mixed(names.keys()).tolist()):
        yield np.uint64(salt), np.flatnonzero(codes == code)


def _documents(orders: list[KeyedNGrams], documents: Ragged, salt: np.uint64) -> KeyCounts:
    """In how many documents each n-gram is; under the salt itself, how many there are."""
    keys, found = [np.array([salt])], [np.array([len(documents)])]
    for order in orders:
        places = documents.values, documents.offsets
        frequencies = document_frequencies(order.numbers, order.offsets, *places, len(order.keys))
        met = np.flatnonzero(frequencies)
        keys.append(order.keys[met] ^ salt)
        found.append(frequencies[met])
    return KeyCounts.of(np.concatenate(keys), np.concatenate(found))


def _cider(
    tokens: Tokens,
    orders: list[KeyedNGrams],
    candidates: NDArray[np.int64],
    references: Ragged,
    counts: KeyCounts,
    salt: np.uint64,
    sigma: float | None,
) -> NDArray[np.float64]:
    """The score of each candidate, NaN with fewer than two documents; sigma for CIDEr-D."""
    n_documents = int(counts[np.array([salt])][0])
    if n_documents < 2 or not len(candidates):
        return np.full(len(candidates), np.nan)
    similarity = np.zeros(len(references.values))
    for order in orders:
        counted_ngrams = order.numbers, order.counts, order.offsets
        # An n-gram in no document is weighted as if in one.
        weights = np.log(n_documents) - np.log(np.maximum(counts[order.keys ^ salt], 1))
        similarity += tfidf_similarities(
            *counted_ngrams, weights, candidates, references.values, references.offsets, sigma is not None
        )
    if sigma is not None:
        # The COCO code measures length in bigrams.
        n_bigrams = np.maximum(tokens.lengths - 1, 0)
        gap = n_bigrams[candidates][references.row_of] - n_bigrams[references.values]
        similarity *= np.exp(-(gap**2) / (2 * sigma**2))
    means = np.add.reduceat(similarity, references.offsets[:-1]) / references.lengths
    return np.asarray(10 / len(orders) * means)
