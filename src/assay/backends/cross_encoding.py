"""Cross-encoders from a local model folder: two texts in, one number out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.backends.embeddings import ROWS, STEP
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
        """Return a score from 0 to 1 for each pair; long texts are truncated."""
        import torch

        values = np.zeros(len(left))
        for members, tokens in self._batches(left, right):
            with torch.inference_mode():
                logits = self.network(**tokens).logits[: len(members), 0]
            # In double precision: how a vector of floats is rounded may depend on its length.
            values[members] = torch.sigmoid(logits.double()).numpy()
        return values

    def _batches(self, left: Sequence[str], right: Sequence[str]) -> Iterator[tuple[NDArray[np.int64], Any]]:
        """Yield the numbers of some pairs, and always ROWS rows of tokens; see `assay.backends.embeddings`."""
        if not len(left):
            return
        encoded = self.tokenizer(list(left), list(right), truncation="longest_first", max_length=self.limit)
        lengths = np.array([len(ids) for ids in encoded["input_ids"]], np.int64)
        widths = np.minimum(-(-lengths // STEP) * STEP, self.limit)
        for width in np.unique(widths).tolist():
            group = np.flatnonzero(widths == width)
            for start in range(0, len(group), ROWS):
                members = group[start : start + ROWS]
                rows = {key: [encoded[key][i] for i in np.resize(members, ROWS)] for key in encoded}
                yield members, self.tokenizer.pad(rows, padding="max_length", max_length=width, return_tensors="pt")
