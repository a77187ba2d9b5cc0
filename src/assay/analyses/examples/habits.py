"""Habits of a generator that can be counted: empty texts, its own words again, texts of another length."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from assay.records import Dataset
from assay.text.lists import StringLists
from assay.text.strings import Strings

# Shares of outputs that are worth a word, and how far a mean length may be from the usual one.
MANY_REPEATED = 0.1
SHORT, LONG = 0.67, 1.5


def habits(dataset: Dataset, system: int) -> Iterator[str]:
    """What stands out about the outputs of one system, as ends of a sentence."""
    rows = np.flatnonzero(dataset.outputs.system == system)
    n = len(rows)
    empty = int((dataset.outputs.text.lengths[rows] == 0).sum())
    if empty:
        yield f"{empty} of {n} outputs are empty"
    repeated = n - len(np.unique(dataset.outputs.text.codes()[rows]))
    if repeated > MANY_REPEATED * n:
        yield f"{repeated} of {n} outputs repeat another of its own"
    usual, whose = _usual_length(dataset, system)
    own = _mean_length(dataset.outputs.text.take(rows))
    if usual and own and not SHORT <= own / usual <= LONG:
        how = "shorter" if own < usual else "longer"
        yield f"outputs are {how} ({own:.0f} characters on average, {usual:.0f} {whose})"


def _usual_length(dataset: Dataset, system: int) -> tuple[float, str]:
    references: StringLists = dataset.items.references
    if len(references.texts):
        return _mean_length(references.texts), "in references"
    other = dataset.human if dataset.human.any() else dataset.outputs.system != system
    whose = "by people" if dataset.human.any() else "by the others"
    return _mean_length(dataset.outputs.text.take(np.flatnonzero(other))), whose


def _mean_length(texts: Strings) -> float:
    return float(texts.lengths.mean()) if len(texts) else 0.0
