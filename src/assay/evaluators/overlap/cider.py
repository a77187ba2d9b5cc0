"""CIDEr and CIDEr-D (Vedantam et al. 2015)."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assay.batch import Batch
from assay.errors import EvaluatorError
from assay.evaluator import Scored, Shape, batched, evaluator
from assay.io.documents import load_documents, named_documents
from assay.kernels.overlap.cider import document_frequencies, tfidf_similarities
from assay.kernels.overlap.ngrams import count_ngrams, ngram_ids
from assay.kernels.ragged import Ragged
from assay.references import References, given
from assay.scores import Gaps
from assay.text.strings import Strings
from assay.text.tokenizers import check_tokenizer, tokenize
from assay.text.tokens import Tokens

SIGMA = 6.0
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

    def score(batch: Batch) -> Scored:
        values = np.full(len(batch), np.nan)
        if named in ("pooled", "system"):
            tokens = batch.tokens(prepared)
            for group in _groups(batch, by_system=named == "system"):
                sets = batch.references.take(group)
                values[group] = _cider(tokens, batch.candidates[group], sets, sets, variant, max_order, sigma)
        else:
            corpus = load_documents(named)
            tokens = tokenize(Strings.concatenate([batch.texts, corpus.texts]), prepared)
            shifted = Ragged(corpus.numbers.values + len(batch.texts), corpus.offsets)
            values = _cider(tokens, batch.candidates, batch.references, shifted, variant, max_order, sigma)
        return Scored(values, Gaps.where(len(batch), {ONE_DOCUMENT: np.isnan(values)}))

    return batched(score, whole=True, settled={"documents": named})


def _groups(batch: Batch, by_system: bool) -> list[NDArray[np.int64]]:
    if not by_system:
        return [np.arange(len(batch))]
    systems = batch.units.system[batch.rows]
    return [np.flatnonzero(systems == system) for system in np.unique(systems)]


def _cider(
    tokens: Tokens,
    candidates: NDArray[np.int64],
    references: Ragged,
    documents: Ragged,
    variant: str,
    max_order: int,
    sigma: float,
) -> NDArray[np.float64]:
    """The score of each candidate, NaN with fewer than two documents."""
    if len(documents) < 2 or not len(candidates):
        return np.full(len(candidates), np.nan)
    grams, sizes = ngram_ids(tokens.ids, tokens.offsets, max_order)
    similarity = np.zeros(len(references.values))
    for order in range(max_order):
        counted = count_ngrams(grams[order], tokens.offsets)
        numbers, _, count_offsets = counted
        frequencies = document_frequencies(
            numbers, count_offsets, documents.values, documents.offsets, int(sizes[order])
        )
        # An n-gram in no document is weighted as if in one.
        weights = np.log(len(documents)) - np.log(np.maximum(frequencies, 1))
        similarity += tfidf_similarities(
            *counted, weights, candidates, references.values, references.offsets, variant == "d"
        )
    if variant == "d":
        # The COCO code measures length in bigrams.
        n_bigrams = np.maximum(tokens.lengths - 1, 0)
        gap = n_bigrams[candidates][references.row_of] - n_bigrams[references.values]
        similarity *= np.exp(-(gap**2) / (2 * sigma**2))
    means = np.add.reduceat(similarity, references.offsets[:-1]) / references.lengths
    return np.asarray(10 / max_order * means)
