"""Fingerprints of evaluators from outside assay: cached scores are valid for that very code alone."""

from __future__ import annotations

from typing import Any

from assay.applied import Applied
from assay.evaluator import Additive, Batched, Evaluator, Fitted, PerRequest, PerUnit, Shape
from assay.io.code import point_fingerprint
from assay.io.live_code import live_fingerprint
from assay.records import Dataset
from assay.references import References
from assay.registry import BUILTIN, plugins


def outside_code(evaluator: Evaluator, dataset: Dataset) -> str | None:
    """A fingerprint of the code of an evaluator and all its parts; None if there is none.

    Empty for assay's own, whose code is part of every key. Another package is fingerprinted by its files, a function
    of the session by its code and everything it reaches, if that is possible.
    """
    used = [outside_code(use.evaluator, dataset) for use in evaluator.uses(dataset)]
    params = [_code_of_parameter(value, dataset) for value in evaluator.params.values()]
    return _joined([_own_code(evaluator), *used, *params])


def _joined(codes: list[str | None]) -> str | None:
    return None if None in codes else "\0".join(filter(None, codes))


def _code_of_parameter(value: Any, dataset: Dataset) -> str | None:
    match value:
        case Evaluator():
            return outside_code(value, dataset)
        case References() if not value.is_ours:
            return live_fingerprint(*value.source.functions())
        case tuple():
            return _joined([_code_of_parameter(part, dataset) for part in value])
    return ""


def _own_code(evaluator: Evaluator) -> str | None:
    if evaluator.origin == "local":
        return live_fingerprint(*_functions(evaluator.shape))
    if evaluator.name in BUILTIN:
        return ""
    point = plugins().get(evaluator.name)
    return point_fingerprint(point) if point else live_fingerprint(*_functions(evaluator.shape))


def _functions(shape: Shape) -> tuple[Any, ...]:
    of_data = (shape.offers, shape.direction, shape.uses if callable(shape.uses) else None)
    match shape:
        case Applied(fitted=fitted):
            return _functions(fitted)
        case PerUnit(score=score) | Batched(score=score):
            return (score, *of_data)
        case Additive(statistics=statistics, finish=finish, pooled=pooled):
            return (statistics, finish, pooled, *of_data)
        case Fitted(fit=fit, score=score, load=load):
            return (fit, score, load, *of_data)
        case PerRequest(request=request, send=send, read=read):
            return (request, send, read, *of_data)
    return (shape,)
