"""Escapes control characters, so that printed data cannot steer a terminal."""

from __future__ import annotations

import re

# Control characters except tab and line feed, and lone surrogates, which cannot be encoded.
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
# Within a line, tabs and line breaks are escaped too.
CONTROL_IN_LINE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def visible(text: str) -> str:
    r"""Escape control characters, as in `\x1b`."""
    return CONTROL.sub(_escaped, text)


def visible_line(text: str) -> str:
    """Escape control characters, tabs and line breaks."""
    return CONTROL_IN_LINE.sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode()
