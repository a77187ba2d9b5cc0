"""Answers that a card allows, drawn at random."""

from random import Random
from typing import Any

from assay.forms import Card


def answered(card: Card, draw: Random) -> dict[str, Any]:
    answers: dict[str, Any] = {}
    for at, field in enumerate(card.fields):
        if field.kind == "choice":
            answers[field.name] = draw.choice(field.options).value
        elif field.kind == "number":
            answers[field.name] = "7"
        elif field.kind == "spans":
            start = draw.randrange(len(field.text))
            answers[field.name] = [[start, draw.randrange(start, len(field.text)) + 1, "style", "major"]]
        else:
            answers[field.name] = f"answer {at}\n\u202e{draw.random()}"
    return answers
