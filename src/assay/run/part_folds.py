"""Cross-fitting over data in parts: models are fitted where all the data is, and sent to where parts are scored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.batch import Batch
from assay.errors import pass_on_interrupt
from assay.evaluator import Evaluator, Fitted, Scored, batched, with_gaps
from assay.run.fitting import Models
from assay.run.guard import stacked
from assay.run.learning import Learning
from assay.run.one_pass import Run
from assay.run.part_models import model_as_bytes, model_from_bytes
from assay.run.part_plan import Plan

Folds = NDArray[np.int64]


@dataclass(frozen=True)
class CrossFitted:
    """An evaluator with the models of all folds as bytes, by number, and the signature of its scores."""

    evaluator: Evaluator
    contents: Mapping[int, bytes]
    spans: Mapping[tuple[int, ...], int]
    signature: str

    def applied(self, fold: Folds) -> Evaluator:
        """The evaluator as it scores unit by unit; `fold` is of each output of the data."""
        shape, models = self.evaluator.shape, Models(fold, self.spans)
        assert isinstance(shape, Fitted)
        score_with = shape.score

        def score(batch: Batch) -> Scored:
            number_of_unit = models.of_units(batch)
            numbers = np.unique(number_of_unit).tolist()
            rows = [np.flatnonzero(number_of_unit == number) for number in numbers]
            parts = [
                with_gaps(score_with(self._models[number], batch.take(own)))
                for number, own in zip(numbers, rows, strict=True)
            ]
            return stacked(parts).take(np.argsort(np.concatenate([np.zeros(0, np.int64), *rows]), kind="stable"))

        given = batched(score, settled=shape.settled, uses=shape.uses, direction=shape.direction)
        return replace(self.evaluator, shape=given)

    @cached_property
    def _models(self) -> dict[int, Any]:
        """The models, loaded once in a process."""
        assert isinstance(self.evaluator.shape, Fitted)
        return {number: model_from_bytes(self.evaluator.shape, one) for number, one in self.contents.items()}


def cross_fit(run: Run, plan: Plan, learning: Learning) -> tuple[dict[str, CrossFitted], dict[str, Folds]]:
    """Fit the cross-fitted evaluators of a plan on all the data; by name, their models and the fold of each output.

    What cannot be fitted, or has a model that is more than arrays, texts and JSON values, is left out: it is scored
    where it was fitted.
    """
    found: dict[str, CrossFitted] = {}
    folds: dict[str, Folds] = {}
    for name, evaluator in plan.cross_fitted.items():
        assert isinstance(evaluator.shape, Fitted)
        try:
            models, by_number = run.over(plan.native[name]).fold_models(evaluator)
            contents = {number: model_as_bytes(name, evaluator.shape, one) for number, one in by_number.items()}
        except Exception as error:
            pass_on_interrupt(error)
            continue
        found[name] = CrossFitted(evaluator, contents, models.spans, f"{evaluator.signature}|{learning.signature}")
        folds[name] = models.fold
    return found, folds
