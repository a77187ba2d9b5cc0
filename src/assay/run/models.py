"""Ask a language model through the answer store: nothing is computed or paid twice, and a killed run goes on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import nan
from threading import Lock
from typing import Any

from assay.backends.language.endpoint import Endpoint
from assay.backends.language.prefixes import common_length
from assay.backends.language.protocol import Drawn, LanguageModel, TextScore, ToSample, ToScore, answer
from assay.errors import AssayError
from assay.evaluator import NotAsked, per_request
from assay.io.answers import ServiceRequest
from assay.io.code import part_fingerprint
from assay.run.requests import Progress, Requests, Sender


@dataclass
class Budget:
    """What an endpoint may cost in this run. Only what is sent counts; stored answers are free.

    Attributes:
        tokens: the most tokens, read and written; None for no limit.
        money: the most money; needs prices.
        prices: the price of a million tokens read, and of a million written.
        currency: of the money, to be told with it.
    """

    tokens: int | None = None
    money: float | None = None
    prices: tuple[float, float] | None = None
    currency: str = ""
    n_tokens: int = 0
    spent: float = 0.0
    _lock: Lock = field(default_factory=Lock, repr=False)

    def __post_init__(self) -> None:
        if self.money is not None and self.prices is None:
            raise AssayError("a budget in money needs prices: what a million tokens cost, read and written (--prices).")

    def check(self) -> None:
        """Raise `NotAsked` where the budget is spent."""
        if self.tokens is not None and self.n_tokens >= self.tokens:
            raise NotAsked(f"the budget of {self.tokens} tokens is spent")
        if self.money is not None and self.spent >= self.money:
            raise NotAsked(f"the budget of {self.amount(self.money)} is spent")

    def cost(self, read: int, written: int) -> float:
        """What so many tokens cost; NaN without prices."""
        return (read * self.prices[0] + written * self.prices[1]) / 1e6 if self.prices else nan

    def so_far(self) -> str:
        """What was spent, for a progress bar."""
        return self.amount(self.spent) if self.prices else f"{self.n_tokens:,} tokens"

    def amount(self, money: float) -> str:
        """An amount as it is told."""
        return f"{money:.4g} {self.currency}".rstrip()

    def count(self, reply: Any) -> None:
        """Add what a reply cost."""
        read, written = reply.get("usage") or (0, 0)
        with self._lock:
            self.n_tokens += read + written
            if self.prices:
                self.spent += self.cost(read, written)


def service_of(model: LanguageModel) -> str:
    """The name that a model's replies are kept under.

    A model in this process has the code in it that computes them: what other code computed is not found.
    """
    if isinstance(model, Endpoint):
        return model.name
    return f"{model.name}|code:{part_fingerprint('backends/language', 'generators')}"


def sender_to(model: LanguageModel, budget: Budget | None = None) -> Callable[[Any], Any]:
    """The `send` of `per_request` for a model: one request, or a list of them where the model takes several."""

    def send(requests: Any) -> Any:
        if budget is not None:
            budget.check()
        replies = answer(model, requests)
        if budget is not None:
            for reply in replies if isinstance(requests, list) else [replies]:
                budget.count(reply)
        return replies

    return send


def score_texts(
    model: LanguageModel,
    wanted: Sequence[ToScore],
    requests: Requests | Sender | None = None,
    *,
    budget: Budget | None = None,
    progress: Progress | None = None,
) -> list[TextScore]:
    """The log-probability of every text, in the order given; what could not be asked is a gap with a reason."""
    service = service_of(model)
    questions = [ServiceRequest(service, one.to_json()) for one in wanted]
    order = _together(wanted)  # in batches that are the same in a run that goes on after a kill
    replies = _ask(model, [questions[place] for place in order], requests, budget, progress)
    return [
        TextScore(nan, reason=reply) if isinstance(reply, str) else TextScore.from_json(reply)
        for reply in (replies[question.key] for question in questions)
    ]


def _together(wanted: Sequence[ToScore]) -> list[int]:
    """The order in which texts are scored: prompts that begin alike together if most do, else similar lengths."""
    prompts = [str(one.prompt) for one in wanted]
    by_prompt = sorted(range(len(wanted)), key=lambda place: (prompts[place], -len(wanted[place].text), place))
    shared = sum(common_length(prompts[a], prompts[b]) for a, b in pairwise(by_prompt))
    if 2 * shared >= sum(map(len, prompts)):
        return by_prompt
    return sorted(by_prompt, key=lambda place: (-len(prompts[place] + wanted[place].text), place))


def sample_texts(
    model: LanguageModel,
    wanted: Sequence[ToSample],
    requests: Requests | Sender | None = None,
    *,
    budget: Budget | None = None,
    progress: Progress | None = None,
) -> list[Drawn | str]:
    """Draw every text, in the order given; what could not be asked is its reason, a string."""
    service = service_of(model)
    questions = [ServiceRequest(service, one.to_json()) for one in wanted]
    replies = _ask(model, questions, requests, budget, progress)
    return [
        reply if isinstance(reply, str) else Drawn.from_json(reply)
        for reply in (replies[question.key] for question in questions)
    ]


def _ask(
    model: LanguageModel,
    asked: Sequence[ServiceRequest],
    how: Requests | Sender | None,
    budget: Budget | None,
    progress: Progress | None,
) -> dict[bytes, Any]:
    """Replies by key; a text in place of a reply is why there is none."""
    shape = per_request(
        service_of(model),
        request=lambda unit: unit,
        send=sender_to(model, budget),
        read=lambda reply, unit: nan,
        at_once=model.at_once,
        batch=model.batch,
    )
    sender = Sender.of(how)
    questions = list({question.key: question for question in asked}.values())
    replies: dict[bytes, Any] = {}
    # One batch after another, always of the same requests, so that a run that goes on computes what one run would.
    size = model.batch if model.batch > 1 else max(1, len(questions))
    for start in range(0, len(questions), size):

        def report(done: int, total: int, start: int = start) -> None:
            if progress:
                progress(start + done, len(questions))

        part = sender.replies(shape, questions[start : start + size], report)
        replies |= {key: getattr(reply, "reason", reply) for key, reply in part.items()}
        if progress:
            progress(min(start + size, len(questions)), len(questions))
    return replies
