"""The grammar of names and signatures: a Python-like call with literal arguments, possibly nested.

    bleu                                    a bare name is a call without arguments
    bleu(max_order=4, tokenizer='13a')
    reduce(chrf(beta=2))
    bleu(max_order=4, ...)|assay:0.1.0      a signature: every parameter explicit, and the package version
    neighbors(...)|assay:0.1.0|folds(...)   the same for a fitted evaluator, with what it was fitted on
    correlation(...)|assay:0.1.0|folds(...) a result, with how its columns were fitted

Text is parsed with `ast` and never evaluated.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Union

from assay.errors import EvaluatorError

Value = Union[bool, int, float, str, None, tuple["Value", ...], "Call"]

# Evaluators nest two or three levels deep; Python's parser gives up after some hundreds.
MOST_LEVELS = 20
# Numbers must fit a float: Python refuses to print very large integers.
LARGEST = 2**1024

_ORIGIN = re.compile(r"\|(?P<made_by>[\w.-]+(:[\w.+-]+)?)(?P<fitted>(\|(folds|train)\(.*\))?)$")
_BETWEEN_FITS = re.compile(r"\|(?=(?:folds|train)\()")


@dataclass(frozen=True)
class Call:
    """A parsed call, its name not yet resolved."""

    name: str
    args: tuple[Value, ...] = ()
    kwargs: Mapping[str, Value] = field(default_factory=dict)


def parse_call(text: str) -> Call:
    """Parse a name or a signature."""
    source = without_origin(text)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # SyntaxWarnings about text that is not Python
            tree = ast.parse(source, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise _unreadable(text, "it is not a name or a call") from None
    call = _value(tree, source)
    if not isinstance(call, Call):
        raise _unreadable(text, "it is a value, not a name")
    return call


def without_origin(text: str) -> str:
    """The call of a signature, without who made it and what it was fitted on."""
    return _ORIGIN.sub("", text.strip())


def made_by(text: str) -> str:
    """The package and version of a signature; empty where it names none."""
    origin = _ORIGIN.search(text.strip())
    return origin["made_by"] if origin else ""


def fits_of(text: str) -> tuple[str, ...]:
    """What a signature says of how columns were fitted: `folds(...)` or `train(...)`, each way once."""
    origin = _ORIGIN.search(text.strip())
    return tuple(filter(None, _BETWEEN_FITS.split(origin["fitted"]))) if origin else ()


def print_value(value: Value) -> str:
    """Format a value so that it parses back."""
    if isinstance(value, Call):
        return print_call(value)
    if isinstance(value, tuple):
        inside = ", ".join(map(print_value, value))
        return f"({inside},)" if len(value) == 1 else f"({inside})"
    return repr(value)


def print_call(call: Call) -> str:
    """Format a call so that it parses back."""
    parts = [print_value(value) for value in call.args]
    parts += [f"{name}={print_value(value)}" for name, value in call.kwargs.items()]
    return f"{call.name}({', '.join(parts)})"


def _value(node: ast.expr, text: str, level: int = 0) -> Value:
    if level > MOST_LEVELS:
        raise _unreadable(text, f"it is nested more than {MOST_LEVELS} levels deep")
    match node:
        case ast.Name(id=name):
            return Call(name)
        case ast.Call(func=ast.Name(id=name)):
            kwargs: dict[str, Value] = {}
            for keyword in node.keywords:
                if keyword.arg is None:
                    raise _unreadable(text, "** is not allowed")
                if keyword.arg in kwargs:
                    raise _unreadable(text, f"{keyword.arg} is given twice")
                kwargs[keyword.arg] = _value(keyword.value, text, level + 1)
            return Call(name, tuple(_value(arg, text, level + 1) for arg in node.args), kwargs)
        case ast.Constant(value=bool() | None as value):
            return value
        case ast.Constant(value=int() | float() as value):
            if not abs(value) < LARGEST:
                raise _unreadable(text, "it contains a number that is too large")
            return value
        case ast.Constant(value=str() as value):
            if not _is_text(value):
                raise _unreadable(text, "it contains a lone surrogate, half of a character")
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)) if abs(value) < LARGEST:
            return -value
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            return tuple(_value(element, text, level + 1) for element in elements)
    part = ast.get_source_segment(text, node) or text
    raise _unreadable(text, f"{_cut(part)!r} is neither a literal nor a call")


def _is_text(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _cut(text: str) -> str:
    return text if len(text) <= 200 else text[:199] + "…"


def _unreadable(text: str, why: str) -> EvaluatorError:
    return EvaluatorError(
        f"cannot read {_cut(text)!r}: {why}. Write a name or a call with literal arguments, "
        "such as bleu or bleu(max_order=2, tokenizer='13a')."
    )
