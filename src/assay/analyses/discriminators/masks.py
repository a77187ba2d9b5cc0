"""Texts without what gives them away and is not quality."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from assay.evaluators.discriminators.surface import DIGITS, MARKS, PUNCTUATION
from assay.records import Dataset
from assay.text.strings import Strings

PERCENTILE = 10
Mask = Callable[[str], str]


def masks(data: Dataset) -> dict[str, Mask]:
    """A function of a text for each thing to hide; texts are cut where the shortest tenth of them ends."""
    lengths = [len(text.split()) for text in data.outputs.text]
    longest = max(3, int(np.percentile(lengths, PERCENTILE)))
    each: dict[str, Mask] = {
        "marks": lambda text: MARKS.sub(" ", text),
        "casing": str.lower,
        "punctuation": lambda text: PUNCTUATION.sub(" ", text),
        "digits": lambda text: DIGITS.sub("0", text),
        "length": lambda text: " ".join(text.split()[:longest]),
    }

    def everything(text: str) -> str:
        for mask in each.values():
            text = mask(text)
        return text

    return {**each, "all of these": everything}


def masked(data: Dataset, mask: Mask) -> Dataset:
    """The data with every output masked, its spaces evened out."""
    texts = Strings.of([" ".join(mask(text).split()) for text in data.outputs.text])
    return replace(data, outputs=replace(data.outputs, text=texts))
