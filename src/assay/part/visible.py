"""Texts made safe to print: a terminal obeys the control characters in a text, so they are shown and not sent."""

from __future__ import annotations

import re

# Control characters but tab and line feed, and halves of characters, which cannot be encoded.
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
# In a line of a table tabs and line feeds would be out of place too.
CONTROL_IN_LINE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def visible(text: str) -> str:
    r"""Write control characters as they are written in programs, such as `\x1b`."""
    return CONTROL.sub(_written, text)


def visible_line(text: str) -> str:
    """The same for a text that must stay on its line."""
    return CONTROL_IN_LINE.sub(_written, text)


def _written(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode()
