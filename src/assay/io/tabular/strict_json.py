"""Strict JSON: no duplicate keys, lone surrogates or deep nesting."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from assay.errors import DataError
from assay.io.nesting import is_deeper
from assay.io.paths import text_of

MOST_LEVELS = 100
TOO_DEEP = f"nested more than {MOST_LEVELS} levels deep. Write it flatter."


class Unusable(ValueError):
    """Valid JSON that cannot be represented; the message says what is wrong and what to do."""


def parse(text: str) -> Any:
    """Parse JSON; raise `Unusable`, a ValueError, if a value would not round-trip."""
    try:
        value = _DECODER.decode(text)
    except RecursionError:
        raise Unusable(TOO_DEEP) from None
    check(value, text)
    return value


def check(value: Any, text: str) -> None:
    """Raise `Unusable` if the value of a JSON text is nested too deeply, or holds half of a character."""
    if text.count("[") + text.count("{") > MOST_LEVELS and is_deeper(value, MOST_LEVELS):
        raise Unusable(TOO_DEEP)
    if "\\u" in text:
        _check_characters(value)


def json_of(path: str | Path) -> Any:
    """Read a whole JSON file."""
    try:
        return parse(text_of(path))
    except ValueError as error:
        raise DataError(f"{path}: cannot be read as JSON: {error}") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    unique = dict(pairs)
    if len(unique) != len(pairs):
        keys = [key for key, _ in pairs]
        repeated = next(key for key in keys if keys.count(key) > 1)
        raise Unusable(f"the key {repeated!r} appears twice in one object. Keep one.")
    return unique


_DECODER = json.JSONDecoder(object_pairs_hook=_unique)


def decoder() -> json.JSONDecoder:
    """The decoder, for texts that hold more than one value."""
    return _DECODER


def _check_characters(value: Any) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        surrogate = f"\\u{ord(error.object[error.start]):04x}"
        raise Unusable(f"{surrogate} is a lone surrogate, half of a character. Remove it.") from None
