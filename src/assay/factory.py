"""Factories that remember their parameters: the bound arguments of a decorated function become its signature."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, get_type_hints

from assay.errors import EvaluatorError, did_you_mean
from assay.grammar import Call, Value, print_call
from assay.typed_values import BadValue, choices, described, fit, refined


class Configured:
    """An object created by a factory. Equal if the signatures are equal."""

    name: str
    params: Mapping[str, Any]
    origin: str

    @property
    def call(self) -> Call:
        """The call that recreates this object, every parameter explicit."""
        return Call(self.name, (), {key: _plain(value) for key, value in self.params.items()})

    @property
    def signature(self) -> str:
        """Exactly how its numbers are computed, including parameters and version; can be parsed back."""
        return f"{print_call(self.call)}|{self.origin}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Configured) and self.signature == other.signature

    def __hash__(self) -> int:
        return hash(self.signature)

    def __repr__(self) -> str:
        return print_call(self.call)


# Upper bounds on counts and n-gram orders: anything larger is a typo, and would exhaust memory.
MOST, MOST_ORDER = 10**12, 100


@dataclass(frozen=True)
class Factory:
    """A function whose parameters are checked against their annotations before it is called.

    A parameter annotated `Annotated[T, f]` is checked as a T, then f is applied to it; to its default too.
    """

    name: str
    function: Callable[..., Any]

    @property
    def description(self) -> str:
        """The first line of the docstring."""
        return (inspect.getdoc(self.function) or "").partition("\n")[0]

    @cached_property
    def parameters(self) -> Mapping[str, inspect.Parameter]:
        """The parameters in order, with resolved annotations."""
        hints = get_type_hints(self.function, include_extras=True)
        raw = inspect.signature(self.function).parameters
        return {name: parameter.replace(annotation=hints.get(name, Any)) for name, parameter in raw.items()}

    def bind(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """Return the value of every parameter, or raise an error that names the wrong one."""
        names = list(self.parameters)
        if len(args) > len(names):
            raise EvaluatorError(f"{self.name} takes at most {len(names)} parameters, not {len(args)}.")
        arguments = dict(zip(names, args, strict=False))
        for key, value in kwargs.items():
            if key not in self.parameters:
                raise EvaluatorError(f"{self.name} has no parameter {key!r}.{did_you_mean(key, names)}")
            if key in arguments:
                raise EvaluatorError(f"{self.name} got {key!r} twice.")
            arguments[key] = value
        bound = {}
        for key, parameter in self.parameters.items():
            if key in arguments:
                bound[key] = self._checked(key, arguments[key], parameter.annotation)
            elif parameter.default is inspect.Parameter.empty:
                raise EvaluatorError(f"{self.name} needs the parameter {key!r}: write {self.name}({key}=...).")
            else:
                bound[key] = refined(parameter.default, parameter.annotation)
        return bound

    def _checked(self, key: str, value: Any, annotation: Any) -> Any:
        try:
            fitted = fit(value, annotation)
        except BadValue:
            hint = did_you_mean(value, known) if (known := choices(annotation)) and isinstance(value, str) else ""
            raise EvaluatorError(
                f"the parameter {key!r} of {self.name} must be {described(annotation)}. Got {value!r} instead.{hint}"
            ) from None
        self._check_size(key, fitted)
        return fitted

    def _check_size(self, key: str, value: Any) -> None:
        most = MOST_ORDER if key.endswith("order") else MOST
        if isinstance(value, int) and abs(value) > most:
            raise EvaluatorError(f"the parameter {key!r} of {self.name} is too large: at most {most} makes sense.")


def _plain(value: Any) -> Value:
    if isinstance(value, Configured):
        return value.call
    if isinstance(value, tuple):
        return tuple(_plain(part) for part in value)
    plain: Value = value
    return plain
