"""Check values against annotations: parameters of evaluators and keys of study files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from assay.errors import did_you_mean

# Larger integers are not taken for floats.
MOST_AS_FLOAT = 2**63

PLAIN = {int: "a whole number", float: "a number", str: "a text", bool: "true or false", NoneType: "None"}


class BadValue(Exception):
    """Says what a value should be; for a list, what is wrong with its elements, by position."""

    def __init__(self, text: str = "", elements: Mapping[int, str] | None = None) -> None:
        super().__init__(text)
        self.elements = elements or {}


@dataclass(frozen=True)
class WholeNumbers:
    """An annotation of whole numbers from `least` to `most`."""

    least: int
    most: int | None = None

    def __call__(self, value: int) -> int:
        """Return the number if it is in range."""
        if value < self.least or (self.most is not None and value > self.most):
            raise _bad(value, Annotated[int, self])
        return value

    def __str__(self) -> str:
        least = "that is not negative" if self.least == 0 else f"above {self.least - 1}"
        return f"a whole number {least}" + (f" and at most {self.most:,}" if self.most is not None else "")


def fit(value: Any, kind: Any) -> Any:
    """Convert a value to the annotated type, or raise BadValue.

    `Annotated[T, f]` is a T to which f is then applied; f may raise an error of its own.
    """
    origin, parts = get_origin(kind), get_args(kind)
    if kind is Any:
        return value
    if origin in (Union, UnionType):
        return _first_fit(value, parts, kind)
    if origin is Annotated:
        return refined(fit(value, parts[0]), kind)
    if origin is tuple:
        return _fit_list(value, kind, parts[0])
    if origin is Literal:
        if not any(value == part and type(value) is type(part) for part in parts):
            raise BadValue(f"{value!r} is not among the choices.{did_you_mean(str(value), map(str, parts))}")
        return value
    if kind is None:
        kind = NoneType
    if kind is float and isinstance(value, int) and not isinstance(value, bool) and abs(value) < MOST_AS_FLOAT:
        return float(value)
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise _bad(value, kind)
    return value


def refined(value: Any, kind: Any) -> Any:
    """Apply the functions of an Annotated to a value."""
    if get_origin(kind) is Annotated:
        for refine in get_args(kind)[1:]:
            value = refine(value)
    return value


def choices(kind: Any) -> list[str]:
    """The literals among the alternatives of an annotation."""
    return [str(choice) for part in _alternatives(kind) if get_origin(part) is Literal for choice in get_args(part)]


def described(kind: Any) -> str:
    """The annotation in words."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return " or ".join(map(described, parts))
    if origin is tuple:
        return f"a list of {described(parts[0]).removeprefix('a ').removeprefix('an ')}s"
    if origin is Literal:
        return "one of " + ", ".join(map(repr, parts))
    if origin is Annotated:
        return _described_by(parts[1:]) or described(parts[0])
    return PLAIN.get(kind, getattr(kind, "__name__", str(kind)).lower())


def _described_by(refinements: Sequence[Callable[[Any], Any]]) -> str:
    """How a refinement that is not a plain function describes its values; empty if none does."""
    return next((str(refine) for refine in refinements if not hasattr(refine, "__name__")), "")


def _alternatives(kind: Any) -> tuple[Any, ...]:
    return get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)


def _first_fit(value: Any, parts: Sequence[Any], kind: Any) -> Any:
    refused: list[BadValue] = []
    for part in parts:
        try:
            return fit(value, part)
        except BadValue as error:
            refused.append(error)
    raise refused[0] if NoneType in parts and len(parts) == 2 else _bad(value, kind)


def _fit_list(value: Any, kind: Any, element: Any) -> tuple[Any, ...]:
    if not isinstance(value, list | tuple):
        raise _bad(value, kind)
    fitted, wrong = [], {}
    for position, part in enumerate(value):
        try:
            fitted.append(fit(part, element))
        except BadValue as error:
            wrong[position] = str(error)
    if wrong:
        raise BadValue(elements=wrong)
    return tuple(fitted)


def _bad(value: Any, kind: Any) -> BadValue:
    return BadValue(f"{value!r} does not fit. Give {described(kind)}.")
