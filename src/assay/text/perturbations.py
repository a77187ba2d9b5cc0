"""Ways to damage a text, each with what a good evaluator makes of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal

Expected = Literal["worse", "no better", "same"]

FLATTERY = "This is a good answer."
PADDING = "That is what there is to say about it, and there is not much to add to that."
_NUMBER = re.compile(r"\d+")
_WORDS = re.compile(r"\S+")
_ENTITY = re.compile(r"(?<=[a-z,;:] )[A-Z][a-z]+\b")
_VERB = re.compile(
    r"\b(is|are|was|were|am|will|would|can|could|should|must|has|have|had|do|does|did)"
    r"(?:(?P<not> not\b|n't\b)|\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Source:
    """What a perturbation may draw on: the context of the text, and names from other texts."""

    context: str
    entities: Sequence[str]


@dataclass(frozen=True)
class Perturbation:
    """`damage` returns None where it does not apply, and `expected` is how the damaged text should be judged."""

    name: str
    about: str
    expected: Expected
    damage: Callable[[str, Source, Random], str | None]


def entities_in(text: str) -> list[str]:
    """Capitalized words that do not begin a sentence."""
    return _ENTITY.findall(text)


def _truncate(text: str, source: Source, rng: Random) -> str | None:
    words = list(_WORDS.finditer(text))
    return text[: words[len(words) // 2 - 1].end()] if len(words) > 3 else None


def _repeat(text: str, source: Source, rng: Random) -> str | None:
    return f"{text} {text}" if text.strip() else None


def _shuffle(text: str, source: Source, rng: Random) -> str | None:
    words = text.split()
    shuffled = rng.sample(words, len(words))
    return " ".join(shuffled) if shuffled != words and len(words) > 2 else None


def _numbers(text: str, source: Source, rng: Random) -> str | None:
    changed = _NUMBER.sub(lambda match: str(int(match[0][:15]) + rng.randint(1, 9)), text)
    return changed if changed != text else None


def _entities(text: str, source: Source, rng: Random) -> str | None:
    others = [name for name in source.entities if name not in text]
    if not others or not _ENTITY.search(text):
        return None
    return _ENTITY.sub(lambda match: rng.choice(others), text)


def _negate(text: str, source: Source, rng: Random) -> str | None:
    match = _VERB.search(text)
    if match is None:
        return None
    said = match[1] if match["not"] else f"{match[1]} not"
    return text[: match.start()] + said + text[match.end() :]


def _context(text: str, source: Source, rng: Random) -> str | None:
    return source.context if source.context.strip() and source.context != text else None


def _case(text: str, source: Source, rng: Random) -> str | None:
    return text.upper() if text.upper() != text else None


def _format(text: str, source: Source, rng: Random) -> str | None:
    return f"- **{text}**" if text.strip() else None


PERTURBATIONS: tuple[Perturbation, ...] = (
    Perturbation("truncate", "the first half of the words", "worse", _truncate),
    Perturbation("repeat", "the text twice", "worse", _repeat),
    Perturbation("shuffle", "the words in random order", "worse", _shuffle),
    Perturbation("numbers", "other numbers", "worse", _numbers),
    Perturbation("entities", "other names", "worse", _entities),
    Perturbation("negate", "the first verb negated, or its negation removed", "worse", _negate),
    Perturbation("context", "the context in place of the text", "worse", _context),
    Perturbation("pad", "a sentence without content at the end", "no better", lambda t, s, r: f"{t} {PADDING}"),
    Perturbation("flatter", f'"{FLATTERY}" at the end', "no better", lambda t, s, r: f"{t} {FLATTERY}"),
    Perturbation("case", "capital letters", "same", _case),
    Perturbation("format", "a bullet in bold", "same", _format),
)
