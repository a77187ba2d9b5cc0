"""What a generator is: it samples texts for a context and says how probable any text was.

The log-probability is that of the *sampling distribution*, after temperature and truncation: a text the
generator cannot say has -inf. Two texts that differ only in white space are one text.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

import numpy as np


class LogProb(NamedTuple):
    """The natural log-probability of a text and its number of words, the end of text not counted."""

    logprob: float
    n_tokens: int


class Generator(Protocol):
    """Something that produces texts for a context, with a probability for each."""

    @property
    def params(self) -> Mapping[str, float | int | None]:
        """The settings that make this generator what it is, for the `params` of its outputs."""

    def sample(self, context: str, n: int, rng: np.random.Generator) -> list[str]:
        """Draw `n` texts for `context`, independently and with replacement."""

    def logprob(self, text: str, context: str) -> LogProb:
        """Return how probable it was that `sample` would draw `text` for `context`."""


def draw(probabilities: np.ndarray, rng: np.random.Generator) -> int:
    """Draw an index; one with probability 0 is never drawn."""
    cumulative = np.cumsum(probabilities)
    return int(np.searchsorted(cumulative, rng.random() * cumulative[-1], side="right"))


def one_spaced(text: str) -> str:
    """Return the text with single spaces between its words: the form in which texts are compared."""
    return " ".join(text.split())


def distinct(texts: Sequence[str]) -> tuple[list[str], np.ndarray]:
    """Return the distinct texts in order of first appearance, and the share of each."""
    counts: dict[str, int] = {}
    for text in texts:
        spaced = one_spaced(text)
        counts[spaced] = counts.get(spaced, 0) + 1
    return list(counts), np.array(list(counts.values()), dtype=np.float64) / len(texts)
