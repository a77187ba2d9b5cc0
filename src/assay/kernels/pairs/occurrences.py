"""N-gram occurrences as features: an n-gram together with its rank among the equal n-grams of its text.

The second "of the" of a text is a different feature from the first, so the clipped match count of two texts, the sum
over n-grams of the smaller count, is the size of the intersection of their feature sets.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import jit
from assay.kernels.overlap.ngrams import ngram_ids


class Occurrences(NamedTuple):
    """Features of many texts for several n-gram orders, in one numbering.

    `features[starts[k, i]:starts[k, i + 1]]` are those of text i for the k-th order, each once.
    """

    features: NDArray[np.int32]
    starts: NDArray[np.int64]
    n_features: int

    @property
    def n_texts(self) -> int:
        """Number of texts."""
        return int(self.starts.shape[1]) - 1

    def slice(self, start: int, stop: int) -> Occurrences:
        """Return texts start to stop as a view with the same numbering."""
        return Occurrences(self.features, self.starts[:, start : stop + 1], self.n_features)


class Postings(NamedTuple):
    """Inverted index: feature f occurs in `texts[offsets[f]:offsets[f + 1]]`, ascending."""

    offsets: NDArray[np.int64]
    texts: NDArray[np.int32]


def occurrences(tokens: NDArray[np.int32], offsets: NDArray[np.int64], orders: Sequence[int]) -> Occurrences:
    """Number the (n-gram, rank) features of all texts; row k of the result is for `orders[k]`."""
    lengths = np.diff(offsets)
    counts = np.stack([np.maximum(lengths - order + 1, 0) for order in orders])
    starts = np.zeros((len(orders), len(lengths) + 1), np.int64)
    np.cumsum(counts, axis=1, out=starts[:, 1:])
    starts[1:] += np.cumsum(starts[:-1, -1])[:, None]
    features = np.empty(int(starts[-1, -1]), np.int32)
    ngrams, sizes = ngram_ids(tokens, offsets, max(orders))
    n_features = 0
    for order, start in zip(orders, starts[:, 0], strict=True):
        numbers, n_ngrams = ngrams[order - 1], int(sizes[order - 1])
        n_features = _rank(numbers, n_ngrams, offsets, order, features, int(start), n_features)
    return Occurrences(features, starts, n_features)


def postings(bank: Occurrences) -> Postings:
    """Build the inverted index of a bank of texts."""
    offsets = _count(bank.features, bank.starts, bank.n_features)
    texts = np.empty(int(offsets[-1]), np.int32)
    _post(bank.features, bank.starts, offsets[:-1].copy(), texts)
    return Postings(offsets, texts)


@jit
def _rank(ngrams: Any, n_ngrams: int, offsets: Any, order: int, features: Any, into: int, first: int) -> int:
    """Write the feature of every n-gram occurrence to `features[into:]`; return the first unused feature number.

    The features of one n-gram form a linked list in rank order, so no second hash table is needed.
    """
    owner = np.full(n_ngrams, -1, np.int32)
    latest = np.empty(n_ngrams, np.int32)
    initial = np.full(n_ngrams, -1, np.int32)
    following = np.full(len(ngrams), -1, np.int32)
    used = 0
    for text in range(len(offsets) - 1):
        for start in range(offsets[text], offsets[text + 1] - order + 1):
            ngram = ngrams[start]
            if owner[ngram] != text:
                owner[ngram] = text
                feature = initial[ngram]
                if feature < 0:
                    feature = used
                    initial[ngram] = used
                    used += 1
            else:
                before = latest[ngram]
                feature = following[before]
                if feature < 0:
                    feature = used
                    following[before] = used
                    used += 1
            latest[ngram] = feature
            features[into] = first + feature
            into += 1
    return first + used


@jit
def _count(features: Any, starts: Any, n_features: int) -> Any:
    offsets = np.zeros(n_features + 1, np.int64)
    for order in range(len(starts)):
        for position in range(starts[order, 0], starts[order, -1]):
            offsets[features[position] + 1] += 1
    for feature in range(n_features):
        offsets[feature + 1] += offsets[feature]
    return offsets


@jit
def _post(features: Any, starts: Any, place: Any, texts: Any) -> None:
    for order in range(len(starts)):
        for text in range(starts.shape[1] - 1):
            for position in range(starts[order, text], starts[order, text + 1]):
                feature = features[position]
                texts[place[feature]] = text
                place[feature] += 1
