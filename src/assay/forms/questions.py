"""A criterion as a question of a page: its answers to choose from, or a number to write."""

from __future__ import annotations

from assay.forms.pages import Field, Option, Shown
from assay.records import Criterion
from assay.records.choices import features
from assay.text.colors import rgb_of_text

MOST_ANSWERS = 26
FIRST, SECOND, TIE = "A", "B", "tie"


def closed_answers(criterion: Criterion) -> dict[str, float] | None:
    """The answers as they are to be written and their numbers, one apart; None if there are too many to list."""
    low, high = criterion.low, criterion.high
    if low is None or high is None or high - low >= MOST_ANSWERS or (high - low) % 1:
        return None
    values = [float(low) + step for step in range(round(high - low) + 1)]
    return {criterion.word(value): value for value in values}


def question_of(criterion: Criterion, *, required: bool = True) -> Field:
    """Ask a criterion that has a scale."""
    answers = closed_answers(criterion)
    if answers is None:
        return Field(
            criterion.name, "number", criterion.question, required=required, low=criterion.low, high=criterion.high
        )
    options = tuple(
        Option(number_text(value), word, criterion.anchors.get(value, "")) for word, value in answers.items()
    )
    return Field(criterion.name, "choice", criterion.question, options, required)


def number_text(value: float) -> str:
    """A number as it is posted: whole numbers without a point."""
    return str(int(value)) if value == int(value) else repr(float(value))


def shown_choice(content: str, label: str = "", *, boxed: bool = False) -> Shown:
    """A choice of a game: a color, a record or a text."""
    if features(content) is not None:
        return Shown(content, label, "record", boxed)
    try:
        rgb_of_text(content)
    except ValueError:
        return Shown(content, label, "text", boxed)
    return Shown(content, label, "color", boxed)
