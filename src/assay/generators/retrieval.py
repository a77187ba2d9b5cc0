"""A generator that only repeats stored texts: fluent, and unable to produce anything else."""

from collections.abc import Mapping, Sequence
from math import inf, log

import numpy as np

from assay.errors import GeneratorError
from assay.generators.generator import LogProb, distinct, draw, one_spaced


class RetrievalGenerator:
    """Returns a stored text of the most similar stored context.

    Similarity is the Jaccard index of the lowercased words; ties go to the first context, and a stored context
    retrieves itself. Each stored text is equally likely; a text that is not stored has log-probability -inf.
    """

    def __init__(self, texts: Mapping[str, Sequence[str]]) -> None:
        empty = [context for context, group in texts.items() if not group]
        if not texts or empty:
            where = f"the context {empty[0]!r}" if empty else "the store"
            raise GeneratorError(f"{where} has no text to return; give at least one text for each context.")
        self._words = {context: frozenset(context.lower().split()) for context in texts}
        self._store = {context: distinct(group) for context, group in texts.items()}

    @property
    def params(self) -> Mapping[str, float | int | None]:
        """Empty: there are no settings."""
        return {}

    def sample(self, context: str, n: int, rng: np.random.Generator) -> list[str]:
        """Draw `n` stored texts."""
        texts, shares = self._store[self.nearest(context)]
        return [texts[draw(shares, rng)] for _ in range(n)]

    def logprob(self, text: str, context: str) -> LogProb:
        """Return the log of the text's share of the texts stored for the context."""
        texts, shares = self._store[self.nearest(context)]
        normalized = one_spaced(text)
        return LogProb(log(shares[texts.index(normalized)]) if normalized in texts else -inf, len(text.split()))

    def nearest(self, context: str) -> str:
        """Return the stored context whose texts are used for `context`."""
        if context in self._store:
            return context
        words = frozenset(context.lower().split())
        return max(self._words, key=lambda stored: _jaccard(words, self._words[stored]))


def _jaccard(a: frozenset[str], b: frozenset[str]) -> float:
    union = len(a | b)
    return len(a & b) / union if union else 0.0
