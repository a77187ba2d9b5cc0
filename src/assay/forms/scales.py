"""Forms about one text: typicality, real or fake, and ratings by several criteria."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from assay.forms.pages import Card, Field, Shown
from assay.forms.questionnaire import Payload, Questionnaire, Row, Subject
from assay.forms.questions import question_of
from assay.records import Dataset

COMMENT = "comment"


@dataclass(frozen=True)
class Scales(Questionnaire):
    """Each criterion is asked about a text, each on its own scale.

    Attributes:
        context: whether the context is shown.
        comment: whether a comment may be left on each text.
    """

    context: bool = True
    comment: bool = False

    ABOUT: ClassVar[str] = "output"
    SHOWS: ClassVar[Mapping[str, Any]] = {"text": str}

    def units(self, dataset: Dataset) -> Iterator[Subject]:
        """Every output."""
        yield from output_units(dataset, with_context=self.context)

    def card(self, payload: Payload, order_seed: int, prefix: str = "") -> Card:
        """The text, and one question per criterion."""
        asked = [question_of(criterion) for criterion in self.criteria]
        if self.comment:
            asked.append(Field(COMMENT, "area", self.words["comment"], required=False))
        shown = (*self.context_of(payload), Shown(payload["text"], self.words["text"]))
        return Card(tuple(asked), shown, prefix)

    def judgments(self, payload: Payload, order_seed: int, answers: Mapping[str, Any]) -> list[Row]:
        """A number per criterion; the comment stands beside each."""
        columns = {COMMENT: answers[COMMENT]} if answers.get(COMMENT) else {}
        return [
            Row("output", payload["output"], one.name, float(answers[one.name]), columns=columns)
            for one in self.criteria
        ]


def output_units(dataset: Dataset, *, with_context: bool) -> Iterator[Subject]:
    """Every output as a unit."""
    for output in dataset.iter_outputs():
        payload = {"output": output.id, "text": output.text}
        if with_context and output.item.context:
            payload["context"] = output.item.context
        yield Subject("output", output.id, payload, output.item.id, output.system)
