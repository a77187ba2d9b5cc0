"""The generator protocol: sample texts for a context, and give the log-probability of any text.

The log-probability is that of the *sampling distribution*, after temperature and truncation: -inf for a text the
generator cannot produce. Texts that differ only in white space are equal.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

import numpy as np


class LogProb(NamedTuple):
    """Natural log-probability of a text, and its number of words without the end of text."""

    logprob: float
    n_tokens: int


class Generator(Protocol):
    """Samples texts for a context and gives their probabilities."""

    @property
    def params(self) -> Mapping[str, float | int | None]:
        """The settings of this generator, stored as the `params` of its outputs."""

    def sample(self, context: str, n: int, rng: np.random.Generator) -> list[str]:
        """Draw `n` texts for `context`, independently and with replacement."""

    def logprob(self, text: str, context: str) -> LogProb:
        """Return the log-probability that `sample` draws `text` for `context`."""


def draw(probabilities: np.ndarray, rng: np.random.Generator) -> int:
    """Draw an index, never one with probability 0."""
    cumulative = np.cumsum(probabilities)
    return int(np.searchsorted(cumulative, rng.random() * cumulative[-1], side="right"))


def one_spaced(text: str) -> str:
    """Normalize white space to single spaces, the form in which texts are compared."""
    return " ".join(text.split())


def distinct(texts: Sequence[str]) -> tuple[list[str], np.ndarray]:
    """Return the distinct texts in order of first appearance, and the share of each."""
    counts: dict[str, int] = {}
    for text in texts:
        spaced = one_spaced(text)
        counts[spaced] = counts.get(spaced, 0) + 1
    return list(counts), np.array(list(counts.values()), dtype=np.float64) / len(texts)
