"""A protocol: all that annotators of a study see and all rules of it, in one TOML file with a content hash."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from assay.annotate.records import Rules, Unit
from assay.errors import DataError
from assay.forms import Questionnaire
from assay.forms.survey import Question
from assay.io import load
from assay.io.catalogue import PREFIX
from assay.records import Dataset

PRACTICE, QUALIFICATION, SURVEY, INSTRUCTIONS = "practice", "qualification", "survey", "instructions"


@dataclass(frozen=True)
class Example:
    """A unit with a known answer: a check of attention, a practice question or one of a test.

    Attributes:
        payload: what is shown.
        answers: the accepted answers by field.
        why: what is said about the answer, after a practice question.
    """

    payload: Mapping[str, Any]
    answers: Mapping[str, tuple[str, ...]]
    why: str = ""

    def passed(self, given: Mapping[str, Any]) -> bool:
        """Whether every known answer was given."""
        return all(str(given.get(name, "")) in accepted for name, accepted in self.answers.items())


@dataclass(frozen=True)
class Panel:
    """Where annotators come from.

    Attributes:
        name: of the panel; empty for a plain link.
        person: the parameter of the link that names a person.
        session: the one that names a participation.
        parameters: others to keep with them.
        completion_url: where to return to; `{code}` is the completion code.
    """

    name: str = ""
    person: str = ""
    session: str = ""
    parameters: tuple[str, ...] = ()
    completion_url: str = ""

    def read(self, query: Mapping[str, str]) -> dict[str, str]:
        """What a link says about who comes, as the service takes it."""
        given = {"panel": self.name} if self.name else {}
        for key, parameter in (("person", self.person), ("session", self.session)):
            if parameter and query.get(parameter):
                given[key] = query[parameter]
        return given | {name: query[name] for name in self.parameters if query.get(name)}


@dataclass(frozen=True)
class Protocol:
    """A parsed protocol file. Its attributes are the keys and tables of the file, in docs/protocol.md."""

    path: Path
    text: str
    content: Mapping[str, Any]
    title: str
    form: Questionnaire
    data: tuple[str, ...]
    systems: tuple[str, ...]
    language: str
    direction: str
    rules: Rules
    seconds_per_unit: float
    panel: Panel
    consent: str
    instructions: str
    practice: tuple[Example, ...]
    qualification: tuple[Example, ...]
    pass_share: float
    attempts: int
    checks: tuple[Example, ...]
    survey: tuple[Question, ...]
    interface: Mapping[str, str]
    retention: str

    @cached_property
    def sha(self) -> str:
        """The hash of the content: comments, blanks and the order of keys do not count."""
        return sha256(json.dumps(self.content, sort_keys=True, default=str).encode()).hexdigest()

    @property
    def sources(self) -> list[str]:
        """The data: catalogue names, or paths relative to the protocol."""
        return [name if name.startswith(PREFIX) else str(self.path.parent / name) for name in self.data]

    def dataset(self) -> Dataset:
        """Read the data that is judged."""
        data = load(self.sources[0] if len(self.sources) == 1 else self.sources)
        return data.filter(system=self.systems) if self.systems else data

    def units(self, dataset: Dataset) -> list[Unit]:
        """The units of the study, and its checks of attention."""
        units = [Unit(one.id, one.kind, one.payload, one.item, one.stratum) for one in self.form.units(dataset)]
        if not units:
            raise DataError(
                f"{self.path.name}: the form {self.form.name!r} finds nothing to ask in the data. {self._remedy}"
            )
        return units + [
            Unit(
                f"check {place}",
                "check",
                dict(one.payload),
                gold={key: list(value) for key, value in one.answers.items()},
            )
            for place, one in enumerate(self.checks, 1)
        ]

    def word(self, name: str, **values: object) -> str:
        """A text of the interface, with its values filled in."""
        text = self.interface[name]
        for key, value in values.items():
            text = text.replace("{" + key + "}", str(value))
        return text

    @property
    def _remedy(self) -> str:
        return {
            "pair": "It compares outputs: for a preference, of two systems for one item.",
            "set": "It needs sets of two or more outputs.",
            "set pair": "It needs two sets for one item, each of two or more outputs.",
        }.get(self.form.ABOUT, 'It needs a "context", or "choices" with a "target", on its lines.')
