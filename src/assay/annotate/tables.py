"""Tables of a TOML file, read key by key: problems are gathered with their lines."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay.errors import did_you_mean
from assay.io.toml import parse_toml
from assay.io.toml_lines import Place, lines_of
from assay.typed_values import BadValue, fit


class TableReader:
    """Reads tables and remembers what is wrong with them."""

    def __init__(self, path: Path, text: str) -> None:
        self.path, self.text = path, text
        self.content = parse_toml(text, path.name)
        self.lines = lines_of(text)
        self.problems: list[str] = []

    def texts(self, name: str, default: Mapping[str, str]) -> Mapping[str, str]:
        """Texts by name; those that are not given are the default."""
        given = self.values((name,), self.given(name), dict.fromkeys(default, str))
        return {**default, **given}

    def table(self, name: str, kinds: Mapping[str, Any]) -> dict[str, Any]:
        """The values of a table, each of its kind."""
        return self.values((name,), self.given(name), kinds)

    def given(self, name: str) -> dict[str, Any]:
        """A table as it stands in the file, empty if there is none."""
        table = self.content.get(name, {})
        return table if isinstance(table, dict) else {}

    def values(self, place: Place, table: Mapping[str, Any], kinds: Mapping[str, Any]) -> dict[str, Any]:
        """The values that fit their kinds; others are problems, and so are unknown keys."""
        label = f"[{place[0]}] " if place else ""
        values = {}
        for key, value in table.items():
            if key not in kinds:
                self.problem((*place, key), f"{label}has no key {key!r}.{did_you_mean(key, kinds)}")
                continue
            fitted = self.value((*place, key), f"{label}{key}", value, kinds[key])
            if fitted is not None:
                values[key] = fitted
        return values

    def value(self, place: Place, label: str, value: Any, kind: Any) -> Any:
        """A value of the kind; None, and a problem, if it does not fit."""
        try:
            return fit(value, kind)
        except BadValue as wrong:
            for why in wrong.elements.values() or [str(wrong)]:
                self.problem(place, f"{label}: {why}")
            return None

    def problem(self, place: Place, text: str) -> None:
        """Remember a problem at a place of the file, or at its nearest enclosing table."""
        while place and place not in self.lines:
            place = place[:-1]
        self.problems.append(f"{self.path.name} line {self.lines.get(place, 1)}: {text}")
