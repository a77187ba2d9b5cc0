"""A generator after mode collapse: it nearly always produces one of the same few texts."""

from collections.abc import Mapping
from math import inf, log

import numpy as np

from assay.errors import GeneratorError
from assay.generators.generator import Generator, LogProb, distinct, draw, one_spaced


class CollapsedGenerator:
    """A mixture: with probability `1 - escape` one of the context's modes, else a sample of the base generator.

    The modes of a context are the `n_modes` distinct texts with the highest per-word probability among `n_tries`
    samples of the base (all of them, if fewer). They are drawn once per context and depend only on `seed` and the
    context. Probabilities are exact: p(x) = (1 - escape) [x is a mode] / n_modes + escape p_base(x).
    """

    def __init__(
        self, base: Generator, *, n_modes: int = 2, escape: float = 0.05, n_tries: int = 50, seed: int = 0
    ) -> None:
        if n_modes < 1 or n_tries < n_modes or not 0 <= escape <= 1:
            raise GeneratorError(
                f"n_modes is {n_modes}, n_tries {n_tries} and escape {escape}; "
                "give at least 1 mode, as many tries as modes and a share from 0 to 1."
            )
        self._base = base
        self._n_modes = n_modes
        self._escape = escape
        self._n_tries = n_tries
        self._seed = seed
        self._modes: dict[str, list[str]] = {}

    @property
    def params(self) -> Mapping[str, float | int | None]:
        """Number of modes, and the escape probability."""
        return {"n_modes": self._n_modes, "escape": self._escape}

    def sample(self, context: str, n: int, rng: np.random.Generator) -> list[str]:
        """Draw `n` texts."""
        modes = self.modes(context)
        texts = []
        for _ in range(n):
            if rng.random() < self._escape:
                texts.extend(self._base.sample(context, 1, rng))
            else:
                texts.append(modes[draw(np.full(len(modes), 1 / len(modes)), rng)])
        return texts

    def logprob(self, text: str, context: str) -> LogProb:
        """Return the log-probability under the mixture."""
        modes = self.modes(context)
        from_base, n_tokens = self._base.logprob(text, context)
        of_base = log(self._escape) + from_base if self._escape else -inf
        is_mode = one_spaced(text) in modes and self._escape < 1
        of_mode = log((1 - self._escape) / len(modes)) if is_mode else -inf
        return LogProb(float(np.logaddexp(of_base, of_mode)), n_tokens)

    def modes(self, context: str) -> list[str]:
        """Return the modes for `context`, most probable per word first."""
        if context not in self._modes:
            rng = np.random.default_rng([self._seed, *context.encode()])
            texts, _ = distinct(self._base.sample(context, self._n_tries, rng))
            texts.sort(key=lambda text: self._per_word(text, context), reverse=True)
            self._modes[context] = texts[: self._n_modes]
        return self._modes[context]

    def _per_word(self, text: str, context: str) -> float:
        logprob, n_tokens = self._base.logprob(text, context)
        return logprob / n_tokens
