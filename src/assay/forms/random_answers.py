"""Answers that a card allows, drawn at random: what somebody sends who does not read."""

from __future__ import annotations

from random import Random
from typing import Any

from assay.forms.pages import Card, Field

MOST_MARKED = 3
"""The most passages that are marked in a text."""


def random_answers(card: Card, draw: Random, text: str = "placeholder words") -> dict[str, Any]:
    """An answer to every question of a card, as `read_posted` would give it.

    Args:
        card: what is asked.
        draw: where chance comes from.
        text: begins every answer in words; what follows makes it no copy of another.
    """
    return {asked.name: _answer(asked, draw, f"{text} {place}") for place, asked in enumerate(card.fields, 1)}


def number_within(asked: Field, share: float) -> str:
    """The number at a share of the way from the lowest to the highest; 0 to 100 where no limit is declared."""
    low = asked.low if asked.low is not None else min(0.0, asked.high or 0.0)
    high = asked.high if asked.high is not None else max(100.0, low)
    return repr(min(high, max(low, round(low + share * (high - low), 2))))


def random_spans(asked: Field, draw: Random, most: int) -> list[list[Any]]:
    """So many passages of a text, each of any category and severity; none of a text without characters."""
    marked = []
    for _ in range(most if asked.text else 0):
        start = draw.randrange(len(asked.text))
        end = draw.randrange(start, len(asked.text)) + 1
        marked.append([start, end, draw.choice(list(asked.categories)), draw.choice(list(asked.severities))])
    return sorted(marked)


def _answer(asked: Field, draw: Random, text: str) -> Any:
    if asked.kind == "choice":
        return draw.choice(asked.options).value
    if asked.kind == "number":
        return number_within(asked, draw.random())
    if asked.kind == "spans":
        return random_spans(asked, draw, draw.randint(0, MOST_MARKED))
    return "yes" if asked.kind == "tick" else f"{text} {draw.random()}"
