"""Embedding diversity with the context removed: what the responses say beyond what they were asked."""

import numpy as np

from assay.batch import Batch
from assay.evaluator import Scored, Shape, batched, evaluator
from assay.evaluators.diversity.vectors import context_vectors, member_vectors
from assay.io.model_folders import ModelName
from assay.kernels.dispersion import mean_pair_cosine, without_direction
from assay.scores import Gaps


@evaluator(units=("set",), needs=("context",), scale="-1 (identical) to 1")
def content_diversity(*, model: ModelName = "minilm") -> Shape:
    """Minus the mean cosine over pairs after the context's direction is removed from each embedding.

    Responses to one context share its topic, and a sentence encoder sees little else. From each response's
    embedding its projection on the context's embedding is subtracted and the rest brought to length one.
    """

    def score(batch: Batch) -> Scored:
        vectors = member_vectors(model, batch).astype(np.float64)
        contexts = context_vectors(model, batch).astype(np.float64)
        offsets = batch.members.offsets
        values = np.array(
            [
                -mean_pair_cosine(without_direction(vectors[offsets[s] : offsets[s + 1]], contexts[s]))
                for s in range(len(batch))
            ]
        )
        silent = batch.dataset.items.context.lengths[batch.units.item[batch.rows]] == 0
        reasons = {"one response has no pairs": batch.members.lengths < 2, "no context": silent}
        return Scored(values, Gaps.where(len(batch), reasons))

    return batched(score)
