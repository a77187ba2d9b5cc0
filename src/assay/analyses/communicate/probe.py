"""The word-shuffle probe: how far does a listener's score fall when the words of every output are shuffled?"""

from __future__ import annotations

from dataclasses import replace
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from assay.analyses.communicate.heard import mean_over_items
from assay.metaeval.estimate import Estimate
from assay.records import Dataset
from assay.scores import Column
from assay.text.strings import Strings


def with_shuffled_words(dataset: Dataset, seed: int) -> Dataset:
    """The data with the words of every output in random order, by a stream of the text and the seed."""
    texts = [_shuffled(text, seed) for text in dataset.outputs.text]
    return replace(dataset, outputs=replace(dataset.outputs, text=Strings.of(texts)))


def _shuffled(text: str, seed: int) -> str:
    words = text.split()
    own = int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little")
    return " ".join(words[place] for place in np.random.default_rng([seed, own]).permutation(len(words)))


def fall(before: Column, after: Column, item: NDArray[np.int64], confidence: float) -> Estimate:
    """The mean score of the outputs as they are minus shuffled, with Student's t over items."""
    difference = before.values - after.values
    known = ~np.isnan(difference)
    if not known.any():
        return Estimate.undefined(0, "no output has a score both ways")
    return mean_over_items(difference[known], item[known], float(abs(before.values[known]).max()), confidence)
