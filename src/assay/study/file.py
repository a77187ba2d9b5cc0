"""The study file, `study.toml`. Every error names its key and line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay.errors import AssayError, DataError, did_you_mean
from assay.io.catalogue import PREFIX
from assay.io.criteria import criteria_of
from assay.io.mapping import read_column_map
from assay.io.paths import is_folder, text_of
from assay.io.special.judgment_stores import is_database
from assay.io.toml import parse_toml
from assay.io.toml_lines import Place, lines_of
from assay.records.criteria import Criteria
from assay.run.folds import Folds
from assay.run.requests import Requests
from assay.study.keys import Positive, Seed, WholeNumber
from assay.study.step import Step, broken_steps, steps
from assay.typed_values import BadValue, fit

TOP = {
    "title": str,
    "data": str | tuple[str, ...],
    "map": str,
    "systems": tuple[str, ...],
    "seed": Seed,
    "resamples": WholeNumber,
    "train": str,
    "folds": Positive,
    "leave_out": str,
    "requests": Positive,
    "max_requests": WholeNumber,
    "offline": bool,
}


@dataclass(frozen=True)
class Study:
    """A parsed study file."""

    path: Path
    title: str
    data: str | tuple[str, ...]
    systems: tuple[str, ...]
    seed: int
    resamples: int
    steps: Mapping[str, Step]
    criteria: Criteria = field(default_factory=dict)
    train: str = ""
    folds: Folds | None = None
    requests: Requests = field(default_factory=Requests)
    map: str | Mapping[str, Any] | None = None

    @property
    def sources(self) -> list[str]:
        """The data: catalogue names, or paths relative to the study file."""
        names = (self.data,) if isinstance(self.data, str) else self.data
        return [self.located(name) for name in names]

    @property
    def mapping(self) -> str | Path | Mapping[str, Any] | None:
        """The column mapping; a TOML file is relative to the study file."""
        if isinstance(self.map, str) and self.map.endswith(".toml"):
            return self.path.parent / self.map
        return self.map

    def located(self, data: str) -> str:
        """Resolve a path relative to the study file; a catalogue name is returned unchanged."""
        return data if data.startswith(PREFIX) or is_database(data) else str(self.path.parent / data)


def read_study(path: Path) -> Study:
    """Read and check a study file; all errors are reported together."""
    if is_folder(path):
        raise DataError(f"{path}: a folder. Name the study file in it.")
    try:
        text = text_of(path)
    except DataError as error:
        if "no such file" not in str(error):
            raise
        raise DataError(f"{path}: no such file. Write one with: assay init outputs.jsonl > {path.name}") from None
    return _Reader(path, text, parse_toml(text, path.name)).study()


class _Reader:
    def __init__(self, path: Path, text: str, tables: dict[str, Any]) -> None:
        self.path, self.lines, self.tables = path, lines_of(text), tables
        self.problems: list[str] = []

    def study(self) -> Study:
        known = steps()
        top: dict[str, Any] = {"title": self.path.stem, "data": "", "systems": (), "seed": 0, "resamples": 1000}
        chosen: dict[str, Step] = {}
        criteria: Criteria = {}
        for key, value in self.tables.items():
            if key == "criteria" and isinstance(value, dict):
                criteria = self._criteria(value)
            elif key == "map" and isinstance(value, dict):
                top[key] = self._map(value)
            elif key in known and isinstance(value, dict):
                chosen[key] = self._step(key, known[key], value)
            elif key in TOP and not isinstance(value, dict):
                top[key] = self._value((key,), key, value, TOP[key])
            else:
                self._problem((key,), _misplaced(key, value))
        named = [(name, step.data()) for name, step in chosen.items() if step is not None and step.data()]
        if named and top["data"]:
            self._problem(("data",), f"[{named[0][0]}] says where the data is. Leave data out, or the table.")
        top["data"] = top["data"] or (named[0][1] if named else "")
        if not top["data"] and not self.problems:
            self._problem(("data",), 'no data. Write data = "outputs.jsonl".')
        if not chosen and not self.problems:
            self._problem((), f"no step. Add one of {', '.join(f'[{name}]' for name in known)}.")
        leave_out, n_folds = top.pop("leave_out", None), top.pop("folds", None)
        if (leave_out or n_folds) and not self.problems:
            try:
                top["folds"] = Folds(leave_out or "item", n_folds)
            except AssayError as error:
                self._problem(("leave_out" if leave_out else "folds",), str(error))
        sending = {"at_once": top.pop("requests", 8), "most": top.pop("max_requests", None)}
        if self.problems:
            raise DataError(self.problems)
        top["requests"] = Requests(**sending, offline=top.pop("offline", False))
        ordered = {name: chosen[name] for name in known if name in chosen}
        return Study(self.path, **top, steps=ordered, criteria=criteria)

    def _criteria(self, tables: dict[str, Any]) -> Criteria:
        """Read the tables [criteria.NAME]."""
        criteria, problems = criteria_of(tables)
        for name, why in problems.items():
            self._problem(("criteria", name), f"[criteria.{name}] {why}")
        return criteria

    def _map(self, table: dict[str, Any]) -> dict[str, Any]:
        """Check the table [map]; its columns are checked against the data."""
        try:
            read_column_map(table)
        except DataError as error:
            for problem in error.problems:
                self._problem(("map",), f"[map] {problem.removeprefix('map: ')}")
        return table

    def _step(self, name: str, kind: type[Step], table: dict[str, Any]) -> Any:
        """Build a step; None if its keys are wrong."""
        keys = kind.keys()
        before = len(self.problems)
        accepted = {}
        for key, value in table.items():
            label = f"[{name}] {key}"
            if key not in keys:
                self._problem((name, key), f"[{name}] has no key {key!r}.{did_you_mean(key, keys)}")
                continue
            accepted[key] = self._value((name, key), label, value, keys[key].kind)
            if accepted[key] == () and not keys[key].may_be_empty:
                remedy = "Name at least one" if keys[key].required else "Name at least one, or leave the key out"
                self._problem((name, key), f"{label}: the list is empty. {remedy}.")
        for key, spec in keys.items():
            if spec.required and key not in table:
                self._problem((name,), f"[{name}] needs the key {key!r}.")
        if len(self.problems) > before:
            return None
        try:
            return kind(**accepted)
        except AssayError as error:
            self._problem((name,), f"[{name}]: {error}")
            return None

    def _value(self, place: Place, label: str, value: Any, kind: Any) -> Any:
        try:
            checked = fit(value, kind)
            # Duplicates in a list are ignored.
            return tuple(dict.fromkeys(checked)) if isinstance(checked, tuple) else checked
        except BadValue as wrong:
            if not wrong.elements:
                self._problem(place, f"{label}: {wrong}")
            for position, why in wrong.elements.items():
                self._problem((*place, position), f"{label}: {why}")
            return None

    def _problem(self, place: Place, text: str) -> None:
        """Record a problem at a place of the file, or at its nearest enclosing table."""
        while place and place not in self.lines:
            place = place[:-1]
        self.problems.append(f"{self.path.name} line {self.lines.get(place, 1)}: {text}")


def _misplaced(key: str, value: Any) -> str:
    """Say why a key or table is not allowed at the top level."""
    is_table = isinstance(value, dict) or (isinstance(value, list) and any(isinstance(part, dict) for part in value))
    if key in broken_steps():
        return f"[{key}]: {broken_steps()[key]}"
    if key in steps():
        return f"write [{key}], once, with its keys below it."
    if key in TOP:
        return f"{key} is a key, not a table. Write {key} = ... above the first table."
    if is_table:
        return f"no step [{key}].{did_you_mean(key, steps())}"
    return f"no key {key!r}.{did_you_mean(key, TOP)}"
