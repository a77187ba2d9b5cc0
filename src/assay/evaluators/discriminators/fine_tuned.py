"""A pretrained encoder, fine-tuned to tell human texts from generated ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.errors import EvaluatorError
from assay.evaluator import Shape, State, evaluator
from assay.evaluators.discriminators.discriminator import discriminator
from assay.evaluators.discriminators.learner import Settings
from assay.evaluators.discriminators.network import Network
from assay.evaluators.discriminators.sequences import Pieces
from assay.io.model_folders import ModelName


@evaluator(scale="probability that a human wrote the text")
def fine_tuned(
    *, encoder: ModelName = "minilm", layers: int = 2, max_tokens: int = 128, epochs: int = 3, search: int = 1
) -> Shape:
    """A pretrained encoder whose upper layers are fine-tuned: the probability that a human wrote the text."""
    if layers < 1:
        raise EvaluatorError(f"layers must be 1 or more, not {layers}: those from the top are tuned.")
    if max_tokens < 3:
        raise EvaluatorError(f"max_tokens must be 3 or more, not {max_tokens}: two are the marks of both ends.")

    def drawn(rng: np.random.Generator) -> Settings:
        return {"dropout": float(rng.uniform(0.0, 0.4)), "rate": float(10 ** rng.uniform(-4.3, -3.3))}

    def shape(settings: Settings, known: State) -> Mapping[str, Any]:
        return {"encoder": encoder, "layers": layers, "dropout": settings["dropout"]}

    network = Network("fine_tuned", {"dropout": 0.1, "rate": 2e-4}, drawn, shape, epochs)
    return discriminator(Pieces(encoder, max_tokens), network, search)
