"""Outputs that are copies: of a reference, of the context, or of another system's output for the same item."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from assay.records import Dataset
from assay.text.strings import Strings

Mask = NDArray[np.bool_]


def equal_to_references(dataset: Dataset) -> Mask:
    """Whether each output is one of the references of its item."""
    references, outputs = dataset.items.references, dataset.outputs
    items = np.repeat(np.arange(len(dataset.items)), references.lengths)
    return _given(dataset) & _shared(outputs.text, outputs.item, references.texts, items)


def equal_to_context(dataset: Dataset) -> Mask:
    """Whether each output repeats the context of its item."""
    outputs = dataset.outputs
    return _given(dataset) & _shared(outputs.text, outputs.item, dataset.items.context, np.arange(len(dataset.items)))


def equal_to_another_system(dataset: Dataset) -> Mask:
    """Whether another system, not a human one, has the same text for the item of each output."""
    outputs = dataset.outputs
    codes = outputs.text.codes().astype(np.int64)
    machine = ~dataset.human
    text_of_item = outputs.item * (int(codes.max(initial=0)) + 1) + codes
    _, group = np.unique(text_of_item, return_inverse=True)
    pairs = np.unique(np.stack([group[machine], outputs.system[machine]]), axis=1)
    n_systems = np.bincount(pairs[0], minlength=int(group.max(initial=-1)) + 1)
    return np.asarray(_given(dataset) & machine & (n_systems[group] > 1))


def _given(dataset: Dataset) -> Mask:
    return np.asarray(dataset.outputs.text.lengths > 0)


def _shared(texts: Strings, items: NDArray[np.int64], others: Strings, other_items: NDArray[np.int64]) -> Mask:
    """Whether each text is among the others of the same item."""
    codes = Strings.concatenate([texts, others]).codes().astype(np.int64)
    n = int(codes.max(initial=0)) + 1
    return np.isin(items * n + codes[: len(texts)], other_items * n + codes[len(texts) :])
