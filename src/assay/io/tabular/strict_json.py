"""JSON without what would be lost or cannot be held: a key that stands twice, half a character, endless nesting."""

from __future__ import annotations

import json
from typing import Any

from assay.io.nesting import is_deeper

MOST_LEVELS = 100
TOO_DEEP = f"nested more than {MOST_LEVELS} levels deep. Write it flatter."


class Unusable(ValueError):
    """What can be read but not kept; says what is wrong and what to do."""


def parse(text: str) -> Any:
    """Read JSON; `Unusable`, which is a ValueError too, where a value would not come back as it is."""
    try:
        value = _DECODER.decode(text)
    except RecursionError:
        raise Unusable(TOO_DEEP) from None
    if text.count("[") + text.count("{") > MOST_LEVELS and is_deeper(value, MOST_LEVELS):
        raise Unusable(TOO_DEEP)
    if "\\u" in text:
        _check_characters(value)
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise Unusable(f"the key {twice!r} stands twice in one object. Keep one.")
    return found


_DECODER = json.JSONDecoder(object_pairs_hook=_unique)


def _check_characters(value: Any) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        half = f"\\u{ord(error.object[error.start]):04x}"
        raise Unusable(f"{half} is half of a character, which no text can hold. Remove it.") from None
