"""chrF and chrF++ (Popovic 2015, 2017), equal to sacrebleu's."""

import numpy as np
from numpy.typing import NDArray

from assay.batch import Batch
from assay.errors import EvaluatorError
from assay.evaluator import Shape, additive, evaluator
from assay.kernels.overlap.best import first_best
from assay.kernels.overlap.chrf import chrf_scores, chrf_statistics
from assay.kernels.overlap.shared_ngrams import shared_ngrams
from assay.references import References, given


@evaluator(needs=("references",), scale="0 to 100", cite="Popovic 2015; Popovic 2017")
def chrf(
    *,
    char_order: int = 6,
    word_order: int = 0,
    beta: float = 2.0,
    lowercase: bool = False,
    whitespace: bool = False,
    eps_smoothing: bool = False,
    references: References = given(),  # noqa: B008 (a value, never changed)
) -> Shape:
    """F-score of character n-grams against the best reference; with word_order=2 chrF++.

    F = (1 + b^2) P R / (b^2 P + R) with P and R averaged over the orders that both texts have. White space is
    dropped unless `whitespace`. A system's score comes from the summed counts of the best references.
    """
    if char_order < 1 or word_order < 0:
        raise EvaluatorError("chrf needs char_order of at least 1 and word_order of at least 0.")
    first = "lower+" if lowercase else ""
    characters, words = f"{first}{'chars' if whitespace else 'letters'}", f"{first}chrf"

    def statistics(batch: Batch) -> NDArray[np.float64]:
        counts = [_pair_statistics(batch, characters, char_order)]
        if word_order:
            counts.append(_pair_statistics(batch, words, word_order))
        pairs = np.concatenate(counts, axis=1).astype(np.float64)
        return pairs[first_best(finish(pairs), batch.references.offsets)]

    def finish(counts: NDArray[np.float64]) -> NDArray[np.float64]:
        return chrf_scores(counts, beta, eps_smoothing)

    return additive(statistics, finish, reads=("text", "references"))


def _pair_statistics(batch: Batch, tokenizer: str, max_order: int) -> NDArray[np.int64]:
    tokens, references = batch.tokens(tokenizer), batch.references
    matches = shared_ngrams(
        tokens.ids, tokens.offsets, max_order, batch.candidates, references.values, references.offsets
    )
    lengths = tokens.lengths
    return chrf_statistics(matches, lengths[batch.candidates][references.row_of], lengths[references.values])
