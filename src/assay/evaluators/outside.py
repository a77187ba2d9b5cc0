"""Metrics outside the registry: a function of a module, or a file of scores."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from assay.batch import Batch
from assay.errors import EvaluatorError, pass_on_interrupt
from assay.evaluator import About, Evaluator, EvaluatorFactory, Scored, batched, per_unit
from assay.named import load_named
from assay.records import Output
from assay.registry import FUNCTION
from assay.scores import Column, Gaps
from assay.shapes import Field

# How evaluators made of functions are marked in signatures: they are rebuilt by importing the function again.
ORIGIN = "function"
# What a function of one output may take, by the names of its parameters.
TAKES: Mapping[str, Callable[[Output], Any]] = {
    "text": lambda output: output.text,
    "context": lambda output: output.item.context,
    "references": lambda output: list(output.item.references),
    "output": lambda output: output,
}


def from_path(path: str) -> Evaluator:
    """Make an evaluator from `package.module:function`.

    A function of outputs takes any of `text`, `context`, `references` and `output` by these names, and the text if it
    has one parameter of another name; a function that takes `texts` scores sets. A factory decorated with @evaluator
    is called without arguments.
    """
    loaded = _loaded(path)
    if isinstance(loaded, Evaluator):
        return loaded
    names = _parameters(loaded)
    if "texts" in names:
        return _of_sets(path, loaded)
    takes = [TAKES["text"]] if len(names) == 1 and names[0] not in TAKES else [TAKES.get(name) for name in names]
    known = [take for take in takes if take is not None]
    if len(known) < len(takes) or not takes:
        raise EvaluatorError(
            f"{path} takes {', '.join(names) or 'nothing'}. A function that scores outputs takes {', '.join(TAKES)}; "
            "one that scores sets takes texts."
        )

    def score(output: Output) -> float:
        return float(loaded(*(take(output) for take in known)))

    only_text = known == [TAKES["text"]]
    shape = per_unit(score, reads=("text",) if only_text else None)
    return Evaluator(FUNCTION, {"path": path}, About(("output",), scale="not stated"), shape, ORIGIN)


def from_function(path: str) -> Evaluator:
    """Make an evaluator of sets from `package.module:function`.

    The function takes the list of a set's texts, and the context if it has a second parameter, and returns a number
    that grows with diversity. A factory decorated with @evaluator is called without arguments.
    """
    loaded = _loaded(path)
    return loaded if isinstance(loaded, Evaluator) else _of_sets(path, loaded)


def _loaded(path: str) -> Any:
    """Import a function, or the evaluator of a decorated factory; the current folder is searched too."""
    try:
        with _current_folder():
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
    if not isinstance(loaded, Evaluator) and not callable(loaded):
        raise EvaluatorError(f"{path} is {type(loaded).__name__}, not a function of texts.")
    return loaded


@contextmanager
def _current_folder() -> Iterator[None]:
    """Search the current folder last, as `python -m` does; an installed command does not by itself."""
    here = os.getcwd()
    if here in sys.path:  # removing it afterwards would remove the first one
        yield
        return
    sys.path.append(here)
    try:
        yield
    finally:
        sys.path.remove(here)


def _of_sets(path: str, function: Callable[..., Any]) -> Evaluator:
    takes_context = len(_parameters(function)) > 1

    def score(outputs: list[Output]) -> float:
        texts = [output.text for output in outputs]
        return float(function(texts, outputs[0].item.context) if takes_context else function(texts))

    about = About(("set",), scale="not stated", stored=False)
    reads: tuple[Field, ...] = ("text", "context") if takes_context else ("text",)
    return Evaluator(FUNCTION, {"path": path}, about, per_unit(score, reads=reads), ORIGIN)


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


def _parameters(function: Any) -> list[str]:
    """The names of the required positional parameters; those of a text where they are unknown."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return ["text"]
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [p.name for p in parameters if p.default is p.empty and p.kind in positional]
