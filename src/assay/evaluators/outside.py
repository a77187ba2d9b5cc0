"""Metrics outside the registry: a function of a module, or a file of scores."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.batch import Batch
from assay.errors import EvaluatorError, pass_on_interrupt
from assay.evaluator import About, Evaluator, EvaluatorFactory, Scored, batched, per_unit
from assay.named import load_named
from assay.records import Output
from assay.scores import Column, Gaps


def from_function(path: str) -> Evaluator:
    """Make an evaluator of sets from `package.module:function`.

    The function takes the list of a set's texts, and the context if it has a second parameter, and returns a number
    that grows with diversity. A factory decorated with @evaluator is called without arguments.
    """
    try:
        loaded = load_named(path)
    except (ImportError, AttributeError, ValueError) as error:
        raise EvaluatorError(
            f"{path}: {error}. Write package.module:function, and start assay where the module can be imported."
        ) from error
    except Exception as error:
        pass_on_interrupt(error)
        raise EvaluatorError(f"{path}: importing its module failed ({type(error).__name__}: {error}).") from error
    if isinstance(loaded, EvaluatorFactory):
        return loaded()
    if isinstance(loaded, Evaluator):
        return loaded
    if not callable(loaded):
        raise EvaluatorError(f"{path} is {type(loaded).__name__}, not a function of a list of texts.")
    takes_context = _n_required(loaded) > 1

    def score(outputs: list[Output]) -> float:
        texts = [output.text for output in outputs]
        return float(loaded(texts, outputs[0].item.context) if takes_context else loaded(texts))

    about = About(("set",), scale="not stated", stored=False)
    return Evaluator(path, {}, about, per_unit(score))


def from_scores(name: str, sets: Sequence[str], column: Column) -> Evaluator:
    """Make an evaluator from the scores of sets; other sets are gaps."""
    scores = dict(zip(sets, column.values.tolist(), strict=True))
    higher_is_better = column.higher_is_better is not False

    def score(batch: Batch) -> Scored:
        ids = batch.units.ids
        values = np.array([scores.get(ids[int(row)], np.nan) for row in batch.rows], np.float64)
        return Scored(values, Gaps.where(len(batch), {f"no score in {name}": np.isnan(values)}))

    about = About(("set",), higher_is_better, scale="not stated", stored=False)
    return Evaluator(name, {}, about, batched(score))


def _n_required(function: Any) -> int:
    """The number of required positional parameters, 1 if unknown."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return 1
    return sum(p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters)
