"""SVG primitives: numbers, escaped text, elements."""

import re
import unicodedata
from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

# Not allowed in XML 1.0, even escaped: most control characters, lone surrogates, two non-characters.
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def text(value: object) -> str:
    """Escape `value` as XML character data."""
    return escape(_ILLEGAL.sub("\N{REPLACEMENT CHARACTER}", str(value)))


def element(tag: str, content: str | Sequence[str] = "", /, **attributes: object) -> str:
    """Return an XML element. `class_` means `class`, `a_b` means `a-b`, None is omitted."""
    written = "".join(
        f" {name.rstrip('_').replace('_', '-')}={_quoted(value)}"
        for name, value in attributes.items()
        if value is not None
    )
    inner = content if isinstance(content, str) else "".join(content)
    return f"<{tag}{written}>{inner}</{tag}>" if inner else f"<{tag}{written}/>"


def number(value: float) -> str:
    """Format a coordinate with at most two decimals, and without -0."""
    written = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if written == "-0" else written


def text_width(value: str, size: float = 12) -> float:
    """Estimate the width of a line in pixels; wide scripts count double."""
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in value)
    return size * (0.56 * (len(value) - wide) + wide)


def shortened(value: str, limit: int) -> str:
    """Elide the middle of a long label, because names often differ at the end; put the full text in a tooltip."""
    tail = (limit - 1) // 3
    return value if len(value) <= limit else f"{value[: limit - 1 - tail]}…{value[len(value) - tail :]}"


def _quoted(value: object) -> str:
    plain = number(value) if isinstance(value, float) else str(value)
    return quoteattr(_ILLEGAL.sub("\N{REPLACEMENT CHARACTER}", plain))
