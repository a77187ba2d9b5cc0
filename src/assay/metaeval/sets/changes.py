"""Perturbations of response sets with a known effect on diversity, to see what a metric reacts to."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from assay.records import Dataset
from assay.text.strings import Strings

Change = Callable[[Dataset, np.random.Generator], Dataset]
PUNCTUATION = re.compile(r"[^\w\s]")


def half_the_responses(dataset: Dataset, rng: np.random.Generator) -> Dataset:
    """Keep the first half of each set, at least two: does the number of responses matter by itself?"""
    by_set = dataset.outputs_by_set
    selected = np.zeros(len(dataset.outputs), bool)
    place = np.arange(len(by_set.values)) - by_set.offsets[:-1][by_set.row_of]
    size = np.maximum(2, (by_set.lengths + 1) // 2)[by_set.row_of]
    selected[by_set.values] = place < size
    return dataset.select(selected)


def copied_responses(dataset: Dataset, rng: np.random.Generator) -> Dataset:
    """Replace the second half of each set by copies of the first: diversity falls."""
    texts = dataset.outputs.text.to_list()
    by_set = dataset.outputs_by_set
    for s in range(len(by_set)):
        outputs = by_set[s]
        half = (len(outputs) + 1) // 2
        for at in range(half, len(outputs)):
            texts[outputs[at]] = texts[outputs[at - half]]
    return _with(dataset, texts)


def half_of_each_text(dataset: Dataset, rng: np.random.Generator) -> Dataset:
    """Cut every text after half of its words."""

    def cut(text: str) -> str:
        words = text.split()
        return " ".join(words[: max(1, (len(words) + 1) // 2)])

    return _with(dataset, [cut(text) for text in dataset.outputs.text])


def shuffled_words(dataset: Dataset, rng: np.random.Generator) -> Dataset:
    """Shuffle the words of every text: the content stays, the form is destroyed."""
    return _with(dataset, [" ".join(rng.permutation(text.split()).tolist()) for text in dataset.outputs.text])


def other_case(dataset: Dataset, rng: np.random.Generator) -> Dataset:
    """Write half of the texts, drawn at random, in capitals: the content stays."""
    loud = rng.random(len(dataset.outputs)) < 0.5
    return _with(dataset, [t.upper() if up else t for t, up in zip(dataset.outputs.text, loud, strict=True)])


def no_punctuation(dataset: Dataset, rng: np.random.Generator) -> Dataset:
    """Delete the punctuation of half of the texts, drawn at random: the content stays."""
    bare = rng.random(len(dataset.outputs)) < 0.5
    texts = zip(dataset.outputs.text, bare, strict=True)
    return _with(dataset, [PUNCTUATION.sub("", text) if strip else text for text, strip in texts])


CHANGES: dict[str, tuple[Change, str]] = {
    "copied responses": (copied_responses, "lower"),
    "half the responses": (half_the_responses, "none"),
    "half of each text": (half_of_each_text, "any"),
    "shuffled words": (shuffled_words, "none for content"),
    "other case": (other_case, "none"),
    "no punctuation": (no_punctuation, "none"),
}
"""Each change with the effect it should have on diversity."""


def _with(dataset: Dataset, texts: list[str]) -> Dataset:
    return replace(dataset, outputs=replace(dataset.outputs, text=Strings.of(texts)))
