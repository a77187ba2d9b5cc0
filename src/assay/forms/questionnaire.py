"""What every questionnaire does: find its units in data, ask about one, read the answers, and say what they judge."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from random import Random
from typing import Any, ClassVar

from assay.forms.pages import Card, FormPage, Shown
from assay.forms.posted import Posted, read_posted
from assay.forms.prompts import prompt_of
from assay.records import Criterion, Dataset

Payload = Mapping[str, Any]
Answers = dict[str, Any]

WRITTEN = "written"
"""The kind of a row whose value is a new text, for the item `unit`, of the system `criterion`."""


@dataclass(frozen=True)
class Subject:
    """A unit to ask about: all that a form needs to show it is in the payload, as JSON.

    Attributes:
        kind: what it is: output, pair, set, set pair, item or game.
        id: unique among the units of a study.
        payload: what is shown, and the ids of what is judged.
        item: the item it belongs to.
        stratum: its system; the systems of two, joined by `|`.
    """

    kind: str
    id: str
    payload: dict[str, Any]
    item: str
    stratum: str


@dataclass(frozen=True)
class Row:
    """One answer as a row of the data format, but for who gave it.

    Attributes:
        kind: of the judged unit, output or set; or WRITTEN.
        unit: the id of what is judged.
        criterion: what was asked.
        value: a number or a text.
        other: the second of a pair, or None.
        columns: kept with the judgment, such as the order in which things were shown.
    """

    kind: str
    unit: str
    criterion: str
    value: float | str
    other: str | None = None
    columns: Mapping[str, float | str] = field(default_factory=dict)


@dataclass(frozen=True)
class Questionnaire(ABC):
    """A form. All its wording is given: nothing that an annotator reads is in the code.

    Attributes:
        name: of the form.
        instruction: what annotators read above the units.
        criteria: what is asked; an export declares them.
        words: headings and labels, by the names in WORDS.
    """

    name: str
    instruction: str
    criteria: tuple[Criterion, ...]
    words: Mapping[str, str]

    ABOUT: ClassVar[str] = ""
    """The unit of its criteria."""
    SHOWS: ClassVar[Mapping[str, Any]] = {}
    """The keys of a payload that an example must have, and their types."""

    @abstractmethod
    def units(self, dataset: Dataset) -> Iterator[Subject]:
        """The units of a dataset, in its order."""

    @abstractmethod
    def card(self, payload: Payload, order_seed: int, prefix: str = "") -> Card:
        """What is shown and asked of one unit; whatever has an order is shown in that of the seed."""

    @abstractmethod
    def judgments(self, payload: Payload, order_seed: int, answers: Mapping[str, Any]) -> list[Row]:
        """The rows that the answers about one unit are."""

    def page(self, payloads: Sequence[Payload], order_seeds: Sequence[int]) -> FormPage:
        """The units of a page, one card each."""
        cards = [
            self.card(payload, seed, f"u{place}.")
            for place, (payload, seed) in enumerate(zip(payloads, order_seeds, strict=True), 1)
        ]
        return FormPage(self.instruction, tuple(cards))

    def parse(self, payload: Payload, order_seed: int, posted: Posted, prefix: str = "") -> tuple[Answers, Answers]:
        """Read what was posted for one unit: the answers, and the problems by field. One of them is empty."""
        return read_posted(self.card(payload, order_seed, prefix), posted)

    def as_given(self, order_seed: int, answers: Mapping[str, Any]) -> Mapping[str, Any]:
        """The answers as if everything had been shown in the order of the payload, to compare with known ones."""
        return answers

    def prompt(self, payload: Payload, order_seed: int) -> str:
        """The same question for a language model."""
        return prompt_of(self.instruction, self.card(payload, order_seed))

    @classmethod
    def options(cls) -> dict[str, Any]:
        """The settings of this form beyond wording and criteria: their annotations by name."""
        shared = {one.name for one in fields(Questionnaire)}
        return {one.name: one.type for one in fields(cls) if one.name not in shared}

    def context_of(self, payload: Payload) -> tuple[Shown, ...]:
        """The context of a unit that has one."""
        context = payload.get("context", "")
        return (Shown(context, self.words["context"], apart=True),) if context else ()


def shuffled(n: int, order_seed: int) -> list[int]:
    """A permutation that depends on the seed alone, on every machine."""
    rng = Random(order_seed)
    keys = [rng.random() for _ in range(n)]
    return sorted(range(n), key=keys.__getitem__)


def order_text(order: Sequence[int]) -> str:
    """An order as it is kept with a judgment."""
    return " ".join(map(str, order))
