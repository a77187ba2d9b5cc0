"""A generator that only repeats texts from its store: fluent, and unable to say anything else."""

from collections.abc import Mapping, Sequence
from math import inf, log

import numpy as np

from assay.errors import GeneratorError
from assay.generators.generator import LogProb, distinct, draw, one_spaced


class RetrievalGenerator:
    """Returns a stored text of the stored context that shares most words with the given one.

    Similarity is the Jaccard index of the lower-cased words; the first context wins a tie, and a context of
    the store finds itself. Each stored text is equally likely; a text that is not there has log-probability
    -inf.
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
        """No settings: the store is all there is."""
        return {}

    def sample(self, context: str, n: int, rng: np.random.Generator) -> list[str]:
        """Draw `n` stored texts."""
        texts, shares = self._store[self.nearest(context)]
        return [texts[draw(shares, rng)] for _ in range(n)]

    def logprob(self, text: str, context: str) -> LogProb:
        """Return the log of the text's share of what is stored for the context."""
        texts, shares = self._store[self.nearest(context)]
        said = one_spaced(text)
        return LogProb(log(shares[texts.index(said)]) if said in texts else -inf, len(text.split()))

    def nearest(self, context: str) -> str:
        """Return the stored context whose texts are used for `context`."""
        if context in self._store:
            return context
        words = frozenset(context.lower().split())
        return max(self._words, key=lambda known: _jaccard(words, self._words[known]))


def _jaccard(a: frozenset[str], b: frozenset[str]) -> float:
    union = len(a | b)
    return len(a & b) / union if union else 0.0
