"""A filled form as requests to a language model, and its replies as a verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any, Literal

from assay.backends.language.endpoint import Endpoint
from assay.backends.language.local import LocalModel
from assay.backends.language.protocol import (
    Drawn,
    LanguageModel,
    Prompt,
    Reading,
    Sampling,
    TextScore,
    ToSample,
    ToScore,
)
from assay.errors import EvaluatorError
from assay.forms import Form
from assay.forms.verdicts import Verdict, chosen, compared, expected

AnswerMode = Literal["expected", "chosen", "compared"]
"""How an answer is read: off the first token, off the reply, or off the probabilities of the whole answers."""

TOP = 20
"""Likeliest first tokens that are read for an expected answer: as many as endpoints give."""
CHOSEN_TOKENS = 128
LEAST_MASS = {"expected": 0.5, "compared": 0.0}
"""The probability that answers must cover. Whole answers are compared with each other, whatever else might be said."""


@dataclass(frozen=True)
class Asking:
    """How a form is asked; `sampling` and `max_tokens` are of chosen answers, `least_mass` is of the others."""

    form: Form
    answer: AnswerMode
    sampling: Sampling
    max_tokens: int = CHOSEN_TOKENS
    least_mass: float | None = None

    def requests(self, prompt: str, sample: int) -> list[ToSample] | list[ToScore]:
        """What is asked for one answer to a filled form, as a message of the user."""
        message: Prompt = ({"role": "user", "content": prompt},)
        if self.answer == "compared":
            return [ToScore(message, answer, self._reading) for answer in self.form.answers]
        seed = _seed_of(prompt, sample)
        limit, top = (1, TOP) if self.answer == "expected" else (self.max_tokens, 0)
        return [ToSample(message, seed, limit, self.sampling, top=top)]

    def verdict(self, replies: Sequence[Drawn] | Sequence[TextScore]) -> Verdict:
        """Read the replies to these requests."""
        least = LEAST_MASS.get(self.answer, 0.0) if self.least_mass is None else self.least_mass
        if self.answer == "compared":
            scores = [one for one in replies if isinstance(one, TextScore)]
            missing = next((one.reason for one in scores if one.reason), "")
            if missing:
                return Verdict(reason=missing)
            return compared([one.logprob for one in scores], self.form.answers, least)
        (drawn,) = (one for one in replies if isinstance(one, Drawn))
        if self.answer == "expected" and not drawn.first:
            return Verdict(reason="the endpoint gave no log-probabilities: ask for a chosen answer")
        if self.answer == "expected":
            return expected(drawn.first, self.form.answers, least)
        return chosen(drawn.text, self.form.answers, cut=drawn.finish == "length")

    def said(self, replies: Sequence[Drawn] | Sequence[TextScore], verdict: Verdict) -> str:
        """What is kept beside the number: the reply, or the share of each answer and what all of them cover."""
        if self.answer != "compared":
            return "".join(one.text for one in replies if isinstance(one, Drawn))
        if not verdict.shares:
            return ""
        shares = [f"{answer} {share:.3f}" for answer, share in zip(self.form.answers, verdict.shares, strict=True)]
        return f"{', '.join(shares)}; the answers cover {verdict.mass:.2g} of the probability"

    @property
    def _reading(self) -> Reading:
        """An answer that another one begins with ends before it is told from it: then its end counts."""
        answers = list(self.form.answers)
        nested = any(a != b and a.startswith(b) for a in answers for b in answers)
        return Reading(end="model" if nested else "none")


def read_reply(reply: Mapping[str, Any]) -> Drawn | TextScore:
    """A reply of the answer store."""
    return Drawn.from_json(reply) if "text" in reply else TextScore.from_json(reply)


def for_model(model: LanguageModel, request: ToSample | ToScore) -> ToSample | ToScore:
    """The request as the model takes it. A model without messages goes on from a text that asks for an answer.

    Endpoints score no answers in a chat, so they are given the same text. The space belongs to the answer, as
    tokenizers want it.
    """
    scored = isinstance(request, ToScore)
    if (isinstance(model, LocalModel) and model.encoder.tokenizer.chat_template) or (
        isinstance(model, Endpoint) and not scored
    ):
        return request
    assert not isinstance(request.prompt, str)
    text = f"{request.prompt[0]['content']}\n\nAnswer:"
    if isinstance(request, ToScore):
        return replace(request, prompt=text, text=f" {request.text}")
    return replace(request, prompt=text)


def check_tells(model: str, replies: Sequence[Drawn | TextScore], remedy: str) -> None:
    """Refuse a model that gives no log-probabilities of what it writes."""
    if any(isinstance(one, Drawn) and not one.first for one in replies):
        raise EvaluatorError(
            f"{model} gives no log-probabilities of the tokens it writes, which an expected answer is read from. Use "
            f"{remedy}."
        )


def _seed_of(form: str, sample: int) -> str:
    """The seed of a sample: its own for every filled form, so that the noise of two answers is independent."""
    return f"{blake2b(form.encode(), digest_size=8).hexdigest()}/{sample}"
