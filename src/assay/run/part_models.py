"""Evaluators that learn from a training set, over data in parts: fitted once, then sent to where parts are scored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError, EvaluatorError
from assay.evaluator import Evaluator, Fitted
from assay.io.fitted_models import state_as_bytes, state_from_bytes
from assay.io.parts import DataPart, DataParts
from assay.records import Dataset
from assay.run.executor import Executor
from assay.run.fitting import nothing_left, shared_outputs
from assay.run.learning import Learning
from assay.run.one_pass import Run, RunSettings
from assay.run.part_plan import Plan
from assay.scored import failure
from assay.shapes import Apart


@dataclass(frozen=True)
class Trained:
    """A fitted evaluator with its model, and how it was fitted: the suffix of its signature.

    A model that travels is bytes; any other is what `fit` returned, for this process alone.
    """

    evaluator: Evaluator
    model: Any
    fitting: str
    travels: bool

    @cached_property
    def applied(self) -> Evaluator:
        """The evaluator as it scores unit by unit; the model is loaded once."""
        shape = self.evaluator.shape
        assert isinstance(shape, Fitted)
        model = model_from_bytes(shape, self.model) if self.travels else self.model
        return replace(self.evaluator, shape=shape.given(model))

    @property
    def signature(self) -> str:
        """The signature of its scores."""
        return f"{self.evaluator.signature}|{self.fitting}"


def model_as_bytes(name: str, shape: Fitted, model: Any) -> bytes:
    """What `fit` returned, as bytes; an error if it is more than arrays, texts and JSON values."""
    return state_as_bytes(name, shape.save(model) if shape.save else model)


def model_from_bytes(shape: Fitted, content: bytes) -> Any:
    """The inverse of `model_as_bytes`."""
    state = state_from_bytes(content)
    return shape.load(state) if shape.load else state


@dataclass(frozen=True, eq=False)
class SharedOutputs:
    """Finds the training outputs that a part shares, for each way to keep them apart."""

    train: Dataset
    aparts: tuple[Apart, ...]

    def __call__(self, part: DataPart) -> dict[Apart, NDArray[np.bool_]]:
        """Whether each training output is in the part; a part that cannot be read is named when it is scored."""
        try:
            here = part.load()
        except (AssayError, OSError):
            return {}
        return {apart: shared_outputs(here, self.train, apart) for apart in self.aparts}


def train_models(data: DataParts, plan: Plan, engine: Executor, learning: Learning) -> dict[str, Trained]:
    """Fit on the training outputs that no part shares, in this process."""
    train = learning.train
    if not plan.trained or train is None:
        return {}
    shapes = {name: evaluator.shape for name, evaluator in plan.trained.items()}
    aparts = tuple(dict.fromkeys(shape.apart for shape in shapes.values() if isinstance(shape, Fitted)))
    shared = {apart: np.zeros(len(train), np.bool_) for apart in aparts}
    for found in engine.map(SharedOutputs(train, aparts), data.parts):
        for apart, mask in found.items():
            shared[apart] |= mask
    return {name: _trained(one, plan.native[name], train, shared, learning) for name, one in plan.trained.items()}


def _trained(
    evaluator: Evaluator, kind: str, train: Dataset, shared: Mapping[Apart, NDArray[np.bool_]], learning: Learning
) -> Trained:
    shape = evaluator.shape
    assert isinstance(shape, Fitted)
    if shared[shape.apart].all():
        raise nothing_left(shape.apart)
    unseen = train.select(~shared[shape.apart])
    nested = Learning(folds=learning.folds.within(unseen), seed=learning.seed)
    batch = Run(unseen, RunSettings(nested)).over(kind).batch(evaluator)
    seed = np.random.SeedSequence(learning.seed).spawn(1)[0]
    try:
        state = shape.fit(batch, np.random.default_rng(seed))
    except (ValueError, TypeError, LookupError, ArithmeticError) as error:
        raise EvaluatorError(f"{evaluator.name} cannot be fitted on the training data: {failure(error)}") from error
    try:
        plain = model_as_bytes(evaluator.name, shape, state)
    except EvaluatorError:  # it is more than arrays, texts and JSON values
        return Trained(evaluator, state, learning.signature, travels=False)
    return Trained(evaluator, plain, learning.signature, travels=True)
