"""A language model that only repeats stored texts, those of the context nearest by BM25 (Robertson et al. 1994)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from hashlib import sha256
from math import inf, log

import numpy as np

from assay.backends.language.protocol import Drawn, Prompt, TextScore, ToSample, ToScore
from assay.backends.language.template import plain_prompt
from assay.errors import GeneratorError
from assay.generators.generator import distinct, draw, one_spaced
from assay.io.generator_folders import GeneratorFolder
from assay.kernels.games.bm25 import bm25_weights, weighted_overlaps
from assay.kernels.overlap.ngrams import count_ngrams
from assay.text.strings import Strings
from assay.text.tokenizers import tokenize

TOKENIZER, K1, B = "lower+13a", 1.2, 0.75


class RetrievalLanguageModel:
    """Draws a text of the stored context that is nearest to the prompt, each as often as it is stored.

    A stored context retrieves itself, and ties go to the first. Any other text is impossible: its log-probability is
    -inf at its first word.
    """

    at_once = 1
    batch = 1000

    def __init__(self, texts: Mapping[str, Sequence[str]], name: str) -> None:
        if not texts:
            raise GeneratorError("there are no texts to return; give at least one.")
        self.name = name
        self._contexts = list(texts)
        self._store = {context: distinct(group) for context, group in texts.items()}
        self._nearest = lru_cache(maxsize=4096)(self._retrieved)

    def tokenize(self, text: str) -> list[str]:
        """The words of a text."""
        return text.split()

    def score(self, wanted: Sequence[ToScore]) -> list[TextScore]:
        """The share of each text among those that are returned."""
        return [self._score(one) for one in wanted]

    def sample(self, wanted: Sequence[ToSample]) -> list[Drawn]:
        """Draw stored texts."""
        return [self._sample(one) for one in wanted]

    def nearest(self, prompt: Prompt) -> str:
        """The stored context whose texts are returned."""
        return self._nearest(plain_prompt(prompt))

    def _score(self, one: ToScore) -> TextScore:
        _check_plain(one.reading.sampling.is_plain)
        texts, shares = self._store[self.nearest(one.prompt)]
        words = one.text.split()
        spaced = one_spaced(one.text)
        if spaced not in texts:
            return TextScore(-inf, len(words), 0)
        return TextScore(log(shares[texts.index(spaced)]), len(words))

    def _sample(self, one: ToSample) -> Drawn:
        _check_plain(one.sampling.is_plain)
        texts, shares = self._store[self.nearest(one.prompt)]
        rng = np.random.default_rng(int.from_bytes(sha256(one.seed.encode()).digest(), "big"))
        place = draw(shares, rng)
        value = log(shares[place])
        return Drawn(texts[place], value, len(texts[place].split()), "end", value)

    def _retrieved(self, context: str) -> str:
        if context in self._store:
            return context
        tokens = tokenize(Strings.concatenate([Strings.of([context]), self._documents]), TOKENIZER)
        numbers, counts, offsets = count_ngrams(tokens.ids, tokens.offsets)
        start = offsets[1]
        documents = numbers[start:], counts[start:], offsets[1:] - start
        n, n_types = len(self._contexts), len(tokens.vocabulary)
        weights = bm25_weights(documents, n_types, K1, B)
        shown, bounds = np.arange(n), np.array([0, n])
        query = numbers[:start], counts[:start], offsets[:2]
        similar = weighted_overlaps(*query, documents[0], weights, documents[2], shown, bounds, n_types)
        return self._contexts[int(similar.argmax())]

    @cached_property
    def _documents(self) -> Strings:
        return Strings.of(self._contexts)


def open_retrieval(folder: GeneratorFolder) -> RetrievalLanguageModel:
    """The model of a folder, which holds the texts it returns."""
    return RetrievalLanguageModel(folder.settings["texts"], folder.name)


def _check_plain(plain: bool) -> None:
    if not plain:
        raise GeneratorError("retrieval has no temperature, top-k or top-p: leave them out.")
