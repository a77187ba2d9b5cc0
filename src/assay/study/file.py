"""`study.toml`: what to measure. Every mistake is named with its key and line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import UnionType
from typing import Any, Union, get_args, get_origin

from assay.errors import DataError, did_you_mean
from assay.io.catalogue import PREFIX
from assay.study.step import Step, steps

TOP = {"title": str, "data": str, "systems": list, "seed": int, "resamples": int}


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
        top: dict[str, Any] = {"title": self.path.stem, "data": "", "systems": [], "seed": 0, "resamples": 1000}
        chosen: dict[str, Step] = {}
        for key, value in self.tables.items():
            if isinstance(value, dict):
                if key in known:
                    chosen[key] = self._step(key, known[key], value)
                else:
                    self._problem(key, "", f"no step [{key}].{did_you_mean(key, known)}")
            elif key not in TOP:
                self._problem("", key, f"no key {key!r}.{did_you_mean(key, TOP)}")
            elif not isinstance(value, TOP[key]) or isinstance(value, bool):
                self._problem("", key, f"{key} is {value!r}. Give {_called(TOP[key])}.")
            else:
                top[key] = value
        if not top["data"] and not self.problems:
            self._problem("", "data", 'no data. Write data = "outputs.jsonl".')
        if not chosen and not self.problems:
            self._problem("", "", f"no step. Add one of {', '.join(f'[{name}]' for name in known)}.")
        if self.problems:
            raise DataError(self.problems)
        in_order = {name: chosen[name] for name in known if name in chosen}
        return Study(
            self.path, top["title"], top["data"], tuple(top["systems"]), top["seed"], top["resamples"], in_order
        )

    def _step(self, name: str, kind: type[Step], given: dict[str, Any]) -> Any:
        keys = kind.keys()
        accepted = {}
        for key, value in given.items():
            if key not in keys:
                self._problem(name, key, f"[{name}] has no key {key!r}.{did_you_mean(key, keys)}")
                continue
            fitted = _fitted(value, keys[key][0])
            if fitted is _WRONG:
                self._problem(name, key, f"[{name}] {key} is {value!r}. Give {_called(keys[key][0])}.")
            else:
                accepted[key] = fitted
        for key, (_, required) in keys.items():
            if required and key not in given:
                self._problem(name, "", f"[{name}] needs the key {key!r}.")
        if set(accepted) != set(given) or any(required and key not in given for key, (_, required) in keys.items()):
            return None
        return kind(**accepted)

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


_WRONG = object()


def _fitted(value: Any, kind: Any) -> Any:
    """The value as the key's type wants it, or _WRONG."""
    if get_origin(kind) in (Union, UnionType):
        options = [_fitted(value, part) for part in get_args(kind)]
        return next((option for option in options if option is not _WRONG), _WRONG)
    if get_origin(kind) is tuple:
        parts = [_fitted(part, get_args(kind)[0]) for part in value] if isinstance(value, list) else [_WRONG]
        return _WRONG if _WRONG in parts else tuple(parts)
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, bool) and kind is not bool:
        return _WRONG
    return value if isinstance(kind, type) and isinstance(value, kind) else _WRONG


def _called(kind: Any) -> str:
    if get_origin(kind) in (Union, UnionType):
        return " or ".join(_called(part) for part in get_args(kind) if part is not type(None))
    if get_origin(kind) is tuple:
        return f"a list of {_called(get_args(kind)[0]).removeprefix('a ')}s"
    return {str: "a text", int: "a whole number", float: "a number", bool: "true or false", list: "a list"}[kind]
