"""`study.toml`: what to measure. Every mistake is named with its key and line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.errors import AssayError, DataError, did_you_mean
from assay.io.catalogue import PREFIX
from assay.study.keys import BadValue, WholeNumber, fitted
from assay.study.step import Step, steps

TOP = {"title": str, "data": str, "systems": tuple[str, ...], "seed": WholeNumber, "resamples": WholeNumber}


@dataclass(frozen=True)
class Study:
    """A study as its file describes it."""

    path: Path
    title: str
    data: str
    systems: tuple[str, ...]
    seed: int
    resamples: int
    steps: Mapping[str, Step]

    @property
    def source(self) -> str:
        """Where the data is: a catalogue name, or a path as seen from the study file."""
        return self.data if self.data.startswith(PREFIX) else str(self.path.parent / self.data)


def read_study(path: Path) -> Study:
    """Read and check a study file; all mistakes are listed together."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path}: cannot be read ({error}). Check the name; write it in UTF-8.") from None
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"{path.name}: not TOML: {error}.") from None
    return _Reader(path, text, tables).study()


class _Reader:
    def __init__(self, path: Path, text: str, tables: dict[str, Any]) -> None:
        self.path, self.lines, self.tables = path, text.splitlines(), tables
        self.problems: list[str] = []

    def study(self) -> Study:
        known = steps()
        top: dict[str, Any] = {"title": self.path.stem, "data": "", "systems": (), "seed": 0, "resamples": 1000}
        chosen: dict[str, Step] = {}
        for key, value in self.tables.items():
            if isinstance(value, dict):
                if key in known:
                    chosen[key] = self._step(key, known[key], value)
                else:
                    self._problem(key, "", f"no step [{key}].{did_you_mean(key, known)}")
            elif key not in TOP:
                self._problem("", key, f"no key {key!r}.{did_you_mean(key, TOP)}")
            else:
                top[key] = self._value("", key, value, TOP[key])
        if not top["data"] and not self.problems:
            self._problem("", "data", 'no data. Write data = "outputs.jsonl".')
        if not chosen and not self.problems:
            self._problem("", "", f"no step. Add one of {', '.join(f'[{name}]' for name in known)}.")
        if self.problems:
            raise DataError(self.problems)
        return Study(self.path, **top, steps={name: chosen[name] for name in known if name in chosen})

    def _step(self, name: str, kind: type[Step], given: dict[str, Any]) -> Any:
        """Make the step, or None where something is wrong with its keys."""
        keys = kind.keys()
        before = len(self.problems)
        accepted = {}
        for key, value in given.items():
            if key in keys:
                accepted[key] = self._value(name, key, value, keys[key][0])
            else:
                self._problem(name, key, f"[{name}] has no key {key!r}.{did_you_mean(key, keys)}")
        for key, (_, required) in keys.items():
            if required and key not in given:
                self._problem(name, "", f"[{name}] needs the key {key!r}.")
        if len(self.problems) > before:
            return None
        try:
            return kind(**accepted)
        except AssayError as error:
            self._problem(name, "", f"[{name}]: {error}")
            return None

    def _value(self, table: str, key: str, value: Any, kind: Any) -> Any:
        try:
            return fitted(value, kind)
        except BadValue as wrong:
            self._problem(table, key, f"{f'[{table}] ' if table else ''}{key}: {wrong}")
            return None

    def _problem(self, table: str, key: str, text: str) -> None:
        self.problems.append(f"{self.path.name} line {self._line(table, key)}: {text}")

    def _line(self, table: str, key: str) -> int:
        """The line a key of a table stands on, or the line of the table's header, or the first."""
        inside, header = table == "", 1
        for number, line in enumerate(self.lines, 1):
            heading = re.match(r"\s*\[\s*([^\]]+?)\s*\]", line)
            if heading:
                inside = heading[1] == table
                header = number if inside else header
            elif inside and key and re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*=", line):
                return number
        return header
