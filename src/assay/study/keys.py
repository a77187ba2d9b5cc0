"""The values of a study file: whether each is what its key wants, and what to write instead."""

from __future__ import annotations

from collections.abc import Mapping
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from assay.errors import AssayError, did_you_mean
from assay.limits import MOST_COUNT
from assay.registry import parse

# Types of keys that are checked further. An evaluator, by name or call, must exist and accept its parameters.
EvaluatorCall = Annotated[str, "evaluator"]
WholeNumber = Annotated[int, "not negative"]
Positive = Annotated[int, "positive"]
Seed = Annotated[int, "seed"]


class BadValue(Exception):
    """Says what a value is and what it should be; of a list, what is wrong with each of its elements, by position."""

    def __init__(self, said: str = "", elements: Mapping[int, str] | None = None) -> None:
        super().__init__(said)
        self.elements = elements or {}


def wants_evaluators(kind: Any) -> bool:
    """Whether a key of this type names an evaluator, or a list of them."""
    return kind == EvaluatorCall or any(map(wants_evaluators, get_args(kind)))


def fitted(value: Any, kind: Any) -> Any:
    """Return the value as a key of this type wants it, or raise BadValue."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return _first_fit(value, [part for part in parts if part is not type(None)], kind)
    if origin is tuple:
        if not isinstance(value, list):
            raise _bad(value, kind)
        return _fitted_list(value, parts[0])
    if origin is Literal:
        if value not in parts:
            raise BadValue(f"{value!r} is not among the choices.{did_you_mean(str(value), map(str, parts))}")
        return value
    if origin is Annotated:
        return _checked(fitted(value, parts[0]), kind)
    if kind is float and isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63:
        return float(value)
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise _bad(value, kind)
    return value


def _fitted_list(values: list[Any], kind: Any) -> tuple[Any, ...]:
    """Fit every element; one that stands there twice counts once."""
    found: dict[Any, None] = {}
    wrong: dict[int, str] = {}
    for position, value in enumerate(values):
        try:
            found[fitted(value, kind)] = None
        except BadValue as error:
            wrong[position] = str(error)
    if wrong:
        raise BadValue(elements=wrong)
    return tuple(found)


def _first_fit(value: Any, options: list[Any], kind: Any) -> Any:
    if len(options) == 1:
        return fitted(value, options[0])
    for part in options:
        try:
            return fitted(value, part)
        except BadValue:
            continue
    raise _bad(value, kind)


def _checked(value: Any, kind: Any) -> Any:
    if kind in (WholeNumber, Positive, Seed):
        if value < (1 if kind == Positive else 0) or (kind != Seed and value > MOST_COUNT):
            raise _bad(value, kind)
        return value
    try:
        parse(value)
    except AssayError as error:
        raise BadValue(str(error)) from None
    return value


def _bad(value: Any, kind: Any) -> BadValue:
    return BadValue(f"{value!r} does not fit. Give {_called(kind)}.")


def _called(kind: Any) -> str:
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return " or ".join(_called(part) for part in parts if part is not type(None))
    if origin is tuple:
        return f"a list of {_called(parts[0]).removeprefix('a ').removeprefix('an ')}s"
    if origin is Literal:
        return "one of " + ", ".join(map(repr, parts))
    if kind == WholeNumber:
        return f"a whole number that is not negative and at most {MOST_COUNT:,}"
    if kind == Positive:
        return f"a whole number above 0 and at most {MOST_COUNT:,}"
    if kind == Seed:
        return "a whole number that is not negative"
    if origin is Annotated:
        return "an evaluator"
    return {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}[kind]
