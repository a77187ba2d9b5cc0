"""Line numbers of a TOML file: of every table, key and list element, by path."""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_left

# The path of an element of a list ends with its position.
Place = tuple[str | int, ...]

SPACE = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
STRING = re.compile(
    r"""
    \"\"\" (?: \\. | [^\\] )*? \"{3,5}   # multi-line, with escapes; may end with quotes
    | \'\'\' .*? \'{3,5}
    | " (?: \\. | [^"\\] )* "
    | ' [^']* '
    """,
    re.VERBOSE | re.DOTALL,
)
BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
PLAIN_VALUE = re.compile(r"[^,\]}#\n]+")


def lines_of(text: str) -> dict[Place, int]:
    """The line of every table, key and list element; the text must be valid TOML."""
    scanner = _Scanner(text)
    scanner.document()
    return scanner.lines


class _Scanner:
    def __init__(self, text: str) -> None:
        self._text, self._at = text, 0
        self._ends = [match.start() for match in re.finditer("\n", text)]
        self._last: dict[Place, int] = {}
        self.lines: dict[Place, int] = {}

    def document(self) -> None:
        table: Place = ()
        while self._next():
            if self._next() == "[":
                table = self._header()
            else:
                self._pair(table)

    def _header(self) -> Place:
        """Read `[table]` or `[[element]]`; a table below a list belongs to its last element."""
        self._take("[")
        is_element = self._take("[")
        table = self._key((), of_header=True)
        if is_element:
            self._last[table] = self._last.get(table, -1) + 1
            table = (*table, self._last[table])
            self._note(table)
        self._take("]")
        self._take("]")
        return table

    def _pair(self, table: Place) -> None:
        key = self._key(table)
        self._take("=")
        self._value(key)

    def _key(self, table: Place, *, of_header: bool = False) -> Place:
        """Read a key, dotted or not, within a table; record the line of each component."""
        while True:
            if of_header and table in self._last:
                table = (*table, self._last[table])
            self._next()
            quoted = STRING.match(self._text, self._at)
            match = quoted or BARE_KEY.match(self._text, self._at)
            assert match is not None
            table = (*table, tomllib.loads(f"key = {match[0]}")["key"] if quoted else match[0])
            self._note(table)
            self._at = match.end()
            if not self._take("."):
                return table

    def _value(self, place: Place) -> None:
        if self._take("["):
            position = 0
            while not self._take("]"):
                self._note((*place, position))
                self._value((*place, position))
                self._take(",")
                position += 1
        elif self._take("{"):
            while not self._take("}"):
                self._pair(place)
                self._take(",")
        else:
            match = STRING.match(self._text, self._at) or PLAIN_VALUE.match(self._text, self._at)
            assert match is not None
            self._at = match.end()

    def _next(self) -> str:
        """Skip blanks and comments; return the next character, or an empty string."""
        blank = SPACE.match(self._text, self._at)
        assert blank is not None
        self._at = blank.end()
        return self._text[self._at : self._at + 1]

    def _take(self, sign: str) -> bool:
        matches = self._next() == sign
        self._at += matches
        return matches

    def _note(self, place: Place) -> None:
        self._next()
        self.lines.setdefault(place, bisect_left(self._ends, self._at) + 1)
