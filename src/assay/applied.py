"""Evaluators with a saved model: they score without learning."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from inspect import Parameter
from typing import Any, NamedTuple

import numpy as np

from assay.batch import Batch
from assay.errors import EvaluatorError
from assay.evaluator import Batched, Evaluator, EvaluatorFactory, Fitted, Result
from assay.grammar import parse_call
from assay.io.fitted_models import FittedModel, read_model
from assay.records import Dataset
from assay.registry import arguments
from assay.shapes import Apart
from assay.units import Units

MODEL = "model"


@dataclass(frozen=True)
class Applied(Batched):
    """A fitted shape with a saved model."""

    fitted: Fitted
    model: FittedModel


def with_model(evaluator: Evaluator, model: FittedModel) -> Evaluator:
    """Bind an evaluator to a saved model."""
    shape = evaluator.shape
    assert isinstance(shape, Fitted)

    @cache
    def state() -> Any:
        return shape.load(model.state()) if shape.load else model.state()

    def offers(_: object) -> tuple[str, ...]:
        return (model.unit,)

    def score(batch: Batch) -> Result:
        return shape.score(state(), batch)

    applied = Applied(score, shape, model, offers=offers, uses=shape.uses, direction=shape.direction, reads=shape.reads)
    return replace(evaluator, params={**evaluator.params, MODEL: model.name}, shape=applied)


def apply_model(factory: EvaluatorFactory, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Evaluator:
    """Make the evaluator of a model folder; explicit parameters of fitting must be those it was fitted with."""
    parameters = factory.factory.parameters
    folder = kwargs[MODEL]
    explicit = {**dict(zip(parameters, args, strict=False)), **{key: kwargs[key] for key in kwargs if key != MODEL}}
    learns = True
    with suppress(EvaluatorError):  # such as a required parameter that only the folder has
        learns = isinstance(factory(**explicit).shape, Fitted)
    if not learns:
        factory.factory.bind(args, kwargs)  # raises: no parameter 'model'
    if not isinstance(folder, str):
        raise EvaluatorError(f"the parameter 'model' of {factory.factory.name} must be a folder. Got {folder!r}.")
    model = read_model(folder)
    fitted_with = _evaluator_of(factory, folder, model)
    required = {key for key, parameter in parameters.items() if parameter.default is Parameter.empty}
    requested = factory(**{**{key: fitted_with.params[key] for key in required}, **explicit})
    assert isinstance(fitted_with.shape, Fitted)
    of_scoring = {key: requested.params[key] for key in explicit if key in fitted_with.shape.scoring}
    for key in explicit:
        actual, value = fitted_with.params[key], requested.params[key]
        if actual != value and key not in of_scoring:
            raise EvaluatorError(
                f"{folder}: fitted with {key}={actual!r}, not {value!r}. Leave {key} out, or fit again."
            )
    return with_model(factory(**{**fitted_with.params, **of_scoring}), model)


def _evaluator_of(factory: EvaluatorFactory, folder: str, model: FittedModel) -> Evaluator:
    """The evaluator that was fitted, if this factory made it."""
    name = factory.factory.name
    try:
        call = parse_call(model.signature)
    except EvaluatorError as error:
        raise EvaluatorError(f"{folder}: the manifest names no evaluator. Fit it again. ({error})") from None
    if call.name != name:
        raise EvaluatorError(f"{folder}: a fitted {call.name}, not {name}. Write {call.name}(model=...).")
    origin = model.signature.rpartition("|")[2]
    if origin != factory.origin:
        raise EvaluatorError(f"{folder}: fitted by {origin}, and this is {factory.origin}. Fit it again.")
    return factory(**arguments(call))


class Met(NamedTuple):
    """What of the scored units a saved model was fitted on: the texts, or the contexts, of some."""

    name: str
    folder: str
    what: str


# By evaluator, the saved models in it and in those that it uses, and what their training data has to be apart from.
Saved = Mapping[str, Mapping[FittedModel, Apart]]


def saved_models(evaluators: Mapping[str, Evaluator], dataset: Dataset) -> Saved:
    """Find the saved models that evaluators score this data with."""
    found: dict[str, dict[FittedModel, Apart]] = {}
    for name, evaluator in evaluators.items():
        shapes = [part.shape for part in evaluator.parts(dataset)]
        found[name] = {shape.model: shape.fitted.apart for shape in shapes if isinstance(shape, Applied)}
    return found


def met_texts(units: Units, saved: Saved) -> dict[Met, int]:
    """Count the units with texts or contexts that a saved model was fitted on."""
    counts: dict[Met, int] = {}
    for name, models in saved.items():
        for model, apart in models.items():
            for what, met in model.met(units.dataset, apart).items():
                n = len(np.unique(units.members.row_of[met[units.members.values]]))
                if n:
                    counts[Met(name, model.folder.name, what)] = n
    return counts
