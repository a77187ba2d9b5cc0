"""What every language model answers, as plain values that go into the answer store and come back the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from dataclasses import fields as fields_of
from math import inf, isnan, nan
from typing import Any, Literal, Protocol, runtime_checkable

from assay.errors import GeneratorError

# A text to go on from, or the messages of a chat, each {"role": ..., "content": ...}.
Prompt = str | tuple[Mapping[str, str], ...]

# Whether a beginning-of-text token comes first. `model`: where the tokenizer adds one, and before an empty prompt.
Bos = Literal["model", "always", "never"]

# How the end of a text is counted: by the model's own end tokens, not at all, or by these tokens.
End = Literal["model", "none"] | tuple[str, ...]


@dataclass(frozen=True)
class Sampling:
    """The distribution that texts are drawn from: temperature first, then top-k, then top-p, then renormalized.

    A temperature of 0 always takes the likeliest token.
    """

    temperature: float = 1.0
    top_k: int | None = None
    top_p: float = 1.0

    def __post_init__(self) -> None:
        if not 0 <= self.temperature < inf:
            raise GeneratorError(f"temperature is {self.temperature}; give 0 or a number above it, such as 0.7.")
        if self.top_k is not None and self.top_k < 1:
            raise GeneratorError(f"top_k is {self.top_k}; give at least 1, or None to keep every token.")
        if not 0 < self.top_p <= 1:
            raise GeneratorError(f"top_p is {self.top_p}; give a share above 0 and up to 1.")

    @property
    def truncates(self) -> bool:
        """Whether some tokens are impossible."""
        return self.temperature == 0 or self.top_k is not None or self.top_p < 1

    @property
    def is_plain(self) -> bool:
        """Whether this is the model's own distribution."""
        return self == Sampling()


@dataclass(frozen=True)
class Reading:
    """How a text is read: everything that changes its log-probability besides model, prompt and text.

    Attributes:
        sampling: the distribution.
        border: `joint` tokenizes prompt and text as one string, and a token across the border is a gap; `separate`
            tokenizes them apart, as the text was if the model wrote it.
        bos: whether a beginning-of-text token comes first.
        end: what ends a text; its probability is part of the text's.
        max_tokens: where the sampler stopped: a text of this length has no end term, a longer one is impossible.
        window: the most tokens the model sees at once; None for what the model can.
        stride: by how many tokens the window moves over a longer text; None makes such a text a gap.
    """

    sampling: Sampling = field(default_factory=Sampling)
    border: Literal["joint", "separate"] = "joint"
    bos: Bos = "model"
    end: End = "model"
    max_tokens: int | None = None
    window: int | None = None
    stride: int | None = None

    def __post_init__(self) -> None:
        if self.window is not None and self.window < 2:
            raise GeneratorError(f"window is {self.window}; give at least 2 tokens.")
        if self.stride is not None and (self.stride < 1 or (self.window is not None and self.stride >= self.window)):
            raise GeneratorError(f"stride is {self.stride}; give at least 1 and less than the window.")
        if self.max_tokens is not None and self.max_tokens < 1:
            raise GeneratorError(f"max_tokens is {self.max_tokens}; give at least 1.")


@dataclass(frozen=True)
class ToScore:
    """A text whose log-probability after a prompt is wanted."""

    prompt: Prompt
    text: str
    reading: Reading = field(default_factory=Reading)
    per_token: bool = False

    def to_json(self) -> dict[str, Any]:
        """As a request of the answer store."""
        return {"score": self.text, "prompt": _plain(self.prompt), **_plain(asdict(self.reading))} | (
            {"per_token": True} if self.per_token else {}
        )


@dataclass(frozen=True)
class ToSample:
    """A text to draw after a prompt. The same seed gives the same text, whatever else is drawn with it.

    `top` asks for that many likeliest first tokens of the model's own distribution, for answers read off a reply.
    `beams` above 0 asks for the best text of a beam search of this width, which no seed changes.
    """

    prompt: Prompt
    seed: str = "0"
    max_tokens: int = 256
    sampling: Sampling = field(default_factory=Sampling)
    bos: Bos = "model"
    end: End = "model"
    top: int = 0
    beams: int = 0

    def to_json(self) -> dict[str, Any]:
        """As a request of the answer store."""
        # Not `asdict`, which copies deeply: this is done for every request.
        fields = {one.name: getattr(self, one.name) for one in fields_of(self) if one.name != "prompt"}
        if not self.beams:
            del fields["beams"]
        return {"sample": _plain(self.prompt), **_plain(fields | {"sampling": vars(self.sampling)})}


@dataclass(frozen=True)
class TextScore:
    """The log-probability of a text; NaN with a reason where there is none.

    Attributes:
        logprob: the sum over the tokens and, where counted, the end.
        n_tokens: the tokens of the text, without the end.
        impossible_at: the position of the first impossible token, counted from 0, if `logprob` is -inf; else -1.
        tokens: the tokens' texts, where wanted.
        token_logprobs: one value for each token and one for the end where it counts, where wanted.
        reason: why there is no log-probability.
    """

    logprob: float = nan
    n_tokens: int = 0
    impossible_at: int = -1
    tokens: tuple[str, ...] = ()
    token_logprobs: tuple[float, ...] = ()
    reason: str = ""

    def to_json(self) -> dict[str, Any]:
        """As a reply of the answer store, which has no infinities: null is -inf, a gap has a reason."""
        written: dict[str, Any] = {
            "logprob": _number(self.logprob),
            "n_tokens": self.n_tokens,
            "impossible_at": self.impossible_at,
        }
        if self.token_logprobs:
            written |= {"tokens": list(self.tokens), "token_logprobs": [_number(one) for one in self.token_logprobs]}
        return written | ({"reason": self.reason} if self.reason else {})

    @classmethod
    def from_json(cls, reply: Mapping[str, Any]) -> TextScore:
        """Read a reply."""
        reason = reply.get("reason", "")
        logprob = nan if reason else _from_number(reply["logprob"])
        return cls(
            logprob,
            reply["n_tokens"],
            reply["impossible_at"],
            tuple(reply.get("tokens", ())),
            tuple(_from_number(one) for one in reply.get("token_logprobs", ())),
            reason,
        )


@dataclass(frozen=True)
class Drawn:
    """A text drawn from a model.

    Attributes:
        text: the text.
        logprob: the log-probability of the tokens that were drawn, with the end if it came; NaN where the model does
            not tell (`reason` says why).
        n_tokens: how many they are, without the end.
        finish: `end`, or `length` where `max_tokens` cut it.
        read_again: the log-probability of the same text when it is tokenized anew; equal to `logprob` unless the tokens
            differ; NaN where it was not computed.
        first: the likeliest first tokens with their log-probabilities, where wanted.
        reason: why there is no log-probability.
        usage: tokens read and written as an endpoint counts them.
    """

    text: str
    logprob: float = nan
    n_tokens: int = 0
    finish: Literal["end", "length"] = "end"
    read_again: float = nan
    first: tuple[tuple[str, float], ...] = ()
    reason: str = ""
    usage: tuple[int, int] | None = None

    def to_json(self) -> dict[str, Any]:
        """As a reply of the answer store."""
        written: dict[str, Any] = {"text": self.text, "n_tokens": self.n_tokens, "finish": self.finish}
        if not isnan(self.logprob):
            written["logprob"] = _number(self.logprob)
        if not isnan(self.read_again):
            written["read_again"] = _number(self.read_again)
        if self.first:
            written["first"] = [[token, _number(value)] for token, value in self.first]
        if self.usage is not None:
            written["usage"] = list(self.usage)
        return written | ({"reason": self.reason} if self.reason else {})

    @classmethod
    def from_json(cls, reply: Mapping[str, Any]) -> Drawn:
        """Read a reply."""
        return cls(
            reply["text"],
            _from_number(reply["logprob"]) if "logprob" in reply else nan,
            reply["n_tokens"],
            reply["finish"],
            _from_number(reply["read_again"]) if "read_again" in reply else nan,
            tuple((token, _from_number(value)) for token, value in reply.get("first", ())),
            reply.get("reason", ""),
            tuple(reply["usage"]) if "usage" in reply else None,
        )


@runtime_checkable
class LanguageModel(Protocol):
    """A model that tokenizes, scores and samples.

    `name` identifies it in signatures and in the answer store: it holds a content hash or an endpoint's model and base.
    `at_once` and `batch` say how requests reach it: a model in this process is asked by one thread, many texts at a
    time; an endpoint by several, one text each.
    """

    @property
    def name(self) -> str:
        """Its name in signatures."""

    @property
    def at_once(self) -> int | None:
        """The most calls under way; None for as many as the run allows."""

    @property
    def batch(self) -> int:
        """The most requests of one call."""

    def tokenize(self, text: str) -> list[str]:
        """The tokens of a text."""

    def score(self, wanted: Sequence[ToScore]) -> list[TextScore]:
        """The log-probabilities of texts."""

    def sample(self, wanted: Sequence[ToSample]) -> list[Drawn]:
        """Draw texts."""


def answer(model: LanguageModel, requests: Any) -> Any:
    """Answer a request of the answer store, or a list of them: what `send` of `per_request` does."""
    several = requests if isinstance(requests, list) else [requests]
    replies: list[Any] = [None] * len(several)
    scores = [place for place, request in enumerate(several) if "score" in request]
    draws = [place for place, request in enumerate(several) if "sample" in request]
    for place, scored in zip(scores, model.score([score_request(several[one]) for one in scores]), strict=True):
        replies[place] = scored.to_json()
    for place, drawn in zip(draws, model.sample([sample_request(several[one]) for one in draws]), strict=True):
        replies[place] = drawn.to_json()
    if None in replies:
        raise ValueError("a request must have the field score or sample")
    return replies if isinstance(requests, list) else replies[0]


def score_request(request: Mapping[str, Any]) -> ToScore:
    """Read a request to score."""
    settings = {k: v for k, v in request.items() if k not in ("score", "prompt", "per_token", "sampling", "end")}
    reading = Reading(Sampling(**request["sampling"]), end=_end(request["end"]), **settings)
    return ToScore(_prompt(request["prompt"]), request["score"], reading, request.get("per_token", False))


def sample_request(request: Mapping[str, Any]) -> ToSample:
    """Read a request to sample."""
    settings = {k: v for k, v in request.items() if k not in ("sample", "sampling", "end")}
    sampling = Sampling(**request.get("sampling", {}))
    return ToSample(_prompt(request["sample"]), sampling=sampling, end=_end(request.get("end", "model")), **settings)


def _prompt(value: Any) -> Prompt:
    return value if isinstance(value, str) else tuple(value)


def _end(value: Any) -> End:
    return tuple(value) if isinstance(value, list) else value


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(part) for key, part in value.items()}
    return [_plain(part) for part in value] if isinstance(value, list | tuple) else value


def _number(value: float) -> float | None:
    return None if isnan(value) or value == -inf else value


def _from_number(value: float | None) -> float:
    return -inf if value is None else value
