"""Sentences as HTML: escaped, with calls such as `human(criterion='real')` set as code."""

from __future__ import annotations

import re
from html import escape

# A name followed directly by a parenthesis (prose has a space there); nested up to three levels.
_FLAT = r"\([^()\n]*\)"
_NESTED = rf"\((?:[^()\n]|{_FLAT})*\)"
_CALL = re.compile(rf"\b[A-Za-z_]\w*\((?:[^()\n]|{_NESTED})*\)")


def sentence(text: str) -> str:
    """Escape a text and set the calls in it as code."""
    parts, end = [], 0
    for call in _CALL.finditer(text):
        parts += [escape(text[end : call.start()]), f"<code>{escape(call.group())}</code>"]
        end = call.end()
    return "".join([*parts, escape(text[end:])])


def paragraphs(text: str) -> str:
    """Render paragraphs, which are separated by empty lines."""
    return "".join(f"<p>{sentence(part)}</p>" for part in text.split("\n\n") if part)


def is_call(text: str) -> bool:
    """Whether the whole text is one call."""
    return _CALL.fullmatch(text) is not None
