"""Token vectors for BERTScore (Zhang et al. 2020) from any model folder, with torch and transformers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from assay.backends.embeddings import load_encoder


def token_vectors(
    texts: Sequence[str], model: str = "minilm", layer: int = -1
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64]]:
    """Return unit vectors of all tokens, the offsets of the texts, and the weight of each token.

    As in the authors' code, the special tokens at both ends of a text can be matched but have weight 0.
    """
    states, offsets = load_encoder(model).token_states(texts, layer)
    vectors = states.astype(np.float64)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    weights = np.ones(len(vectors))
    not_empty = offsets[1:] > offsets[:-1]
    weights[offsets[:-1][not_empty]] = 0.0
    weights[offsets[1:][not_empty] - 1] = 0.0
    return vectors, offsets, weights
