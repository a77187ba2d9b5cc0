"""Embedding diversity with the context removed: what responses say beyond their context."""

import numpy as np
from numpy.typing import NDArray

from assay.batch import Batch
from assay.errors import EvaluatorError
from assay.evaluator import Scored, Shape, evaluator
from assay.evaluators.diversity.vectors import context_vectors, member_vectors
from assay.evaluators.response_sets import of_sets
from assay.io.model_folders import ModelName
from assay.kernels.points.dispersion import mean_pair_cosine, without_direction
from assay.scores import Gaps

LEAST = 0.5
"""The share of a response's embedding that must remain without the context; few real responses have less."""


@evaluator(units=("set",), needs=("context",), scale="-1 (identical) to 1")
def content_diversity(*, model: ModelName = "minilm", least: float = LEAST) -> Shape:
    """Minus the mean cosine over pairs after the context's direction is removed from each embedding.

    Responses to one context share its topic, and a sentence encoder sees little else. The projection on the context's
    embedding is subtracted from each response's. If at least `least` of its length remains, the rest is normalized; a
    response with less says hardly more than the context, and is the more similar to others of that kind the less
    remains. `least=0` normalizes every rest.
    """
    if not 0 <= least <= 1:
        raise EvaluatorError(f"content_diversity: least is a share between 0 and 1, not {least}.")

    def score(batch: Batch) -> Scored:
        vectors = member_vectors(model, batch).astype(np.float64)
        contexts = context_vectors(model, batch).astype(np.float64)
        no_context = batch.dataset.items.context.lengths[batch.units.item[batch.rows]] == 0
        reasons = {"one response has no pairs": batch.members.lengths < 2, "no context": no_context}
        return Scored(content_spread(batch, vectors, contexts, least), Gaps.where(len(batch), reasons))

    return of_sets(score, reads=("text", "context"))


def content_spread(
    batch: Batch, vectors: NDArray[np.float64], contexts: NDArray[np.float64], least: float
) -> NDArray[np.float64]:
    """Minus the mean pair cosine of each set's vectors, their context's direction removed."""
    offsets = batch.members.offsets
    spreads = [
        -mean_pair_cosine(without_direction(vectors[offsets[s] : offsets[s + 1]], contexts[s], least))
        for s in range(len(batch))
    ]
    return np.array(spreads, np.float64)
