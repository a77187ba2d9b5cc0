"""Cross-encoders from a local model folder: two texts in, one number out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.backends.embeddings import ROWS
from assay.backends.loading import load_network, load_tokenizer
from assay.errors import DataError
from assay.io.model_folders import model_folder


@cache
def load_cross_encoder(model: str) -> CrossEncoder:
    """Return the cross-encoder of a folder, cached per process."""
    return CrossEncoder(model)


class CrossEncoder:
    """A sequence classification model with a single output, passed through a sigmoid."""

    def __init__(self, model: str) -> None:
        folder = model_folder(model)
        self.tokenizer: Any = load_tokenizer(folder)
        self.network: Any = load_network("AutoModelForSequenceClassification", folder)
        if self.network.config.num_labels != 1:
            raise DataError(
                f"{model}: a cross-encoder for similarity has one output, but this model has "
                f"{self.network.config.num_labels}. Use a model trained for semantic textual similarity."
            )
        self.limit = int(min(self.tokenizer.model_max_length, self.network.config.max_position_embeddings))

    def score(self, left: Sequence[str], right: Sequence[str]) -> NDArray[np.float64]:
        """Return a score from 0 to 1 for each pair; long texts are truncated. Batches are sorted by length."""
        import torch

        values = np.zeros(len(left))
        order = np.argsort([len(a) + len(b) for a, b in zip(left, right, strict=True)], kind="stable")
        for start in range(0, len(order), ROWS):
            part = order[start : start + ROWS]
            tokens = self.tokenizer(
                [left[i] for i in part],
                [right[i] for i in part],
                padding=True,
                truncation="longest_first",
                max_length=self.limit,
                return_tensors="pt",
            )
            with torch.inference_mode():
                values[part] = torch.sigmoid(self.network(**tokens).logits[:, 0]).double().numpy()
        return values
