"""A form: what is asked about a text or about two, and what the answers are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from assay.forms.pages import Card, Field, Option, Shown
from assay.forms.prompts import prompt_of
from assay.forms.questions import FIRST, MOST_ANSWERS, SECOND, TIE, closed_answers, question_of
from assay.records import Criterion, Output


@dataclass(frozen=True)
class Form:
    """One question with a closed list of answers.

    Attributes:
        criterion: the question and its scale; `unit` is output, or pair for a preference.
        instruction: what an annotator is told before the question.
    """

    criterion: Criterion
    instruction: str = ""

    def __post_init__(self) -> None:
        one = self.criterion
        if one.unit not in ("output", "pair"):
            raise ValueError(f"asks about units of the kind {one.unit!r}. A form asks about an output or a pair.")
        if not one.question:
            raise ValueError("has no question. Write what annotators are asked.")
        if one.unit == "pair" and (one.labels or one.low is not None or one.high is not None):
            raise ValueError(f"compares two outputs: its answers are {FIRST}, {SECOND} and {TIE}. Leave the scale out.")
        if one.unit == "output" and (one.low is None or one.high is None):
            raise ValueError("has no scale. Give low and high, or labels.")
        if one.span is not None and closed_answers(one) is None:
            many = one.span >= MOST_ANSWERS
            why = (
                f"has {round(one.span) + 1} answers, more than {MOST_ANSWERS}" if many else "has answers between steps"
            )
            raise ValueError(f"{why}. Give low and high as whole steps, few enough to list.")

    @property
    def compares(self) -> bool:
        """Whether two outputs are compared."""
        return self.criterion.unit == "pair"

    @cached_property
    def answers(self) -> dict[str, float]:
        """The answers as they are to be written, and their numbers; a preference is 1 for the first text."""
        if self.compares:
            return {FIRST: 1.0, SECOND: -1.0, TIE: 0.0}
        answers = closed_answers(self.criterion)
        assert answers is not None
        return answers

    def prompt(self, outputs: Sequence[Output]) -> str:
        """The form as a text for a language model; two outputs in the order in which they are to be shown."""
        context = outputs[0].item.context
        names = ("Text A", "Text B") if self.compares else ("Text",)
        shown = [Shown(context, "Context")] if context else []
        shown += [Shown(output.text, name) for name, output in zip(names, outputs, strict=True)]
        return prompt_of(self.instruction, Card((self._question(),), tuple(shown)))

    def _question(self) -> Field:
        if not self.compares:
            return question_of(self.criterion)
        options = tuple(
            Option(answer, answer, self.criterion.anchors.get(value, "")) for answer, value in self.answers.items()
        )
        return Field(self.criterion.name, "choice", self.criterion.question, options)
