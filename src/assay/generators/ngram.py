"""A word n-gram generator with exact log-probabilities (Witten & Bell 1991 smoothing, interpolated).

Words are separated by white space. With h the preceding words, and h' = h without its first word,

    p(w | h) = (c(h, w) + b t(h) p(w | h')) / (c(h) + b t(h)),     p(w | no history) = 1 / |V|

where c are counts in the training texts, t(h) is the number of distinct words seen after h, and b is `backoff` (1 as
published; less trusts the training texts more). V is the vocabulary plus the end of text. For a known context the model
is a mixture with weight `topic_weight` on a model fitted on that context's own texts, and the rest on one fitted on all
texts. Two rules make it a distribution over non-empty texts of bounded length: the end cannot come first, and must come
after `max_words` words.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import inf

import numpy as np

from assay.errors import GeneratorError
from assay.generators.generator import LogProb, draw

END = 0
"""Id of the end of text; word ids start at 1."""
START = -1
"""Pads the history before the first word; never predicted."""


class NGramGenerator:
    """Samples from an n-gram model at a temperature, optionally truncated.

    Temperature is applied first, then `top_k`, then `top_p` (nucleus: the fewest words with that share of the remaining
    mass), then the rest is renormalized. Ties at a cutoff go to the word seen first.
    """

    def __init__(
        self,
        model: "NGramModel",
        temperature: float = 1.0,
        top_k: int | None = None,
        top_p: float | None = None,
    ) -> None:
        if not 0 < temperature < inf:
            raise GeneratorError(f"temperature is {temperature}; give a number above 0, such as 0.7.")
        if top_k is not None and top_k < 1:
            raise GeneratorError(f"top_k is {top_k}; give at least 1, or None to keep every word.")
        if top_p is not None and not 0 < top_p <= 1:
            raise GeneratorError(f"top_p is {top_p}; give a share above 0 and up to 1, or None.")
        self.model = model
        self.temperature = temperature
        self.top_k = top_k
        self.top_p = top_p
        # Histories recur within a context: this cache made the sample five times faster.
        self._recent = lru_cache(maxsize=512)(self._after)

    @property
    def params(self) -> Mapping[str, float | int | None]:
        """Temperature, truncation and order."""
        settings = {"temperature": self.temperature, "top_k": self.top_k, "top_p": self.top_p}
        return {"order": self.model.order, **{k: v for k, v in settings.items() if v is not None}}

    def sample(self, context: str, n: int, rng: np.random.Generator) -> list[str]:
        """Draw `n` texts word by word."""
        return [self._sample_one(context, rng) for _ in range(n)]

    def logprob(self, text: str, context: str) -> LogProb:
        """Sum the log-probabilities of the words and of the end; -inf if one is impossible."""
        words = text.split()
        total = 0.0
        history: list[int] = []
        for number in [*(self.model.numbers.get(word) for word in words), END]:
            step = -inf if number is None else float(self.next_word(history, context)[number])
            if number is None or step == -inf:
                return LogProb(-inf, len(words))
            total += step
            history.append(number)
        return LogProb(total, len(words))

    def next_word(self, history: Sequence[int], context: str) -> np.ndarray:
        """Return log-probabilities of the next word by id, with the end of text at `END`."""
        if len(history) >= self.model.max_words:
            only_end = np.full(len(self.model.words) + 1, -inf)
            only_end[END] = 0.0
            return only_end
        return self._recent(self.model.recent(history), not history, context)

    def _after(self, recent: tuple[int, ...], is_first: bool, context: str) -> np.ndarray:
        # In log space, so that a low temperature makes a rare word improbable but never impossible.
        logits = np.log(self.model.next_word(recent, context)) / self.temperature
        if is_first:
            logits[END] = -inf
        logprobs = log_normalized(truncated(log_normalized(logits), self.top_k, self.top_p))
        logprobs.flags.writeable = False
        return logprobs

    def _sample_one(self, context: str, rng: np.random.Generator) -> str:
        history: list[int] = []
        while (number := draw(np.exp(self.next_word(history, context)), rng)) != END:
            history.append(number)
        return " ".join(self.model.words[number - 1] for number in history)


class NGramModel:
    """Smoothed next-word probabilities, fitted on all texts and on those of each context."""

    def __init__(
        self,
        texts: Mapping[str, Sequence[str]],
        *,
        order: int = 3,
        backoff: float = 1.0,
        topic_weight: float = 0.5,
        max_words: int = 40,
        vocabulary: Iterable[str] = (),
    ) -> None:
        """Fit on `texts`, a list for each context.

        `vocabulary` adds words that the model can produce although no training text contains them; all others are
        impossible.
        """
        if order < 1 or max_words < 1 or not backoff > 0 or not 0 <= topic_weight <= 1:
            raise GeneratorError(
                f"order is {order}, max_words {max_words}, backoff {backoff}, topic_weight {topic_weight}; "
                "give at least 1, at least 1, a number above 0 and a share from 0 to 1."
            )
        tokenized = [text.split() for group in texts.values() for text in group]
        if not any(tokenized):
            raise GeneratorError("the training texts contain no words; give at least one text.")
        self.order = order
        self.topic_weight = topic_weight
        self.max_words = max_words
        # A dict keeps insertion order, so that ids depend only on the texts.
        self.words = list(dict.fromkeys(word for words in [*tokenized, vocabulary] for word in words))
        self.numbers = {word: number for number, word in enumerate(self.words, start=1)}
        self._all = _Followers(self._numbered(tokenized), order, backoff)
        self._of_context = {
            context: _Followers(self._numbered(text.split() for text in group), order, backoff)
            for context, group in texts.items()
            if any(text.split() for text in group)
        }

    def recent(self, history: Sequence[int]) -> tuple[int, ...]:
        """Return the part of a history the model uses: its last `order - 1` words, padded with `START`."""
        return tuple([START] * self.order + list(history))[len(history) + 1 :]

    def next_word(self, recent: tuple[int, ...], context: str) -> np.ndarray:
        """Return p(word | recent words, context) for the end of text and each word, by id."""
        size = len(self.words) + 1
        overall = self._all.distribution(recent, size)
        topic = self._of_context.get(context)
        if topic is None:
            return overall
        mixed: np.ndarray = self.topic_weight * topic.distribution(recent, size) + (1 - self.topic_weight) * overall
        return mixed

    def _numbered(self, texts: Iterable[Sequence[str]]) -> list[list[int]]:
        return [[self.numbers[word] for word in words] for words in texts if words]


def truncated(logprobs: np.ndarray, top_k: int | None, top_p: float | None) -> np.ndarray:
    """Set all but the `top_k` most probable outcomes to -inf, then all but the fewest that reach `top_p`."""
    if top_k is None and top_p is None:
        return logprobs
    likeliest_first = np.argsort(-logprobs, kind="stable")[:top_k]
    if top_p is not None:
        mass = np.cumsum(np.exp(logprobs[likeliest_first]))
        # Rounding must not add an outcome to a set with a mass of exactly top_p.
        n_kept = int(np.searchsorted(mass, top_p * mass[-1] * (1 - 1e-12))) + 1
        likeliest_first = likeliest_first[:n_kept]
    truncated_logprobs = np.full_like(logprobs, -inf)
    truncated_logprobs[likeliest_first] = logprobs[likeliest_first]
    return truncated_logprobs


def log_normalized(logits: np.ndarray) -> np.ndarray:
    """Log-softmax."""
    largest = logits.max()
    normalized: np.ndarray = logits - (largest + np.log(np.exp(logits - largest).sum()))
    return normalized


class _Followers:
    """Counts of the words that followed each history of up to `order - 1` words."""

    def __init__(self, texts: Iterable[Sequence[int]], order: int, backoff: float) -> None:
        self._backoff = backoff
        counts: defaultdict[tuple[int, ...], Counter[int]] = defaultdict(Counter)
        for numbers in texts:
            padded = [START] * (order - 1) + [*numbers, END]
            for position in range(order - 1, len(padded)):
                for length in range(order):
                    counts[tuple(padded[position - length : position])][padded[position]] += 1
        self._seen = {
            history: (np.array(list(after)), np.array(list(after.values()), dtype=np.float64))
            for history, after in counts.items()
        }

    def distribution(self, history: tuple[int, ...], size: int) -> np.ndarray:
        """Interpolate from the uniform distribution up to the longest history seen in training."""
        probabilities = np.full(size, 1.0 / size)
        for length in range(len(history) + 1):
            entry = self._seen.get(history[len(history) - length :])
            if entry is None:
                break
            followers, counts = entry
            unseen = self._backoff * len(followers)
            scale = counts.sum() + unseen
            probabilities *= unseen / scale
            probabilities[followers] += counts / scale
        return probabilities
