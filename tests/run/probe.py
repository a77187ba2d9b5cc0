"""A fitted evaluator that notes what each of its models was fitted on and what it scored."""

from typing import Any, NamedTuple

import numpy as np

from assay.batch import Batch
from assay.evaluator import EvaluatorFactory, Shape, evaluator, fitted


class Meeting(NamedTuple):
    """What one model learnt from, and what it scored."""

    train: Batch
    scored: Batch


def probe(kind: str = "output", apart: Any = "text") -> tuple[EvaluatorFactory, list[Meeting]]:
    """Make the evaluator and the list it writes to."""
    meetings: list[Meeting] = []

    @evaluator(units=(kind,), scale="any", stored=False)
    def probing() -> Shape:
        """The mean length of the texts it was fitted on."""

        def fit(train: Batch, rng: np.random.Generator) -> Batch:
            return train

        def score(train: Batch, batch: Batch) -> np.ndarray[Any, Any]:
            meetings.append(Meeting(train, batch))
            return np.full(len(batch), train.texts.lengths[train.members.values].mean() + len(train) / 1000)

        return fitted(fit, score, apart=apart)

    return probing, meetings
