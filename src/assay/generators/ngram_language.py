"""The word n-gram generator as a language model."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256
from math import inf, nan

import numpy as np

from assay.backends.language.protocol import Drawn, Sampling, TextScore, ToSample, ToScore
from assay.backends.language.scoring import EMPTY
from assay.backends.language.template import plain_prompt
from assay.errors import GeneratorError
from assay.generators.generator import draw
from assay.generators.ngram import END, NGramGenerator, NGramModel
from assay.io.generator_folders import GeneratorFolder


class NGramLanguageModel:
    """An n-gram model by context; a text that is empty, or has a word it never met, is impossible."""

    at_once = 1
    batch = 1000

    def __init__(self, model: NGramModel, name: str) -> None:
        self.model = model
        self.name = name
        self._at = lru_cache(maxsize=16)(self._generator)

    def tokenize(self, text: str) -> list[str]:
        """The words of a text."""
        return text.split()

    def score(self, wanted: Sequence[ToScore]) -> list[TextScore]:
        """The log-probabilities of texts."""
        return [self._score(one) for one in wanted]

    def sample(self, wanted: Sequence[ToSample]) -> list[Drawn]:
        """Draw texts."""
        return [self._sample(one) for one in wanted]

    def _generator(self, sampling: Sampling) -> NGramGenerator:
        if sampling.temperature == 0:
            return NGramGenerator(self.model, 1.0, 1)
        return NGramGenerator(self.model, sampling.temperature, sampling.top_k, sampling.top_p)

    def _score(self, one: ToScore) -> TextScore:
        reading, words, prompt = one.reading, one.text.split(), plain_prompt(one.prompt)
        ends = _counts_end(reading.end) and (reading.max_tokens is None or len(words) < reading.max_tokens)
        if not words and not ends:
            return TextScore(nan, 0, reason=EMPTY)
        generator = self._at(reading.sampling)
        values: list[float] = []
        history: list[int] = []
        limit = inf if reading.max_tokens is None else reading.max_tokens
        for number in [*(self.model.numbers.get(word) for word in words), *([END] if ends else [])]:
            known = number is not None and len(history) < limit
            value = float(generator.next_word(history, prompt)[number]) if known else -inf
            values.append(value)
            if number is None or value == -inf:
                return TextScore(-inf, len(words), len(values) - 1)
            history.append(number)
        tokens = tuple(words) if one.per_token else ()
        return TextScore(min(sum(values), 0.0), len(words), -1, tokens, tuple(values) if one.per_token else ())

    def _sample(self, one: ToSample) -> Drawn:
        rng = np.random.default_rng(int.from_bytes(sha256(one.seed.encode()).digest(), "big"))
        generator, total = self._at(one.sampling), 0.0
        history: list[int] = []
        _counts_end(one.end)
        while len(history) < one.max_tokens:
            logprobs = generator.next_word(history, plain_prompt(one.prompt))
            number = draw(np.exp(logprobs), rng)
            total += float(logprobs[number])
            if number == END:
                break
            history.append(number)
        text = " ".join(self.model.words[number - 1] for number in history)
        finish = "length" if len(history) == one.max_tokens else "end"
        return Drawn(text, min(total, 0.0), len(history), finish, min(total, 0.0))  # type: ignore[arg-type]


def open_ngram(folder: GeneratorFolder) -> NGramLanguageModel:
    """The model of a folder, which holds the texts it counts."""
    settings = folder.settings
    model = NGramModel(settings["texts"], order=settings["order"], max_words=settings["max_words"])
    return NGramLanguageModel(model, folder.name)


def _counts_end(end: object) -> bool:
    if end not in ("model", "none"):
        raise GeneratorError("an n-gram generator ends a text by itself. Use --end model or none.")
    return end == "model"
