"""The one grammar for names and signatures: a Python-like call with literal arguments, nesting allowed.

    bleu                                    a name alone is a call without arguments
    bleu(max_order=4, tokenizer='13a')
    reduce(chrf(beta=2))
    bleu(max_order=4, ...)|assay:0.1.0      a signature: every parameter spelt out, and who made it

Text is parsed with `ast` and never evaluated.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Union

from assay.errors import EvaluatorError

Value = Union[bool, int, float, str, None, tuple["Value", ...], "Call"]

_ORIGIN = re.compile(r"\|[\w.-]+(:[\w.+-]+)?$")


@dataclass(frozen=True)
class Call:
    """A name with arguments, not yet looked up."""

    name: str
    args: tuple[Value, ...] = ()
    kwargs: Mapping[str, Value] = field(default_factory=dict)


def parse_call(text: str) -> Call:
    """Read a name or a signature."""
    source = _ORIGIN.sub("", text.strip())
    try:
        tree = ast.parse(source, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise _unreadable(text, "it is not a name or a call") from None
    call = _value(tree, text)
    if not isinstance(call, Call):
        raise _unreadable(text, "it is a value, not a name")
    return call


def print_value(value: Value) -> str:
    """Write a value as the parser reads it."""
    if isinstance(value, Call):
        return print_call(value)
    if isinstance(value, tuple):
        inside = ", ".join(map(print_value, value))
        return f"({inside},)" if len(value) == 1 else f"({inside})"
    return repr(value)


def print_call(call: Call) -> str:
    """Write a call as the parser reads it."""
    parts = [print_value(value) for value in call.args]
    parts += [f"{name}={print_value(value)}" for name, value in call.kwargs.items()]
    return f"{call.name}({', '.join(parts)})"


def _value(node: ast.expr, text: str) -> Value:
    match node:
        case ast.Name(id=name):
            return Call(name)
        case ast.Call(func=ast.Name(id=name)):
            kwargs: dict[str, Value] = {}
            for keyword in node.keywords:
                if keyword.arg is None:
                    raise _unreadable(text, "** is not allowed")
                kwargs[keyword.arg] = _value(keyword.value, text)
            return Call(name, tuple(_value(arg, text) for arg in node.args), kwargs)
        case ast.Constant(value=bool() | int() | float() | str() | None as value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -value
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            return tuple(_value(element, text) for element in elements)
    raise _unreadable(text, f"{ast.unparse(node)!r} is neither a literal nor a call")


def _unreadable(text: str, why: str) -> EvaluatorError:
    return EvaluatorError(
        f"cannot read {text!r}: {why}. Write a name or a call with literal arguments, "
        "such as bleu or bleu(max_order=2, tokenizer='13a')."
    )
