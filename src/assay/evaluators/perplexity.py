"""Perplexity from the log-probabilities in the data."""

import numpy as np
from numpy.typing import NDArray

from assay.batch import Batch
from assay.errors import EvaluatorError, did_you_mean
from assay.evaluator import Scored, Shape, additive, evaluator
from assay.evaluators.logprobs import token_counts
from assay.records import Dataset
from assay.scores import Gaps

NO_SYSTEM = -1


@evaluator(
    units=("output",),
    higher_is_better=False,
    needs=("logprobs",),
    scale="1 (certain) upwards",
    cite="Jelinek et al. 1977",
)
def perplexity(*, under: str = "") -> Shape:
    """How surprised a system is by a text, exp(-log p / tokens): its own texts, or all texts `under` one system.

    Over several texts log-probabilities and tokens are added first. A text with a log-probability of -inf is a gap.
    """

    def check(dataset: Dataset) -> None:
        known = dataset.systems.id.to_list()
        if under and under not in known:
            raise EvaluatorError(f"the data has no system {under!r}.{did_you_mean(under, known)}")

    def statistics(batch: Batch) -> Scored:
        dataset, outputs = batch.dataset, batch.rows
        systems = dataset.outputs.system[outputs]
        if under:
            known = dataset.systems.id.to_list()
            systems = np.full(len(outputs), known.index(under) if under in known else NO_SYSTEM)
        logprob, tokens = _of_outputs(batch, outputs, systems)
        gaps = Gaps.where(
            len(outputs),
            {
                f"no log-probability under {under or 'its own system'}": np.isnan(logprob),
                "the system cannot say this text (log-probability -inf)": np.isneginf(logprob),
                "no tokens": tokens == 0,
            },
        )
        return Scored(np.column_stack([logprob, tokens]), gaps)

    def finish(sums: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(np.exp(-sums[:, 0] / np.maximum(sums[:, 1], 1.0)))

    return additive(statistics, finish, check=check, reads=("logprobs",))


def _of_outputs(
    batch: Batch, outputs: NDArray[np.int64], systems: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The log-probability and token count of each output under its system in `systems`."""
    table, n_systems = batch.dataset.logprobs, len(batch.dataset.systems)
    keys, wanted = table.output * n_systems + table.system, outputs * n_systems + systems
    exists = np.isin(wanted, keys) & (systems != NO_SYSTEM)
    order = np.argsort(keys)
    rows = order[np.searchsorted(keys[order], wanted[exists])]
    logprob, counts = np.full(len(outputs), np.nan), token_counts(batch.dataset)[outputs]
    logprob[exists] = table.value[rows]
    counts[exists] = np.where(table.n_tokens[rows] >= 0, table.n_tokens[rows], counts[exists])
    return logprob, counts.astype(np.float64)
