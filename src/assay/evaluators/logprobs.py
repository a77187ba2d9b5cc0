"""Log-probabilities of outputs under a system, whole or per token."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from assay.records import Dataset
from assay.text.tokenizers import tokenize

Floats = NDArray[np.float64]


def logprobs_under(dataset: Dataset, system: int, *, per_token: bool) -> Floats | None:
    """Return the log-probability of every output under a system, NaN where there is none; None if it has none.

    The number of tokens is that of the log-probability, else of the output, else the words between spaces; an
    empty text has no log-probability per token.
    """
    table = dataset.logprobs
    mine = table.system == system
    if not mine.any():
        return None
    values = np.full(len(dataset.outputs), np.nan)
    values[table.output[mine]] = table.value[mine]
    if not per_token:
        return values
    counts = token_counts(dataset)
    counts[table.output[mine]] = np.where(table.n_tokens[mine] >= 0, table.n_tokens[mine], counts[table.output[mine]])
    return np.divide(values, counts, out=np.full(len(values), np.nan), where=counts > 0)


def token_counts(dataset: Dataset) -> NDArray[np.int64]:
    """Return the tokens of each output as the data says, else the words between spaces."""
    counts = dataset.outputs.n_tokens.copy()
    unknown = np.flatnonzero(counts < 0)
    if len(unknown):
        counts[unknown] = np.diff(tokenize(dataset.outputs.text.take(unknown), "whitespace").offsets)
    return counts
