"""Readers of single values. A ValueError continues the field's name: what is wrong, and the remedy."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from math import fsum, inf, isnan, nan
from numbers import Real
from typing import Any

from assay.errors import did_you_mean
from assay.records.choices import choice_text

# Integers up to here are exact as floats.
MOST_EXACT = 2**53

# How far the sum of a distribution may be from 1, for numbers that were rounded when they were written.
MOST_ROUNDING = 1e-6


def shown(value: Any, limit: int = 40) -> str:
    """A value for a message, truncated."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def is_rounded(value: Any) -> bool:
    """Whether a value is an integer that a float would round."""
    return isinstance(value, int) and abs(value) > MOST_EXACT and int(float(value)) != value


def only(values: Iterable[Any], *types: type) -> bool:
    """Whether all values have exactly these types: a fast path that skips reading each."""
    return set(map(type, values)) <= set(types)


def only_names(values: Sequence[Any]) -> bool:
    """Whether all values are texts that `name` would not change."""
    return only(values, str) and "" not in values


def only_counts(values: Sequence[Any]) -> bool:
    """Whether all values are integers that `whole` would not change."""
    return only(values, int) and 0 <= min(values, default=0) and max(values, default=0) < 2**53


def text(value: Any) -> str:
    """Read a text."""
    if not isinstance(value, str):
        raise ValueError(f"is {shown(value)}, not a text. Put it in quotes.")
    return value


def name(value: Any) -> str:
    """Read an id: a nonempty text or an integer."""
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        raise ValueError(f"has {shown(value)} where a name (a text or a whole number) should be.")
    return str(value)


def texts(value: Any) -> Sequence[str]:
    """Read a list of texts."""
    if not isinstance(value, list | tuple) or not all(isinstance(part, str) for part in value):
        raise ValueError(f'is {shown(value)}, not a list of texts. Write ["...", "..."].')
    return value


def choices(value: Any) -> Sequence[str]:
    """Read the choices of a game: texts, colors or records of features."""
    if not isinstance(value, list | tuple):
        raise ValueError(f'is {shown(value)}, not a list. Write ["...", "..."] or [{{"shape": "circle"}}, ...].')
    texts = []
    for position, part in enumerate(value):
        try:
            texts.append(choice_text(part))
        except ValueError as error:
            raise ValueError(f"holds {error} at {position}: {shown(part)}. Give texts or records.") from None
    return texts


def number(value: Any) -> float:
    """Read a number; "-inf" may be a text, since JSON has no infinity."""
    if value == "-inf":
        return -inf
    if isinstance(value, bool) or not isinstance(value, Real):
        raise ValueError(f"is {shown(value)}, not a number.")
    try:
        result = float(value)
    except OverflowError:
        raise ValueError(f"is {shown(value)}, too large a number.") from None
    if is_rounded(value):
        raise ValueError(f"is {shown(value)}, which has more digits than a number can hold. Round it.")
    return result


def logprob(value: Any) -> float:
    """Read a log-probability: a finite number or -inf."""
    result = number(value)
    if isnan(result) or result == inf:
        raise ValueError(f"is {result}. Give a finite number, -inf for a text the system cannot say, or nothing.")
    return result


def logprobs(value: Any) -> dict[str, float]:
    """Read log-probabilities by system."""
    result = {}
    for system, part in mapping(value).items():
        if part is None:
            continue
        try:
            result[name(system)] = logprob(part)
        except ValueError as error:
            raise ValueError(f"under {system!r} {error}") from None
    return result


def whole(value: Any) -> int:
    """Read a nonnegative integer."""
    result = number(value)
    if not 0 <= result < 2**53 or result != int(result):
        raise ValueError(f"is {shown(value)}, not a whole number of tokens.")
    return int(result)


def token_counts(value: Any) -> int | dict[str, int]:
    """Read a token count, or one per system."""
    if isinstance(value, Mapping):
        return {system: whole(count) for system, count in value.items() if count is not None}
    return whole(value)


def human(value: Any) -> int:
    """Read true or false."""
    if value not in (True, False):
        raise ValueError(f"is {shown(value)}, not true or false.")
    return int(value)


def target(value: Any, n_choices: int) -> list[float]:
    """Read a target, an index into the choices or a probability for each, as a distribution."""
    if not n_choices:
        raise ValueError(f"is {shown(value)}, without choices. Give the choices that it is one of.")
    if isinstance(value, list | tuple):
        beliefs = [number(part) for part in value]
        if len(beliefs) != n_choices or not all(0 <= part <= 1 for part in beliefs):
            raise ValueError(f"is {shown(value)}. Give one probability per choice ({n_choices}), each from 0 to 1.")
        if abs(fsum(beliefs) - 1.0) > MOST_ROUNDING:
            raise ValueError(f"is {shown(value)}, which sums to {fsum(beliefs):.9g}. Probabilities must sum to 1.")
        return beliefs
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < n_choices:
        raise ValueError(f"is {shown(value)}. Give an index into the {n_choices} choices of this line, from 0.")
    return [float(position == value) for position in range(n_choices)]


def mapping(value: Any) -> Mapping[str, Any]:
    """Read a JSON object."""
    if not isinstance(value, Mapping):
        raise ValueError(f'is {shown(value)}, not an object. Write {{"name": value}}.')
    if not only(value, str):
        raise ValueError(f"has the key {next(key for key in value if type(key) is not str)!r}, which is not a text.")
    return value


def records(value: Any) -> Sequence[Mapping[str, Any]]:
    """Read a list of JSON objects."""
    if not isinstance(value, list | tuple) or not all(isinstance(part, Mapping) for part in value):
        raise ValueError(f"is {shown(value)}, not a list of objects. Write [{{...}}, {{...}}].")
    return value


def choice(value: Any, known: Sequence[str]) -> int:
    """Read one of some words as its position."""
    if value not in known:
        raise ValueError(f"has the unit {shown(value)}.{did_you_mean(str(value), known)}")
    return list(known).index(value)


def answer(value: Any) -> tuple[float, str]:
    """Read an answer as (number, label), one of which is a gap."""
    if isinstance(value, bool):
        return float(value), ""
    if isinstance(value, str) and value:
        return nan, value
    if isinstance(value, Real) and abs(result := number(value)) < inf:
        return result, ""
    raise ValueError(f"has the value {shown(value)}. Give a finite number or a label.")
