"""Reasons that annotators give in comments, counted by a lexicon that anybody can read and check."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

# What a comment must contain to count for a reason: the start of a word, or of words in a row. Case does not matter.
LEXICON: Mapping[str, tuple[str, ...]] = {
    "grammar": (
        "grammar", "grammatic", "ungrammatic", "syntax", "tense", "punctuat", "spell", "typo", "misspel",
        "sentence struct", "incomplete sentence", "run-on", "capital", "fragment",
    ),
    "wording": (
        "wording", "word choice", "choice of word", "phras", "awkward", "unnatural", "weird word", "odd word",
        "strange word", "worded", "natural", "flow", "vocabulary", "wrong word", "stilted",
    ),
    "repetition": (
        "repeat", "repetit", "redundan", "over and over", "same word", "same thing", "again and again", "twice",
    ),
    "contradiction": (
        "contradict", "inconsisten", "did not make sense", "didn't make sense", "doesn't make sense",
        "don't make sense", "made no sense", "makes no sense", "not make sense", "not to make sense",
        "not making sense", "nonsens", "incoheren", "illogical", "no logic", "gibberish",
    ),
    "vagueness": (
        "vague", "generic", "too general", "specific", "detail", "too short", "nothing about", "no information",
        "relevan", "off topic", "unrelated",
    ),
    "tone": (
        "tone", "emotion", "personal", "opinion", "feeling", "enthusias", "exaggerat", "robot", "sincer", "passion",
        "voice", "style",
    ),
}  # fmt: skip
MOST_EXAMPLES = 2
LONGEST_EXAMPLE = 140


class Reason(NamedTuple):
    """A reason: how many comments give it, and the first of them."""

    name: str
    n: int
    examples: tuple[str, ...]


def reasons(comments: Iterable[str], lexicon: Mapping[str, tuple[str, ...]] = LEXICON) -> list[Reason]:
    """Count the comments that give each reason, the most frequent first; a comment may give several."""
    texts = [" ".join(comment.split()) for comment in comments]
    counted = []
    for name, starts in lexicon.items():
        pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, starts))})", re.IGNORECASE)
        giving = [text for text in texts if pattern.search(text)]
        counted.append(Reason(name, len(giving), tuple(map(_short, giving[:MOST_EXAMPLES]))))
    return sorted(counted, key=lambda reason: -reason.n)


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_EXAMPLE else f"{text[: LONGEST_EXAMPLE - 3].rstrip()}..."
