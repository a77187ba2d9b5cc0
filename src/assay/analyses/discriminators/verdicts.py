"""What a discriminator says of the texts of each system, pooled, individual or unseen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import NDArray

from assay.errors import EvaluatorError
from assay.evaluator import Fitted
from assay.io.cache import ScoreCache
from assay.kernels.statistics.shares import share_interval
from assay.records import Dataset
from assay.registry import parse
from assay.run import score
from assay.run.folds import Folds

Mask = NDArray[np.bool_]

KINDS = {
    "pooled": "trained on all generators",
    "individual": "trained on this generator alone",
    "unseen": "trained without this generator",
}
HALF = 0.5


@dataclass(frozen=True, eq=False)
class Judging:
    """How discriminators are scored."""

    folds: int | None
    seed: int
    workers: int
    cache: ScoreCache | None

    def probabilities(self, data: Dataset, evaluator: str, folds: Folds) -> NDArray[np.float64]:
        """The cross-fitted probability that a human wrote each text."""
        table = score(
            data,
            [evaluator],
            unit="output",
            folds=folds,
            seed=self.seed,
            workers=self.workers,
            cache=self.cache,
            failures="error",
        )
        return table[evaluator].values


@dataclass(frozen=True, eq=False)
class Verdicts:
    """The probabilities of one discriminator of one kind.

    Attributes:
        kind: one of KINDS.
        evaluator: the discriminator.
        outputs: the row of the output of each verdict: each once, but of individual discriminators every one judges
            the human texts.
        probability: that a human wrote it; NaN where there is none.
        reasons: why a generator has no verdicts, by name.
    """

    kind: str
    evaluator: str
    outputs: NDArray[np.int64]
    probability: NDArray[np.float64]
    reasons: dict[str, str]


@dataclass(frozen=True)
class Accuracy:
    """The share of a system's texts that were taken for what they are, with an interval over items."""

    system: str
    value: float
    low: float
    high: float
    n: int
    n_missing: int
    reason: str = ""


def check_discriminators(evaluators: Sequence[str]) -> None:
    """Raise unless every evaluator learns from human and generated texts."""
    for name in evaluators:
        shape = parse(name).shape
        if not isinstance(shape, Fitted) or not {"human", "generated"} <= set(shape.learns_from):
            raise EvaluatorError(
                f"{name} is not a discriminator: it does not learn to tell human texts from generated ones, or has "
                "learnt already. Use nb, svm, rf, xgboost, logistic, cnn, lstm, cnn_lstm or fine_tuned, without model."
            )


def verdicts(
    data: Dataset, evaluator: str, kind: str, judging: Judging, done: Callable[[], None] = lambda: None
) -> Verdicts:
    """Let a discriminator of one kind judge every text."""
    if kind == "individual":
        return _individual(data, evaluator, judging, done)
    reasons: dict[str, str] = {}
    outputs = np.arange(len(data))
    try:
        folds = Folds("system") if kind == "unseen" else Folds(n=judging.folds)
        probability = judging.probabilities(data, evaluator, folds)
    except EvaluatorError as error:
        if kind == "pooled":
            raise
        probability = np.full(len(data), nan)
        reasons = dict.fromkeys(generators(data), str(error))
    done()
    return Verdicts(kind, evaluator, outputs, probability, reasons)


def generators(data: Dataset) -> list[str]:
    """The systems that have generated texts, in the order of the data."""
    codes = np.unique(data.outputs.system[~data.human])
    return data.systems.id.take(codes).to_list()


def texts_of(data: Dataset, system: str) -> Mask:
    """The generated texts of a system."""
    mask: Mask = (data.outputs.system == data.systems.id.to_list().index(system)) & ~data.human
    return mask


def _individual(data: Dataset, evaluator: str, judging: Judging, done: Callable[[], None]) -> Verdicts:
    outputs, probability, reasons = [np.zeros(0, np.int64)], [np.zeros(0)], {}
    for system in generators(data):
        chosen = texts_of(data, system) | data.human
        try:
            probability.append(judging.probabilities(data.select(chosen), evaluator, Folds(n=judging.folds)))
            outputs.append(np.flatnonzero(chosen))
        except EvaluatorError as error:
            reasons[system] = str(error)
        done()
    return Verdicts("individual", evaluator, np.concatenate(outputs), np.concatenate(probability), reasons)


def accuracy(data: Dataset, by: Verdicts, texts: Mask, system: str, confidence: float) -> Accuracy:
    """How many of some texts were taken for what they are, human above one half."""
    known = np.flatnonzero(texts[by.outputs] & ~np.isnan(by.probability))
    outputs = by.outputs[known]
    n = len(np.unique(outputs))
    n_missing = int(texts.sum()) - n
    if not n:
        reason = by.reasons.get(system, "no text has a score")
        return Accuracy(system, nan, nan, nan, 0, n_missing, reason)
    right = ((by.probability[known] > HALF) == data.human[outputs]).astype(np.float64)
    items, cluster = np.unique(data.outputs.item[outputs], return_inverse=True)
    if len(items) < 2:
        return Accuracy(system, float(right.mean()), nan, nan, n, n_missing, "one item: no interval")
    low, high, _ = share_interval(right, cluster, len(items), confidence)
    return Accuracy(system, float(right.mean()), low, high, n, n_missing)
