"""How long a text is: the baseline every quality estimate must beat."""

import numpy as np
from numpy.typing import NDArray

from assay.batch import Batch
from assay.evaluator import Shape, batched, evaluator
from assay.text.tokenizers import check_tokenizer


@evaluator(higher_is_better=None, scale="tokens, at least 0", stored=False)
def length(*, tokenizer: str = "whitespace") -> Shape:
    """Number of tokens of the text."""
    check_tokenizer(tokenizer)

    def score(batch: Batch) -> NDArray[np.float64]:
        lengths = np.diff(batch.tokens(tokenizer).offsets)
        return lengths[batch.candidates].astype(np.float64)

    return batched(score, reads=("text",))
