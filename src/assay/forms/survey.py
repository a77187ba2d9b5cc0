"""Questions about the annotator or the study as a whole: demographics, an exit survey."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from assay.forms.pages import Card, Field, Option
from assay.forms.posted import Posted, read_posted

QuestionKind = Literal["choice", "line", "area", "number"]


@dataclass(frozen=True)
class Question:
    """A question of a survey; its answers describe annotators and are no judgments.

    Attributes:
        name: of the answer.
        question: the wording.
        kind: choice, line, area or number.
        answers: of a choice.
        required: whether it must be answered.
    """

    name: str
    question: str
    kind: QuestionKind = "line"
    answers: tuple[str, ...] = ()
    required: bool = False

    def __post_init__(self) -> None:
        if (self.kind == "choice") != bool(self.answers):
            raise ValueError(
                f"the question {self.name!r} is of the kind {self.kind!r}. Give answers to a choice, and only to it."
            )


def survey_card(questions: Sequence[Question]) -> Card:
    """All questions of a survey."""
    return Card(
        tuple(
            Field(one.name, one.kind, one.question, tuple(Option(word, word) for word in one.answers), one.required)
            for one in questions
        )
    )


def read_survey(questions: Sequence[Question], posted: Posted) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """The answers to a survey, or its problems by question."""
    return read_posted(survey_card(questions), posted)
