"""The column mapping of an MTurk batch file, in TOML. `{i}` is the index of a text on its page.

[page]
id = "HITId"                        # the column of page ids; texts are named PAGE-0, PAGE-1 ...
texts = 25                          # texts per page
worker = "WorkerId"                 # the default

[text]                              # the columns of a text; `text` is required, `id` replaces PAGE-0
text = "Input.OUT{i}"
context = "Input.CTX{i}"
system = "Input.TYPE{i}"
logprob = "Input.LOGP{i}"

[systems]
names = {SUM = "model"}             # new names of systems; others keep their name
people = ["human"]                  # the human systems
logprob = "model"                   # the system of `logprob`; by default the text's own

[valid]                             # valid assignments: the allowed values of a column
AssignmentStatus = ["Submitted", "Approved"]

[check]                             # the attention check: dropped, and a wrong answer invalidates the assignment
position = "Input.gotcha_locs"      # the column with its index on the page
column = "Answer.{i}"
answer = "fake"

[[answers]]
column = "Answer.{i}"
criterion = "typicality"
values = {Invalid = 0, Rare = 1}    # without it, numbers stay numbers and texts are labels

[criteria.typicality]               # the declaration of a criterion
question = "How typical is this headline?"
scale = "ordinal"

[judgment_columns]                  # columns stored with each answer
page_seconds = "WorkTimeInSeconds"
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping as Dict
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Any

from assay.errors import DataError, did_you_mean
from assay.io.criteria import criteria_of
from assay.io.paths import is_file, text_of
from assay.io.toml import parse_toml
from assay.records.criteria import Criteria

SHIPPED = Path(__file__).parent.parent / "mappings"

# More texts than on any page: a larger number is a typo.
MOST_TEXTS = 10_000

_KEYS: Dict[str, Dict[str, type]] = {
    "page": {"id": str, "texts": int, "worker": str},
    "text": {"id": str, "text": str, "context": str, "item": str, "system": str, "logprob": str},
    "systems": {"names": dict, "people": list, "logprob": str},
    "check": {"position": str, "column": str, "answer": str},
}
_SECTIONS = (*_KEYS, "valid", "answers", "criteria", "judgment_columns")


@dataclass(frozen=True)
class AnswerColumns:
    """A column of answers to one criterion, and the value of each answer."""

    column: str
    criterion: str
    values: Dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Check:
    """The attention check of a page."""

    position_column: str
    answer_column: str
    answer: str


@dataclass(frozen=True)
class Mapping:
    """The column mapping of a batch file."""

    page: str
    texts: int
    worker: str
    text_fields: Dict[str, str]
    system_names: Dict[str, str]
    people: tuple[str, ...]
    logprob_system: str
    valid: Dict[str, tuple[str, ...]]
    check: Check | None
    answers: tuple[AnswerColumns, ...]
    judgment_columns: Dict[str, str]
    criteria: Criteria

    def columns(self) -> Iterator[str]:
        """All required columns of the file."""
        yield from (self.page, self.worker, *self.valid, *self.judgment_columns.values())
        repeated = [*self.text_fields.values(), *(answers.column for answers in self.answers)]
        if self.check is not None:
            yield self.check.position_column
            repeated.append(self.check.answer_column)
        for column in repeated:
            yield from (column.replace("{i}", str(index)) for index in range(self.texts))


def shipped_mappings() -> list[str]:
    """The names of the bundled mappings."""
    return sorted(file.stem for file in SHIPPED.glob("*.toml"))


def is_batch_mapping(given: str | Path | Dict[str, Any]) -> bool:
    """Whether a mapping is of an MTurk batch: a bundled one, or a TOML file that describes pages."""
    if isinstance(given, Dict):
        return False
    if str(given) in shipped_mappings():
        return True
    # A name that is neither a file nor `field=column` is reported with the bundled ones.
    return "page" in parse_toml(text_of(given), str(given)) if is_file(given) else "=" not in str(given)


def read_mapping(name: str | Path) -> Mapping:
    """Read a mapping from a file, or a bundled one by name."""
    shipped = SHIPPED / f"{name}.toml"
    path = shipped if is_file(shipped) else Path(name)
    if not is_file(path):
        known = ", ".join(shipped_mappings())
        raise DataError(
            f"no mapping {str(name)!r}: write field=column,field=column, or name a TOML file, or one of {known}."
        )
    content = parse_toml(text_of(path), str(path))
    problems = list(_problems(content))
    if problems:
        raise DataError([f"{path}: {problem}" for problem in problems])
    return _mapping(content)


def _problems(content: Dict[str, Any]) -> Iterator[str]:
    for section in content:
        if section not in _SECTIONS:
            yield f"no section [{section}] is known.{did_you_mean(section, _SECTIONS)}"
    for section, keys in _KEYS.items():
        table = content.get(section, {})
        if not isinstance(table, dict):
            yield f"[{section}] is not a table."
            continue
        for key, value in table.items():
            if key not in keys:
                yield f"[{section}] has no key {key!r}.{did_you_mean(key, keys)}"
            elif not isinstance(value, keys[key]) or isinstance(value, bool):
                yield f"[{section}] {key} is {_shown(value)}, where a {_WORDS[keys[key]]} should be."
    for section, needed in (("page", ("id", "texts")), ("text", ("text",))):
        if isinstance(content.get(section, {}), dict):
            yield from (f"[{section}] lacks {key}." for key in needed if key not in content.get(section, {}))
    texts = content["page"].get("texts") if isinstance(content.get("page"), dict) else None
    if isinstance(texts, int) and not 1 <= texts <= MOST_TEXTS:
        yield f"[page] texts is {_shown(texts)}, and a page has 1 to {MOST_TEXTS} texts."
    if isinstance(content.get("check"), dict):
        yield from (f"[check] lacks {key}." for key in _KEYS["check"] if key not in content["check"])
    yield from _open_problems(content)


_WORDS: Dict[type, str] = {str: "text", int: "whole number", dict: "table", list: "list of texts"}


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:39] + "…"


def _open_problems(content: Dict[str, Any]) -> Iterator[str]:
    """Problems in the sections with arbitrary keys."""
    valid, columns, answers = (content.get(name, {}) for name in ("valid", "judgment_columns", "answers"))
    if not isinstance(valid, dict) or not all(_is_texts(allowed) for allowed in valid.values()):
        yield '[valid] needs lines as: AssignmentStatus = ["Submitted", "Approved"].'
    if not _is_table_of_texts(columns):
        yield '[judgment_columns] needs lines as: page_seconds = "WorkTimeInSeconds".'
    systems = content.get("systems", {})
    if isinstance(systems, dict) and not (
        _is_texts(systems.get("people", [])) and _is_table_of_texts(systems.get("names", {}))
    ):
        yield "[systems] people is a list of texts, and names a table of texts."
    criteria = content.get("criteria", {})
    if isinstance(criteria, dict):
        yield from (f"[criteria.{name}] {why}" for name, why in criteria_of(criteria)[1].items())
    else:
        yield "[criteria] is no table."
    if not isinstance(answers, list) or not answers:
        yield "[[answers]] is missing: say which column holds the answers to which criterion."
        return
    for table in answers:
        fits = isinstance(table, dict) and set(table) <= {"column", "criterion", "values"}
        if not fits or not all(isinstance(table.get(key), str) and table[key] for key in ("column", "criterion")):
            yield "[[answers]] takes column, criterion and values."
        elif not _is_numbers(table.get("values", {})):
            yield "[[answers]] values needs a number for each answer, as {real = 1, fake = 0}."


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(part, str) for part in value)


def _is_table_of_texts(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(part, str) for part in value.values())


def _is_numbers(value: Any) -> bool:
    return isinstance(value, dict) and all(
        isinstance(part, int | float) and abs(part) < inf and not isinstance(part, bool) for part in value.values()
    )


def _mapping(content: Dict[str, Any]) -> Mapping:
    page, systems, check = content["page"], content.get("systems", {}), content.get("check")
    return Mapping(
        page["id"],
        page["texts"],
        page.get("worker", "WorkerId"),
        content["text"],
        systems.get("names", {}),
        tuple(systems.get("people", [])),
        systems.get("logprob", ""),
        {column: tuple(allowed) for column, allowed in content.get("valid", {}).items()},
        Check(check["position"], check["column"], check["answer"]) if check else None,
        tuple(AnswerColumns(a["column"], a["criterion"], a.get("values", {})) for a in content["answers"]),
        content.get("judgment_columns", {}),
        criteria_of(content.get("criteria", {}))[0],
    )
