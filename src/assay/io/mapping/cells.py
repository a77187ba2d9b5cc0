"""Values of foreign cells as the fields of a flat record; what cannot be read is left for the reader to report."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from assay.io.mapping.paths import opened
from assay.io.tabular.kinds import FLAGS
from assay.records.columns import number_in

_DECIMAL_COMMA = re.compile(r"[-+]?\d+,\d+")
# pandas' missing values that are neither None nor NaN.
_GAP_TYPES = ("NAType", "NaTType")


def is_gap(value: Any) -> bool:
    """Whether a value is missing: None, NaN or an empty cell."""
    if value is None or (isinstance(value, str) and value == ""):
        return True
    return (isinstance(value, float) and value != value) or type(value).__name__ in _GAP_TYPES


def as_text(value: Any, *, nested: bool = False) -> Any:
    """A text; numbers become their digits and, if `nested`, lists and objects JSON."""
    if isinstance(value, int | float) or (nested and isinstance(value, Mapping | list)):
        return json.dumps(value, ensure_ascii=False)
    return value


def as_list(value: Any) -> Sequence[Any]:
    """The elements of a list, possibly stored as JSON; one value is a list of one, a gap an empty one."""
    inside = opened(value)
    if isinstance(inside, list | tuple):
        return [part for part in inside if part is not None]
    return [] if is_gap(value) else [value]


def as_number(value: Any) -> Any:
    """A number, possibly stored as text."""
    if not isinstance(value, str):
        return value
    number = number_in(value)
    if number is None:
        return opened(value)
    return int(number) if number.is_integer() else number


def with_points(text: str) -> str:
    """A number written with a decimal comma as one with a point; any other text stripped."""
    text = text.strip()
    return text.replace(",", ".") if _DECIMAL_COMMA.fullmatch(text) else text


def as_flag(value: Any) -> Any:
    """True or false, possibly stored as text."""
    return FLAGS.get(value.strip().lower(), value) if isinstance(value, str) else value


def as_target(value: Any, choices: Sequence[Any]) -> Any:
    """The index of the target among the choices, which may be given as the choice itself."""
    if isinstance(value, str) and value in choices:
        return list(choices).index(value)
    return as_number(value)


def as_object(value: Any) -> Any:
    """An object or list, possibly stored as JSON; None for a gap."""
    return None if is_gap(value) else opened(value)
