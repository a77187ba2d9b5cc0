"""Token F1, SQuAD's partial credit for an answer."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from assay.batch import Batch
from assay.evaluator import Shape, batched, evaluator
from assay.kernels.overlap.shared_ngrams import shared_ngrams
from assay.references import References, given
from assay.text.tokenizers import check_tokenizer


@evaluator(needs=("references",), scale="0 to 1", cite="Rajpurkar et al. 2016")
def token_f1(
    *,
    tokenizer: str = "squad",
    references: References = given(),  # noqa: B008 (a value, never changed)
) -> Shape:
    """Harmonic mean of precision and recall of the words shared with a reference, the best of them.

    F1 = 2 shared / (words of the text + words of the reference); 1 if both have none, as in SQuAD 2.0.
    """
    check_tokenizer(tokenizer)

    def score(batch: Batch) -> NDArray[np.float64]:
        tokens, references = batch.tokens(tokenizer), batch.references
        if not len(batch):
            return np.zeros(0)
        pairs = batch.candidates, references.values, references.offsets
        shared = shared_ngrams(tokens.ids, tokens.offsets, 1, *pairs)[:, -1]
        words = tokens.lengths[batch.candidates][references.row_of] + tokens.lengths[references.values]
        f1 = np.divide(2 * shared, words, out=np.ones(len(words)), where=words > 0)
        best: NDArray[np.float64] = np.maximum.reduceat(f1, references.offsets[:-1])
        return best

    return batched(score, reads=("text", "references"))
