"""Games of speakers and listeners over colors, texts or records: one describes what is meant, the other finds it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any, ClassVar

import numpy as np

from assay.forms.pages import Card, Field, Option
from assay.forms.questionnaire import WRITTEN, Payload, Questionnaire, Row, Subject, order_text, shuffled
from assay.forms.questions import shown_choice
from assay.records import Dataset
from assay.records.choices import CHOICE


@dataclass(frozen=True)
class Speaker(Questionnaire):
    """A speaker sees all choices, one of them boxed, and writes an utterance for each condition.

    Attributes:
        conditions: the kinds of utterance, each with its question.
    """

    conditions: Mapping[str, str] | None = None

    SHOWS: ClassVar[Mapping[str, Any]] = {"choices": tuple[str, ...], "target": int}

    def units(self, dataset: Dataset) -> Iterator[Subject]:
        """Every item with choices of which one is certainly meant."""
        for row, name in enumerate(dataset.items.id):
            choices, target = dataset.items.choices[row], dataset.items.target[row]
            if len(choices) > 1 and len(target) and target.max() == 1.0:
                payload: dict[str, Any] = {"item": name, "choices": list(choices), "target": int(np.argmax(target))}
                if dataset.items.context[row]:
                    payload["context"] = dataset.items.context[row]
                yield Subject("game", name, payload, name, "")

    def card(self, payload: Payload, order_seed: int, prefix: str = "") -> Card:
        """The choices in an order drawn by lot with the meant one boxed, and a line per utterance."""
        order = shuffled(len(payload["choices"]), order_seed)
        shown = tuple(
            shown_choice(payload["choices"][at], ascii_uppercase[place % 26], boxed=at == payload["target"])
            for place, at in enumerate(order)
        )
        asked = tuple(Field(name, "line", question) for name, question in (self.conditions or {}).items())
        return Card(asked, (*self.context_of(payload), *shown), prefix)

    def judgments(self, payload: Payload, order_seed: int, answers: Mapping[str, Any]) -> list[Row]:
        """A new text per utterance, of the system that is named after its condition."""
        columns = {"shown": order_text(shuffled(len(payload["choices"]), order_seed))}
        return [Row(WRITTEN, payload["item"], name, answers[name], columns=columns) for name in self.conditions or {}]


@dataclass(frozen=True)
class Listener(Questionnaire):
    """A listener reads an utterance and chooses what it means."""

    ABOUT: ClassVar[str] = "output"
    SHOWS: ClassVar[Mapping[str, Any]] = {"text": str, "choices": tuple[str, ...], "target": int}

    def units(self, dataset: Dataset) -> Iterator[Subject]:
        """Every output for an item with choices of which one is certainly meant."""
        for output in dataset.iter_outputs():
            item = output.item
            if len(item.choices) > 1 and item.target and max(item.target) == 1.0:
                payload: dict[str, Any] = {"output": output.id, "text": output.text, "choices": list(item.choices)}
                payload["target"] = item.target.index(1.0)
                if item.context:
                    payload["context"] = item.context
                yield Subject("output", output.id, payload, item.id, output.system)

    def card(self, payload: Payload, order_seed: int, prefix: str = "") -> Card:
        """The utterance, and the choices in an order drawn by lot."""
        order = shuffled(len(payload["choices"]), order_seed)
        options = tuple(
            Option(str(at), ascii_uppercase[place % 26], shown=shown_choice(payload["choices"][at]))
            for place, at in enumerate(order)
        )
        asked = Field(self.criteria[0].name, "choice", self.criteria[0].question, options)
        said = shown_choice(payload["text"], self.words["utterance"])
        return Card((asked,), (*self.context_of(payload), said), prefix)

    def judgments(self, payload: Payload, order_seed: int, answers: Mapping[str, Any]) -> list[Row]:
        """1 if the meant one was chosen, else 0, and the position of the chosen one."""
        name = self.criteria[0].name
        chosen = int(answers[name])
        columns: dict[str, float | str] = {CHOICE: float(chosen)}
        columns |= {"shown": order_text(shuffled(len(payload["choices"]), order_seed))}
        return [Row("output", payload["output"], name, float(chosen == payload["target"]), columns=columns)]
