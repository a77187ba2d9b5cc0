"""BERTScore (Zhang et al. 2020): each token is matched with the most similar one of the other text."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assay.backends.bertscore import token_vectors
from assay.evaluator import Shape, batched, evaluator
from assay.evaluators.neural.text_pairs import best_reference
from assay.io.model_folders import ModelName
from assay.kernels.overlap.token_match import greedy_matches
from assay.references import References, given


@evaluator(needs=("references",), scale="-1 to 1, usually 0 to 1", cite="Zhang et al. 2020")
def bert_score(
    *,
    model: ModelName = "minilm",
    layer: int = -1,
    part: Literal["f1", "precision", "recall"] = "f1",
    references: References = given(),  # noqa: B008 (a value, never changed)
) -> Shape:
    """Greedy match of token embeddings with the best reference; no idf weights, no rescaling.

    The special tokens at both ends can be matched but have no weight, as in the authors' code.
    """

    def pairs(texts: list[str], left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.float64]:
        states, bounds, weights = token_vectors(texts, model, layer)
        precision, recall = greedy_matches(states, bounds, weights, left, right)
        if part == "f1":
            with np.errstate(invalid="ignore"):
                return np.asarray(2 * precision * recall / (precision + recall))
        return precision if part == "precision" else recall

    return batched(lambda batch: best_reference(batch, pairs), reads=("text", "references"))
