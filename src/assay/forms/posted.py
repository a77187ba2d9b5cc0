"""Reading what a browser posted, question by question."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from typing import Any

from assay.forms.pages import MOST_WRITTEN, Card, Field

Posted = Mapping[str, Sequence[str]]

MISSING = "Please answer this."
NOT_OFFERED = "Please choose one of the answers."
TOO_LONG = f"Please write at most {MOST_WRITTEN} characters."
COPY = "This repeats another of your texts. Please write something else."
NO_NUMBER = "Please write a number from {low} to {high}."
BAD_SPANS = "The marked passages could not be read. Please mark them again."
MESSAGES = {
    "missing": MISSING,
    "not_offered": NOT_OFFERED,
    "too_long": TOO_LONG,
    "copy": COPY,
    "no_number": NO_NUMBER,
    "bad_spans": BAD_SPANS,
}
MOST_SPANS = 500


class Problem(Exception):
    """Names one of MESSAGES."""


def read_posted(card: Card, posted: Posted) -> tuple[dict[str, Any], dict[str, Any]]:
    """The answers on a card, or, by full field name, which of MESSAGES is to be told."""
    answers: dict[str, Any] = {}
    problems: dict[str, Any] = {}
    written: dict[tuple[str, str], str] = {}
    for asked in card.fields:
        name = card.prefix + asked.name
        values = posted.get(name, ())
        try:
            answer = _READERS[asked.kind](asked, values)
            if answer is None and asked.required:
                raise Problem("missing")
            if answer is not None and asked.group:
                if (asked.group, bare(answer)) in written:
                    raise Problem("copy")
                written[asked.group, bare(answer)] = name
        except Problem as problem:
            problems[name] = str(problem)
            continue
        if answer is not None:
            answers[asked.name] = answer
    return ({}, problems) if problems else (answers, {})


def posted_of(card: Card, answers: Mapping[str, Any]) -> dict[str, list[str]]:
    """What a browser posts to give these answers: the reverse of `read_posted`."""
    posted = {}
    for asked in card.fields:
        if asked.name in answers:
            value = answers[asked.name]
            posted[card.prefix + asked.name] = [json.dumps(value) if asked.kind == "spans" else str(value)]
    return posted


def bare(text: str) -> str:
    """A text without what does not make it another: case, accents' encoding, punctuation and spaces."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    kept = re.sub(r"[\W_]+", " ", folded).strip()
    return kept or folded.strip()


def _choice(asked: Field, values: Sequence[str]) -> str | None:
    given = [value for value in values if value]
    if not given:
        return None
    if len(given) > 1 or given[0] not in {one.value for one in asked.options}:
        raise Problem("not_offered")
    return given[0]


def _number(asked: Field, values: Sequence[str]) -> str | None:
    text = _one(values).strip()
    if not text:
        return None
    try:
        number = float(text)
    except ValueError:
        raise Problem("no_number") from None
    low = -float("inf") if asked.low is None else asked.low
    high = float("inf") if asked.high is None else asked.high
    if not isfinite(number) or not low <= number <= high:
        raise Problem("no_number")
    return text


def _text(asked: Field, values: Sequence[str]) -> str | None:
    # Browsers send line ends as CRLF whatever was typed.
    text = _one(values).replace("\r\n", "\n").replace("\r", "\n")
    if len(text) > MOST_WRITTEN:
        raise Problem("too_long")
    return text if text.strip() else None


def _tick(asked: Field, values: Sequence[str]) -> str | None:
    return "yes" if any(value for value in values) else None


def _spans(asked: Field, values: Sequence[str]) -> list[list[Any]] | None:
    """A list of `[start, end, category, severity]`, in characters of the text; None if nothing was posted."""
    text = _one(values)
    if not text:
        return None
    try:
        marked = json.loads(text)
    except (ValueError, RecursionError):
        raise Problem("bad_spans") from None
    if not isinstance(marked, list) or len(marked) > MOST_SPANS:
        raise Problem("bad_spans")
    for span in marked:
        if not (isinstance(span, list) and len(span) == 4):
            raise Problem("bad_spans")
        start, end, category, severity = span
        whole = all(isinstance(at, int) and not isinstance(at, bool) for at in (start, end))
        if not whole or not 0 <= start < end <= len(asked.text):
            raise Problem("bad_spans")
        if not (isinstance(category, str) and category in asked.categories):
            raise Problem("bad_spans")
        if not (isinstance(severity, str) and severity in asked.severities):
            raise Problem("bad_spans")
    return sorted(marked)


def _one(values: Sequence[str]) -> str:
    return values[0] if values else ""


_READERS: Mapping[str, Callable[[Field, Sequence[str]], Any]] = {
    "choice": _choice,
    "number": _number,
    "line": _text,
    "area": _text,
    "tick": _tick,
    "spans": _spans,
}
