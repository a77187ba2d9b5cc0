"""The evaluators of the registry, described."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.errors import AssayError
from assay.evaluator import EvaluatorFactory, Fitted
from assay.registry import broken, factory, parse
from assay.registry import names as registered

Described = Mapping[str, Any]


def list(names: Sequence[str] = ()) -> Sequence[Described]:
    """Describe the named evaluators, by default all that can be used: units, direction, needs and parameters."""
    unusable = {} if names else broken()
    return [_describe(name, factory(name)) for name in names or registered() if name not in unusable]


def _describe(name: str, factory: EvaluatorFactory) -> Described:
    about = factory.about
    return {
        "name": name,
        "description": factory.description,
        "units": [*about.units],
        "higher_is_better": about.higher_is_better,
        "needs": [*about.needs],
        "uses": [key for key, value in factory.factory.parameters.items() if "Evaluator" in str(value.annotation)],
        "learns_from": _learns_from(factory),
        "scale": about.scale,
        "cite": about.cite,
        "parameters": {
            key: "required" if parameter.default is parameter.empty else repr(parameter.default)
            for key, parameter in factory.factory.parameters.items()
        },
        "origin": factory.origin,
    }


def _learns_from(factory: EvaluatorFactory) -> Sequence[str] | None:
    """What the training data must have, or None; required parameters are filled with placeholders."""
    arguments: dict[str, Any] = {}
    for key, parameter in factory.factory.parameters.items():
        if parameter.default is parameter.empty:
            annotation = str(parameter.annotation)
            value = parse("length") if "Evaluator" in annotation else key.upper()
            arguments[key] = (value,) if annotation.startswith("tuple") else value
    try:
        shape = factory(**arguments).shape
    except AssayError:  # such as an encoder that is not on this computer
        return None
    return [*shape.learns_from] if isinstance(shape, Fitted) else None
