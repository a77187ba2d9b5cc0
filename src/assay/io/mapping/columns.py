"""A column mapping: fields of a flat file, each with the columns it comes from.

On one line `text=response,references=ref*,judgments.overall=score`, or the same in TOML:

text = "response"
references = "ref*"                    # or a list of columns
system = "'gpt-4'"                     # in quotes: the same for every line
context = "`Prompt [1-5], as shown`"   # in backticks: a column with any name

[judgments]
overall = ["rater_1", "rater_2"]

[criteria.overall]                     # the declaration of a criterion
scale = "ordinal"
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Any

from assay.errors import DataError, did_you_mean
from assay.io.criteria import criteria_of
from assay.io.mapping.paths import Path
from assay.io.paths import is_file, text_of
from assay.io.toml import parse_toml
from assay.records.criteria import Criteria

# Fields with one value per output.
SINGLE = ("id", "item", "system", "set", "context", "target", "human", "logprob", "n_tokens")
# Fields with several: each value is an output, or an element of a list.
MANY = ("text", "references", "choices")
# Ratings in long form: a row per answer.
LONG = ("annotator", "criterion", "value")
# The second output of a comparison.
OTHER = ("other.text", "other.system", "other.id")
# Fields followed by a name of the user's: `judgments.fluency`.
NAMED = ("judgments", "preferences", "logprobs", "params")
FIELDS = (*SINGLE, *MANY, *LONG, *OTHER, "rows")

_CONSTANT = re.compile(r"'([^']*)'|\"([^\"]*)\"")
_SEPARATED = re.compile(r"((?:'[^']*'|\"[^\"]*\"|`[^`]*`|\{[^}]*\}|[^,])*)(?:,|$)")


@dataclass(frozen=True)
class Constant:
    """The same value for every line."""

    value: str


Source = Path | Constant


@dataclass(frozen=True)
class ColumnMap:
    """The sources of each field; an empty list says that a column of this name is not the field."""

    fields: Mapping[str, tuple[Source, ...]]
    criteria: Criteria = field(default_factory=dict)

    def paths(self) -> Iterator[tuple[str, Path]]:
        """Every field with each of its columns."""
        for name, sources in self.fields.items():
            yield from ((name, source) for source in sources if isinstance(source, Path) and name != "rows")

    def named(self, prefix: str) -> dict[str, tuple[Source, ...]]:
        """The sources of `judgments.NAME` and the like, by name."""
        start = f"{prefix}."
        return {name.removeprefix(start): value for name, value in self.fields.items() if name.startswith(start)}

    @property
    def is_long(self) -> bool:
        """Whether several rows may be about one output: a row has an annotator of its own, or compares two outputs."""
        annotators = self.fields.get("annotator", ())
        per_row = any(isinstance(source, Path) and not source.is_wild for source in annotators)
        return per_row or bool(self.named("preferences")) or bool(self.fields.get("value"))

    @property
    def rows(self) -> str:
        """The path of the records in a JSON document; empty if they are its elements."""
        return next((source.text for source in self.fields.get("rows", ()) if isinstance(source, Path)), "")

    def __str__(self) -> str:
        """The mapping on one line."""
        return ",".join(
            f"{name}={written(source)}" for name, sources in self.fields.items() for source in (sources or (None,))
        )

    def as_toml(self) -> str:
        """The mapping as the keys of a TOML table."""
        return "".join(f"{_toml_key(name)} = {_toml_sources(sources)}\n" for name, sources in self.fields.items())


def read_column_map(given: str | FilePath | Mapping[str, Any]) -> ColumnMap:
    """Read a mapping: `field=column,...`, a TOML file, or a table of the same shape."""
    if isinstance(given, Mapping):
        return column_map(given, "map")
    if isinstance(given, str) and "=" in given and not is_file(given):
        return _inline(given)
    if not is_file(given):
        raise DataError(f"no mapping {str(given)!r}: write field=column,field=column, or name a TOML file.")
    return column_map(parse_toml(text_of(given), str(given)), str(given))


def column_map(content: Mapping[str, Any], source: str) -> ColumnMap:
    """A mapping from a TOML table; all problems are reported together."""
    problems: list[str] = []
    fields: dict[str, tuple[Source, ...]] = {}
    declared = content.get("criteria", {})
    criteria, wrong = criteria_of(declared) if isinstance(declared, dict) else ({}, {"": "is not a table."})
    problems += [f"[criteria.{name}] {why}" for name, why in wrong.items()]
    for name, value in _flattened(content):
        if not isinstance(value, str | list | tuple) or not all(isinstance(part, str) for part in value):
            problems.append(f"{name} is {str(value)[:40]!r}, not a column or a list of columns.")
            continue
        try:
            columns = (value,) if isinstance(value, str) else value
            _add(fields, name, columns)
        except DataError as error:
            problems += error.problems
    if problems:
        raise DataError([f"{source}: {problem}" for problem in problems])
    return ColumnMap(fields, criteria)


def _inline(text: str) -> ColumnMap:
    fields: dict[str, tuple[Source, ...]] = {}
    problems: list[str] = []
    for part in (match[1].strip() for match in _SEPARATED.finditer(text)):
        if not part:
            continue
        name, equals, column = part.partition("=")
        try:
            if not equals:
                raise DataError(f"{part!r} has no column. Write field=column, such as text=response.")
            _add(fields, name.strip(), [column.strip()])
        except DataError as error:
            problems += error.problems
    if problems:
        raise DataError([f"--map: {problem}" for problem in problems])
    return ColumnMap(fields)


def _flattened(content: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in content.items():
        if name == "criteria":
            continue
        if isinstance(value, Mapping):
            yield from ((f"{name}.{inner}", part) for inner, part in value.items())
        else:
            yield name, value


def _add(fields: dict[str, tuple[Source, ...]], name: str, columns: Iterable[str]) -> None:
    _check_field(name)
    sources = tuple(_source(column) for column in columns if column)
    if name in fields and name.partition(".")[0] not in ("judgments", "references", "choices", "text"):
        raise DataError(f"{name} is given twice. Keep one.")
    fields[name] = fields.get(name, ()) + sources
    placeholders = [part for source in sources if isinstance(source, Path) for part in source.placeholders]
    if "{criterion}" in name and "criterion" not in placeholders:
        raise DataError(f"{name} needs a column with {{criterion}}, such as score_{{criterion}}.")


def _check_field(name: str) -> None:
    first, _, rest = name.partition(".")
    if name in FIELDS or (first in NAMED and rest):
        return
    if first in NAMED:
        raise DataError(f"{name} needs a name: write {first}.NAME=column.")
    known = [*FIELDS, *(f"{field}.NAME" for field in NAMED)]
    raise DataError(f"no field {name!r}.{did_you_mean(name, known)}")


def _source(column: str) -> Source:
    constant = _CONSTANT.fullmatch(column)
    return Constant(constant[1] or constant[2] or "") if constant else Path.of(column)


def written(source: Source | None) -> str:
    """A column as a mapping names it."""
    if source is None:
        return ""
    return str(source) if isinstance(source, Path) else f"'{source.value}'"


def _toml_key(name: str) -> str:
    return ".".join(
        part if re.fullmatch(r"[A-Za-z0-9_-]+", part) else json.dumps(part, ensure_ascii=False)
        for part in name.split(".", 1)
    )


def _toml_sources(sources: tuple[Source, ...]) -> str:
    texts = [json.dumps(written(source), ensure_ascii=False) for source in sources] or ['""']
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
