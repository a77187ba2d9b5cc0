"""Cross-encoders: one model reads both texts (an STS or paraphrase model from a local folder)."""

import numpy as np
from numpy.typing import NDArray

from assay.backends.cross_encoding import load_cross_encoder
from assay.evaluator import Shape, batched, evaluator
from assay.evaluators.neural.text_pairs import best_reference
from assay.io.model_folders import ModelName
from assay.references import References, given


@evaluator(needs=("references",), scale="0 to 1", cite="Reimers and Gurevych 2019")
def cross_encoder(
    model: ModelName,
    *,
    references: References = given(),  # noqa: B008 (a value, never changed)
) -> Shape:
    """Similarity to the best reference by a model with one output, through a sigmoid."""

    def pairs(texts: list[str], left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.float64]:
        return load_cross_encoder(model).score([texts[i] for i in left], [texts[j] for j in right])

    return batched(lambda batch: best_reference(batch, pairs), reads=("text", "references"))
