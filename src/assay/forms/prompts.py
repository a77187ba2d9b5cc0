"""A card as a text for a language model: the same instruction, the same texts, the same question."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from assay.forms.pages import Card, Field, Shown

AND_NOTHING_ELSE = "and nothing else."


def prompt_of(instruction: str, card: Card) -> str:
    """Write out a card. One closed question is answered with one of its answers, several line by line."""
    blocks = [instruction] if instruction else []
    blocks += [_shown(one) for one in card.shown]
    blocks += [_marked(one) for one in card.fields if one.kind == "spans"]
    asked = [one for one in card.fields if one.required] or list(card.fields)
    blocks += [_question(one, named=len(asked) > 1) for one in asked]
    return "\n\n".join([*blocks, _how_to_reply(asked)])


def _shown(one: Shown) -> str:
    label = f"{one.label}:" if one.label else ""
    sign = " (this one is meant)" if one.boxed else ""
    return f"{label}{sign}\n{one.content}" if label else one.content + sign


def _marked(asked: Field) -> str:
    return f"Text:\n{asked.text}"


def _question(asked: Field, *, named: bool) -> str:
    lines = [f"{asked.name}: {asked.label}" if named else asked.label]
    lines += [asked.help] if asked.help and asked.kind != "spans" else []  # how to mark with a mouse
    lines += [f"{one.label}: {_meaning(one.note, one.shown)}" for one in asked.options if one.note or one.shown]
    return "\n".join(lines)


def _meaning(note: str, shown: Shown | None) -> str:
    return " ".join(part for part in (note, shown.content if shown else "") if part)


def _how_to_reply(asked: Sequence[Field]) -> str:
    if len(asked) == 1:
        return f"Reply with {_answers(asked[0])}, {AND_NOTHING_ELSE}"
    lines = [f"{one.name}: {_answers(one)}{' on one line' if one.kind == 'area' else ''}" for one in asked]
    return "\n".join([f"Reply with one line for each of the following, {AND_NOTHING_ELSE}", *lines])


def _answers(asked: Field) -> str:
    if asked.kind == "choice":
        return _listed(one.label for one in asked.options)
    if asked.kind == "number":
        return f"a number from {asked.low:g} to {asked.high:g}"
    if asked.kind == "tick":
        return "yes or no"
    if asked.kind == "spans":
        example = json.dumps([[0, 4, next(iter(asked.categories)), next(iter(asked.severities))]])
        return (
            f"a JSON list such as {example}: the first character of each error, counted from 0, the character after "
            f"its last, {_listed(asked.categories)}, and {_listed(asked.severities)}; [] if there is no error"
        )
    return "a text on one line" if asked.kind == "line" else "a text"


def _listed(words: Iterable[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} or {last}" if first else last
