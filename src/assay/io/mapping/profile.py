"""What the columns of a foreign table hold: the evidence for a guessed mapping."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from assay.io.mapping.cells import is_gap, with_points
from assay.io.mapping.paths import Path, opened
from assay.records.columns import looks_like_number, number_in

MOST_DEPTH = 6


@dataclass(frozen=True)
class Profile:
    """One column, possibly nested: its path and its values without gaps."""

    path: str
    values: list[Any]
    n_rows: int
    is_column: bool = True
    """Whether the path is the name of a column, not that of a field inside one."""

    @property
    def name(self) -> str:
        """The last key of the path in lower case, with underscores between words."""
        return normalized(self.path if self.is_phrase else self.path.replace("[]", "").rpartition(".")[2])

    @property
    def parent(self) -> str:
        """The key above the last one, normalized; empty at the top."""
        return "" if self.is_phrase else normalized(self.path.replace("[]", "").rpartition(".")[0].rpartition(".")[2])

    @property
    def is_phrase(self) -> bool:
        """Whether the name is that of a column in several words, whose dots do not separate keys."""
        return self.is_column and " " in self.path

    @property
    def words(self) -> set[str]:
        """The words of the name."""
        return set(self.name.split("_"))

    @property
    def place(self) -> Path:
        """The path to the values."""
        return Path.column(self.path) if self.is_column else Path(self.path)

    @property
    def list_path(self) -> str:
        """The path up to the last list, such as `annotations[]`; empty outside of lists."""
        return "" if self.is_column else self.path[: self.path.rfind("[]") + 2] if "[]" in self.path else ""

    @cached_property
    def numbers(self) -> list[float]:
        """The values as numbers, gaps left out; empty unless all are."""
        if any(isinstance(value, bool) or not isinstance(value, int | float | str) for value in self.values):
            return []
        if not all(not isinstance(value, str) or looks_like_number(value.strip()) for value in self.values):
            return []
        try:
            read = [number_in(value.strip()) if isinstance(value, str) else float(value) for value in self.values]
        except OverflowError:  # an integer beyond floats
            return []
        return [value for value in read if value is not None]

    @cached_property
    def distinct(self) -> int:
        """The number of different values."""
        return len(set(map(repr, self.values)))

    @cached_property
    def is_text(self) -> bool:
        """Whether all values are texts, and not all numbers."""
        return bool(self.values) and all(isinstance(value, str) for value in self.values) and not self.numbers

    @cached_property
    def is_texts(self) -> bool:
        """Whether all values are lists of texts, possibly stored as JSON."""
        inside = [opened(value) for value in self.values]
        return bool(inside) and all(
            isinstance(value, list) and all(isinstance(part, str) for part in value) for value in inside
        )

    @cached_property
    def length(self) -> float:
        """The mean length of the texts."""
        return sum(len(str(value)) for value in self.values) / max(1, len(self.values))

    @property
    def is_name(self) -> bool:
        """Whether the values can be names: short texts or whole numbers."""
        return bool(self.values) and all(
            (isinstance(value, str) and len(value) <= 200) or (isinstance(value, int) and not isinstance(value, bool))
            for value in self.values
        )

    def summary(self) -> str:
        """What the values are, in a few words."""
        if self.numbers:
            return f"numbers from {min(self.numbers):g} to {max(self.numbers):g}, {self.distinct} different"
        if self.is_texts:
            return "lists of texts"
        if self.is_text or self.is_name:
            return f"{self.distinct} different texts, {self.length:.0f} characters on average"
        return "values of several types" if self.values else "empty"


def normalized(name: str) -> str:
    """A name in lower case, camel case split, with underscores between words."""
    split = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name)
    return re.sub(r"[^a-z0-9]+", "_", split.lower()).strip("_")


def profiles(rows: Sequence[tuple[int, Mapping[str, Any]]], *, decimal_commas: bool = False) -> list[Profile]:
    """Profile every column and nested field, in order of appearance."""
    values: dict[str, list[Any]] = {}
    columns: set[str] = set()
    for _, row in rows:
        for key, value in row.items():
            columns.add(str(key))
            for path, part in _leaves(str(key), value, 0):
                plain = with_points(part) if decimal_commas and isinstance(part, str) else part
                values.setdefault(path, []).append(plain)
    return [
        Profile(path, [value for value in parts if not is_gap(value)], len(rows), path in columns)
        for path, parts in values.items()
    ]


def _leaves(path: str, value: Any, depth: int) -> Iterator[tuple[str, Any]]:
    inside = opened(value)
    if depth < MOST_DEPTH and isinstance(inside, Mapping) and inside:
        for key, part in inside.items():
            yield from _leaves(f"{path}.{key}", part, depth + 1)
    elif depth < MOST_DEPTH and isinstance(inside, list) and inside and all(isinstance(x, Mapping) for x in inside):
        for part in inside:
            yield from _leaves(f"{path}[]", part, depth + 1)
    else:
        yield path, value
