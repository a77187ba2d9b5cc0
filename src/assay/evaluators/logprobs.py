"""Log-probabilities of outputs under a system, whole or per token."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from assay.records import Dataset
from assay.text.tokenizers import tokenize

Floats = NDArray[np.float64]


def logprobs_under(dataset: Dataset, system: int, *, per_token: bool) -> Floats | None:
    """The log-probability of every output under a system, NaN where missing; None if all are.

    Token counts are those of the log-probabilities, else of the outputs, else of whitespace-separated words; an empty
    text has no log-probability per token.
    """
    table = dataset.logprobs
    rows = table.take(np.flatnonzero(table.system == system))
    if not len(rows):
        return None
    values = np.full(len(dataset.outputs), np.nan)
    values[rows.output] = rows.value
    if not per_token:
        return values
    counts = token_counts(dataset)
    counts[rows.output] = np.where(rows.n_tokens >= 0, rows.n_tokens, counts[rows.output])
    return np.divide(values, counts, out=np.full(len(values), np.nan), where=counts > 0)


def token_counts(dataset: Dataset) -> NDArray[np.int64]:
    """The token count of each output, if unknown that of whitespace-separated words."""
    counts = dataset.outputs.n_tokens.copy()
    unknown = np.flatnonzero(counts < 0)
    if len(unknown):
        counts[unknown] = np.diff(tokenize(dataset.outputs.text.take(unknown), "whitespace").offsets)
    return counts
