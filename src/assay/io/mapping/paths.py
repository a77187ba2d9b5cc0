"""Paths into records: `score`, `ref*`, `scores.gpt4.overall`, `annotations[].rating`, `output_{system}`.

A key that is spelled exactly like the path wins, so that `Input.text` can be a column; a path in backticks is a column
whatever its name is. `*` matches any part of a key, `{name}` matches one and remembers it, `{name:a|b}` only these two;
`[]` is every element of a list and `[0]` or `[-1]` one of them. A path enters JSON that is stored as text, such as a
cell of a CSV file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from assay.errors import DataError
from assay.io.tabular.strict_json import parse

# Names that a path may remember.
PLACEHOLDERS = ("item", "system", "criterion", "annotator")

# Names in braces may have dots and brackets.
_SEGMENT = re.compile(r"(?P<key>(?:\{[^{}]*\}|[^\[\]{]|\{(?![^{}]*\}))*)(?P<steps>(?:\[-?\d*\])*)")
_DOT = re.compile(r"\.(?![^{}]*\})")
_WILD = re.compile(r"\*|\{(\w+)(?::([^{}]*))?\}")
_NEEDS_QUOTES = re.compile(r"[\[\]{}*,=`'\"]|^\s|\s$|^$")


@dataclass(frozen=True)
class Match:
    """A value in a record: where it is, and what the path remembered on the way.

    `names` holds placeholders by name and positions by list, such as {"system": "gpt4", "scores[]": 0}.
    """

    value: Any
    where: str
    names: Mapping[str, str | int] = field(default_factory=dict)

    def fits(self, other: Match) -> bool:
        """Whether both are about the same system, list element and so on, as far as both say."""
        return all(other.names.get(name, value) == value for name, value in self.names.items())

    @property
    def element(self) -> str:
        """The list element that holds the value, such as `annotations[0]`; empty outside of lists."""
        end = self.where.rfind("]")
        return self.where[: end + 1]


@dataclass(frozen=True)
class Path:
    """A parsed path; an exact one is the name of a column."""

    text: str
    is_exact: bool = False

    @classmethod
    def column(cls, name: str) -> Path:
        """The path of a column with this name."""
        return cls(name, bool(_NEEDS_QUOTES.search(name)))

    @classmethod
    def of(cls, text: str) -> Path:
        """Parse a path; a DataError says what is wrong with it."""
        if len(text) > 2 and text[0] == text[-1] == "`":
            return cls(text[1:-1], is_exact=True)
        path = cls(text)
        if not text or not all(map(_SEGMENT.fullmatch, _DOT.split(text))) or "[-]" in text:
            raise DataError(f"{text!r} is not a path. Write a column such as score, scores.overall or ratings[].value.")
        for name in path.placeholders:
            if name not in PLACEHOLDERS:
                raise DataError(f"{text!r} remembers {{{name}}}. Known: {', '.join(PLACEHOLDERS)}.")
        return path

    def __str__(self) -> str:
        return f"`{self.text}`" if self.is_exact else self.text

    @property
    def placeholders(self) -> list[str]:
        """The names that the path remembers."""
        return [] if self.is_exact else [name for name, _ in _WILD.findall(self.text) if name]

    @property
    def is_wild(self) -> bool:
        """Whether the path may match several values of a record."""
        return not self.is_exact and (bool(_WILD.search(self.text)) or "[]" in self.text)

    def matches(self, record: Mapping[str, Any]) -> list[Match]:
        """All values of a record that the path matches, in the order of the record."""
        if self.text in record:
            return [Match(record[self.text], self.text)]
        if self.is_exact:
            return []
        if _WILD.search(self.text):
            whole = [Match(record[key], key, names) for key, names in _keys(self._pattern, record)]
            if whole:
                return whole
        if not self._is_deep:
            return []
        reached = [Match(record, "")]
        for key, steps in self._segments:
            reached = [inner for outer in reached for inner in _entered(outer, key, steps)]
        return reached

    def first_key(self, record: Mapping[str, Any]) -> set[str]:
        """The top-level keys that the path matches as a whole: those it uses up."""
        return {match.where for match in self.matches(record) if match.where in record}

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return _pattern(self.text)

    @property
    def _is_deep(self) -> bool:
        plain = _WILD.sub("", self.text)
        return "." in plain or "[" in plain

    @cached_property
    def _segments(self) -> list[tuple[re.Pattern[str] | str, list[str]]]:
        segments: list[tuple[re.Pattern[str] | str, list[str]]] = []
        for text in _DOT.split(self.text):
            match = _SEGMENT.fullmatch(text)
            assert match is not None
            key = _pattern(match["key"]) if _WILD.search(match["key"]) else match["key"]
            segments.append((key, re.findall(r"\[(-?\d*)\]", match["steps"])))
        return segments


def _pattern(text: str) -> re.Pattern[str]:
    """A regular expression for keys."""
    parts, end = [], 0
    for wild in _WILD.finditer(text):
        parts.append(re.escape(text[end : wild.start()]))
        known = "|".join(map(re.escape, wild[2].split("|"))) if wild[2] else ".+"
        parts.append(f"(?P<{wild[1]}>{known})" if wild[1] else ".*")
        end = wild.end()
    return re.compile("".join(parts) + re.escape(text[end:]), re.DOTALL)


def _keys(pattern: re.Pattern[str] | str, record: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, str]]]:
    if isinstance(pattern, str):
        if pattern in record:
            yield pattern, {}
        return
    for key in record:
        match = pattern.fullmatch(key)
        if match:
            yield key, match.groupdict()


def _entered(outer: Match, key: re.Pattern[str] | str, steps: list[str]) -> Iterator[Match]:
    inside = opened(outer.value)
    reached: Iterator[Match] | list[Match]
    if key == "":  # a path such as [].rating
        reached = [outer]
    elif isinstance(inside, Mapping):
        reached = [
            Match(inside[name], f"{outer.where}.{name}" if outer.where else name, {**outer.names, **names})
            for name, names in _keys(key, inside)
        ]
    else:
        return
    for step in steps:
        reached = [element for match in reached for element in _elements(match, step)]
    yield from reached


def _elements(match: Match, step: str) -> Iterator[Match]:
    values = opened(match.value)
    if not isinstance(values, list | tuple):
        return
    if step:
        if -len(values) <= int(step) < len(values):
            yield Match(values[int(step)], f"{match.where}[{step}]", match.names)
        return
    for position, value in enumerate(values):
        yield Match(value, f"{match.where}[{position}]", {**match.names, f"{match.where}[]": position})


def opened(value: Any) -> Any:
    """The list or object in a text that is JSON; any other value unchanged."""
    if isinstance(value, str) and value[:1] in ("[", "{"):
        try:
            return parse(value)
        except (ValueError, RecursionError):
            return value
    return value
