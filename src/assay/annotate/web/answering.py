"""From a posted page to judgments: every unit is parsed by its form, checks are compared with their known answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs

from assay.annotate.protocol import Example
from assay.annotate.records import Assigned
from assay.forms import FormPage, Questionnaire, Row
from assay.forms.posted import Posted
from assay.forms.questionnaire import shuffled

MOST_FIELDS = 5000
# A seed that leaves the order of two as it is: examples are shown as they are written.
AS_WRITTEN = next(seed for seed in range(100) if shuffled(2, seed) == [0, 1])


@dataclass(frozen=True)
class Answered:
    """What a posted page says.

    Attributes:
        body: what is stored: the first value of every field of the page that was filled in.
        judgments: by the id of the assignment.
        checks: whether each check was passed, by unit.
        problems: by the name of the field; if there are any, nothing else counts.
    """

    body: dict[str, str]
    judgments: dict[int, list[Row]]
    checks: dict[str, bool]
    problems: dict[str, str]


def posted_fields(body: bytes) -> dict[str, list[str]]:
    """The fields of an URL-encoded form. A ValueError says that it is none."""
    return parse_qs(
        body.decode("ascii"),
        keep_blank_values=True,
        strict_parsing=bool(body),
        errors="strict",
        max_num_fields=MOST_FIELDS,
    )


def page_of(form: Questionnaire, assignments: Sequence[Assigned]) -> FormPage:
    """The page of some assignments."""
    return form.page([one.unit.payload for one in assignments], [one.order_seed for one in assignments])


def answered(form: Questionnaire, assignments: Sequence[Assigned], posted: Posted) -> Answered:
    """Read a posted page."""
    page = page_of(form, assignments)
    names = {card.prefix + asked.name for card in page.cards for asked in card.fields}
    body = {name: values[0] for name, values in posted.items() if name in names and values and values[0]}
    judgments: dict[int, list[Row]] = {}
    checks: dict[str, bool] = {}
    problems: dict[str, str] = {}
    for one, card in zip(assignments, page.cards, strict=True):
        answers, wrong = form.parse(one.unit.payload, one.order_seed, posted, card.prefix)
        problems |= wrong
        if wrong:
            continue
        if one.unit.gold is None:
            judgments[one.id] = form.judgments(one.unit.payload, one.order_seed, answers)
        else:
            checks[one.unit.id] = Example(one.unit.payload, one.unit.gold).passed(
                form.as_given(one.order_seed, answers)
            )
    return Answered(body, judgments, checks, problems)


def examples_answered(
    form: Questionnaire, examples: Sequence[Example], posted: Posted
) -> tuple[list[Mapping[str, Any]], dict[str, str]]:
    """The answers to practice questions or to a test, one mapping each, or the problems by field."""
    found: list[Mapping[str, Any]] = []
    problems: dict[str, str] = {}
    for place, example in enumerate(examples, 1):
        answers, wrong = form.parse(example.payload, AS_WRITTEN, posted, f"u{place}.")
        problems |= wrong
        found.append(answers)
    return found, problems
