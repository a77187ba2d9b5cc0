"""A simulated panel of twelve annotators.

They see a latent quality from 0 to 5, a function of only the text and its context; the panel is blind to the system:

    quality = 4 - 4 broken - 2 off_topic - 2.5 repeated + e(text),     clipped to 0..5

    broken      share of the text's trigrams, including its start and end, that occur in no written text of the
                sample, which stands for the English an annotator knows
    off_topic   share of the text's words that occur in no text written for this item, common words excepted
    repeated    share of the text's words that occurred earlier in it
    e(text)     everything else: normal with standard deviation 0.8, seeded by the text itself, so that equal
                texts are equally good

Annotator j rates quality + bias_j + noise, rounded, on the scale 0..5, and votes "real" with probability
sigmoid(1.5 (quality + bias_j - 2.5)). One annotator is careless: two thirds of its answers are random.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import exp

import numpy as np

from assay.sample.source import SourceItem

N_ANNOTATORS = 12
N_RATINGS = 8
N_VOTES = 5
ORDER = 3
COMMON_WORDS = 60
"""This many of the most frequent words belong to no topic."""
CARELESS = 6
"""Index of the annotator who mostly guesses."""


@dataclass(frozen=True)
class PanelAnswer:
    """One annotator's answer to one criterion."""

    annotator: str
    criterion: str
    value: int


class Panel:
    """Rates texts for typicality (0 to 5) and votes real (1) or fake (0)."""

    def __init__(self, items: Sequence[SourceItem], rng: np.random.Generator) -> None:
        written = [text for item in items for text in item.written]
        counts = Counter(word for text in written for word in _words(text))
        common = {word for word, _ in counts.most_common(COMMON_WORDS)}
        self._known = {gram for text in written for gram in _grams(text)}
        self._topics = {item.context: _all_words((*item.written, item.context)) | common for item in items}
        self._rng = rng
        self._bias = rng.normal(0.0, 0.35, N_ANNOTATORS)
        self._noise = rng.uniform(0.5, 1.0, N_ANNOTATORS)
        self._turn = 0

    def quality(self, text: str, context: str) -> float:
        """Return the latent quality of a text, from 0 to 5."""
        grams, words = _grams(text), _words(text)
        broken = sum(gram not in self._known for gram in grams) / len(grams)
        off_topic = sum(word not in self._topics[context] for word in words) / len(words)
        repeated = 1 - len(set(words)) / len(words)
        everything_else = np.random.default_rng(list(sha256(text.encode()).digest())).normal(0.0, 0.8)
        quality = 4.0 - 4.0 * broken - 2.0 * off_topic - 2.5 * repeated + everything_else
        return float(np.clip(quality, 0.0, 5.0))

    def answers(self, text: str, context: str) -> list[PanelAnswer]:
        """Return the answers of the next annotators, in rotation."""
        quality = self.quality(text, context)
        ratings = [PanelAnswer(_name(j), "typicality", self._rating(j, quality)) for j in self._next(N_RATINGS)]
        votes = [PanelAnswer(_name(j), "real", self._vote(j, quality)) for j in self._next(N_VOTES)]
        return ratings + votes

    def _next(self, n: int) -> list[int]:
        turns = [(self._turn + step) % N_ANNOTATORS for step in range(n)]
        self._turn += n
        return turns

    def _rating(self, annotator: int, quality: float) -> int:
        if self._guesses(annotator):
            return int(self._rng.integers(0, 6))
        perceived = quality + self._bias[annotator] + self._rng.normal(0.0, self._noise[annotator])
        return int(np.clip(round(perceived), 0, 5))

    def _vote(self, annotator: int, quality: float) -> int:
        if self._guesses(annotator):
            return int(self._rng.integers(0, 2))
        return int(self._rng.random() < 1 / (1 + exp(-1.5 * (quality + self._bias[annotator] - 2.5))))

    def _guesses(self, annotator: int) -> bool:
        return annotator == CARELESS and self._rng.random() < 2 / 3


def _name(annotator: int) -> str:
    return f"simulated-{annotator + 1:02}"


def _words(text: str) -> list[str]:
    return [word.strip(".,?!").lower() for word in text.split()]


def _all_words(texts: Iterable[str]) -> set[str]:
    return {word for text in texts for word in _words(text)}


def _grams(text: str) -> list[tuple[str, ...]]:
    padded = ["", *text.split(), ""]
    return [tuple(padded[i : i + ORDER]) for i in range(max(1, len(padded) - ORDER + 1))]
