"""A form: what is asked about a text or about two, and what the answers are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from assay.records import Criterion, Output

MOST_ANSWERS = 26
FIRST, SECOND, TIE = "A", "B", "tie"


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
        if len(self.answers) > MOST_ANSWERS:
            raise ValueError(f"has {len(self.answers)} answers, more than {MOST_ANSWERS}.")

    @property
    def compares(self) -> bool:
        """Whether two outputs are compared."""
        return self.criterion.unit == "pair"

    @cached_property
    def answers(self) -> dict[str, float]:
        """The answers as they are to be written, and their numbers; a preference is 1 for the first text."""
        if self.compares:
            return {FIRST: 1.0, SECOND: -1.0, TIE: 0.0}
        one = self.criterion
        assert one.low is not None and one.high is not None
        values = [float(one.low) + step for step in range(round(one.high - one.low) + 1)]
        return {one.word(value): value for value in values}

    def prompt(self, outputs: Sequence[Output]) -> str:
        """The form as a text for a language model; two outputs in the order in which they are to be shown."""
        item = outputs[0].item
        blocks = [self.instruction] if self.instruction else []
        if item.context:
            blocks.append(f"Context:\n{item.context}")
        names = ("Text A", "Text B") if self.compares else ("Text",)
        blocks += [f"{name}:\n{output.text}" for name, output in zip(names, outputs, strict=True)]
        blocks.append(f"{self.criterion.question}\n{self._choices()}".rstrip())
        listed = ", ".join(list(self.answers)[:-1])
        blocks.append(f"Reply with {listed} or {list(self.answers)[-1]}, and nothing else.")
        return "\n\n".join(blocks)

    def _choices(self) -> str:
        anchors = sorted(self.criterion.anchors.items())
        return "\n".join(f"{self.criterion.word(float(value))}: {text}" for value, text in anchors)
