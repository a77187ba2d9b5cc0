"""Errors marked in a text: where, of which category, how severe. Spans may overlap."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from assay.forms.pages import Card, Field
from assay.forms.questionnaire import Payload, Questionnaire, Row, Subject
from assay.forms.scales import output_units
from assay.records import Dataset

NONE = "none"


@dataclass(frozen=True)
class Spans(Questionnaire):
    """Offsets count the characters of the text itself, from 0, the end exclusive.

    Attributes:
        categories: of errors, with their words.
        severities: with their words, mildest first.
        weights: what an error of each severity adds to the penalty of a text; by default 1 for the mildest, then 5.
        context: whether the context is shown.
    """

    categories: Mapping[str, str] | None = None
    severities: Mapping[str, str] | None = None
    weights: Mapping[str, float] | None = None
    context: bool = True

    ABOUT: ClassVar[str] = "output"
    SHOWS: ClassVar[Mapping[str, Any]] = {"text": str}

    def __post_init__(self) -> None:
        if set(self.weights or {}) != set(self.severities or {}):
            raise ValueError("weights and severities do not have the same names. Give each severity its weight.")
        if not self.categories or not self.severities:
            raise ValueError("needs a category and a severity at least.")

    def units(self, dataset: Dataset) -> Iterator[Subject]:
        """Every output."""
        yield from output_units(dataset, with_context=self.context)

    def card(self, payload: Payload, order_seed: int, prefix: str = "") -> Card:
        """The text to mark; a text without errors is to be called so."""
        asked = Field(
            "spans",
            "spans",
            self.criteria[0].question,
            required=not payload["text"] == "",
            help=self.words["how_to_mark"],
            text=payload["text"],
            categories=self.categories or {},
            severities=self.severities or {},
        )
        return Card((asked,), self.context_of(payload), prefix)

    def judgments(self, payload: Payload, order_seed: int, answers: Mapping[str, Any]) -> list[Row]:
        """The penalty of the text, with its spans as JSON beside it."""
        marked, weights = answers.get("spans", []), self.weights or {}
        penalty = float(sum(weights[severity] for *_, severity in marked))
        columns = {"spans": json.dumps(marked, ensure_ascii=False)}
        return [Row("output", payload["output"], self.criteria[0].name, penalty, columns=columns)]
