"""MTLD: lexical diversity that does not fall with length (McCarthy and Jarvis 2010)."""

import numpy as np

from assay.batch import Batch
from assay.errors import EvaluatorError
from assay.evaluator import Scored, Shape, evaluator
from assay.evaluators.diversity.cautions import POOLED
from assay.evaluators.response_sets import of_sets
from assay.kernels.overlap.diversity import lexical_diversity
from assay.scores import Gaps
from assay.text.tokenizers import check_tokenizer


@evaluator(units=("set", "system"), scale="tokens, at least 1", cite="McCarthy and Jarvis 2010", cautions=POOLED)
def mtld(*, threshold: float = 0.72, tokenizer: str = "lower+whitespace") -> Shape:
    """Tokens it takes until the type-token ratio falls to `threshold`, over the concatenated texts.

    The mean of a forward and a backward pass. Without repeated tokens it is the number of tokens.
    """
    check_tokenizer(tokenizer)
    if not 0 < threshold < 1:
        raise EvaluatorError(f"mtld: threshold is a ratio between 0 and 1, not {threshold}.")

    def score(batch: Batch) -> Scored:
        tokens = batch.tokens(tokenizer)
        n_types = int(tokens.ids.max(initial=-1)) + 1
        values = lexical_diversity(
            tokens.ids, n_types, tokens.offsets, batch.members.values, batch.members.offsets, threshold
        )
        return Scored(values, Gaps.where(len(batch), {"no tokens": np.isnan(values)}))

    return of_sets(score)
