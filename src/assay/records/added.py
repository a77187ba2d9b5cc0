"""Data sets with something more in them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from assay.records.dataset import Dataset
from assay.records.tables import LogProbs, Systems
from assay.text.strings import Strings


def with_logprobs(
    dataset: Dataset,
    system: str,
    output: NDArray[np.int64],
    value: NDArray[np.float64],
    n_tokens: NDArray[np.int64],
) -> Dataset:
    """Add log-probabilities of outputs under a system, in place of those that it already has for them."""
    names = dataset.systems.id.to_list()
    systems = dataset.systems
    if system not in names:
        systems = Systems(Strings.concatenate([systems.id, Strings.of([system])]), np.append(systems.human, False))
        names.append(system)
    number = names.index(system)
    old = dataset.logprobs
    kept = ~((old.system == number) & np.isin(old.output, output))
    outputs = np.concatenate([old.output[kept], output])
    of_system = np.concatenate([old.system[kept], np.full(len(output), number)])
    order = np.argsort(outputs, kind="stable")
    logprobs = LogProbs(
        outputs[order],
        of_system[order],
        np.concatenate([old.value[kept], value])[order],
        np.concatenate([old.n_tokens[kept], n_tokens])[order],
    )
    return replace(dataset, systems=systems, logprobs=logprobs)
