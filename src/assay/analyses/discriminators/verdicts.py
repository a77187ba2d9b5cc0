"""What a discriminator says of the texts of each system, pooled, individual or unseen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import nan

import numpy as np
from numpy.typing import NDArray

from assay.errors import EvaluatorError
from assay.evaluator import Fitted
from assay.kernels.statistics.shares import share_interval
from assay.records import Dataset
from assay.registry import parse
from assay.run import score
from assay.run.folds import Folds
from assay.run.scoring import ScoringOptions

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

    scoring: ScoringOptions
    seed: int
    workers: int

    @property
    def train(self) -> Dataset | None:
        """The training data, if it is not that of the other folds."""
        return self.scoring.get("train")

    def probabilities(self, data: Dataset, evaluator: str) -> NDArray[np.float64]:
        """The probability that a human wrote each text, or its whole set, by a model that was not trained on it."""
        of_sets = judges_sets(evaluator)
        table = score(
            data,
            [evaluator],
            unit="set" if of_sets else "output",
            seed=self.seed,
            workers=self.workers,
            failures="error",
            **self.scoring,
        )
        values = table[evaluator].values
        return values[data.outputs.set] if of_sets else values

    def leaving_out_systems(self) -> Judging:
        """The same by models trained without the system they judge."""
        return replace(self, scoring=ScoringOptions({**self.scoring, "folds": Folds("system")}))

    def trained_on(self, change: Callable[[Dataset], Dataset]) -> Judging:
        """The same with changed training data, where there is any."""
        if self.train is None:
            return self
        return replace(self, scoring=ScoringOptions({**self.scoring, "train": change(self.train)}))


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


def judges_sets(evaluator: str) -> bool:
    """Whether a discriminator judges whole sets and not single texts."""
    return parse(evaluator).about.units == ("set",)


def check_discriminators(data: Dataset, evaluators: Sequence[str]) -> None:
    """Raise unless there are human and generated texts, and every evaluator learns to tell them apart."""
    for name in evaluators:
        shape = parse(name).shape
        if not isinstance(shape, Fitted) or not {"human", "generated"} <= set(shape.learns_from):
            raise EvaluatorError(
                f"{name} is not a discriminator: it does not learn to tell human texts from generated ones, or has "
                "learnt already. Use nb, svm, rf, xgboost, logistic, cnn, lstm, cnn_lstm, fine_tuned or repetition, "
                "without model."
            )
    if not data.human.any() or data.human.all():
        raise EvaluatorError(
            "discriminators learn from human and generated texts, and the data has only one of them. "
            'Mark human texts with "human": true.'
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
        own = judging.leaving_out_systems() if kind == "unseen" else judging
        probability = own.probabilities(data, evaluator)
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
    code = {name: at for at, name in enumerate(data.systems.id)}.get(system, -1)
    mask: Mask = (data.outputs.system == code) & ~data.human
    return mask


def _with_humans(data: Dataset, system: str) -> Dataset:
    return data.select(texts_of(data, system) | data.human)


def _individual(data: Dataset, evaluator: str, judging: Judging, done: Callable[[], None]) -> Verdicts:
    outputs, probability, reasons = [np.zeros(0, np.int64)], [np.zeros(0)], {}
    for system in generators(data):
        try:
            own = judging.trained_on(partial(_with_humans, system=system))
            probability.append(own.probabilities(_with_humans(data, system), evaluator))
            outputs.append(np.flatnonzero(texts_of(data, system) | data.human))
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
