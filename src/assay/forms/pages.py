"""A page of a questionnaire as data: what is shown and what is asked. Templates and prompts are made from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

ShownKind = Literal["text", "color", "record"]
FieldKind = Literal["choice", "number", "line", "area", "tick", "spans"]

MOST_WRITTEN = 20_000
"""The most characters of one answer in words."""


@dataclass(frozen=True)
class Shown:
    """Something to look at. A record is JSON, a color a text such as `hsl(313, 99%, 50%)`.

    Attributes:
        content: exactly what is judged.
        label: the heading above it.
        kind: how it is shown.
        boxed: whether it is the one that is meant.
        apart: whether it stands apart from the others, as the context does.
    """

    content: str
    label: str = ""
    kind: ShownKind = "text"
    boxed: bool = False
    apart: bool = False


@dataclass(frozen=True)
class Option:
    """One of the answers to choose from: what is posted, its word, what the word means, and what is shown for it."""

    value: str
    label: str
    note: str = ""
    shown: Shown | None = None


@dataclass(frozen=True)
class Field:
    """One question.

    Attributes:
        name: of the answer, unique on a card.
        kind: how it is answered.
        label: the question.
        options: of a choice.
        required: whether it must be answered.
        help: a remark below the question.
        low: the lowest number, of a number.
        high: the highest.
        group: fields of one group must not be answered alike: a copy is refused.
        text: what is marked, of spans.
        categories: of spans, with their words.
        severities: of spans, with their words.
    """

    name: str
    kind: FieldKind
    label: str
    options: tuple[Option, ...] = ()
    required: bool = True
    help: str = ""
    low: float | None = None
    high: float | None = None
    group: str = ""
    text: str = ""
    categories: Mapping[str, str] = field(default_factory=dict)
    severities: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Card:
    """What is shown of one unit, and the questions about it; the names of its fields begin with `prefix`."""

    fields: tuple[Field, ...]
    shown: tuple[Shown, ...] = ()
    prefix: str = ""


@dataclass(frozen=True)
class FormPage:
    """Several cards under one instruction."""

    instruction: str
    cards: tuple[Card, ...]
