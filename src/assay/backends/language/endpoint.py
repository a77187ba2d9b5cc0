"""An OpenAI-compatible endpoint as a language model: chat and completions, as far as the server offers them.

Servers differ in which fields they take and which log-probabilities they return. So a few small requests first find
out what this one does (`Profile`), and what it cannot do is refused with a remedy. Sending in parallel, retries, budget
and the store of replies are those of `run.requests`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from hashlib import sha256
from math import nan
from threading import Lock
from typing import Any
from urllib.parse import urlsplit

from assay.backends.language.dialects import (
    PROBE_PROMPT,
    PROBE_TEXT,
    Profile,
    scored_by_echo,
    scored_by_prompt_logprobs,
)
from assay.backends.language.protocol import Drawn, TextScore, ToSample, ToScore
from assay.backends.language.wire import Rejected, Wire
from assay.errors import AssayError, GeneratorError
from assay.io.answers import AnswerStore, ServiceRequest, canonical

LIMIT_FIELDS = ("max_tokens", "max_completion_tokens")
# What a probe raises where the server does not do what is probed: a request that is rejected, a reply of another form.
NOT_SO = (Rejected, ValueError, LookupError, TypeError, AttributeError)


class Endpoint:
    """A model behind a base address such as `http://localhost:8000/v1`."""

    at_once: int | None = None
    batch = 1

    def __init__(self, model: str, base: str, wire: Wire | None = None) -> None:
        parts = urlsplit(base)
        if parts.username or parts.password or parts.query:
            raise AssayError(f"url({model}@...): no keys in an address. Set ASSAY_API_KEY in the environment instead.")
        self.model = model
        self.base = base.rstrip("/")
        self.name = f"url({model}@{self.base})"
        self.wire = wire or Wire(self.base)
        self._lock = Lock()

    @property
    def profile(self) -> Profile:
        """What the server can do; asked once per process."""
        with self._lock:
            return self._profile

    def profile_in(self, store: AnswerStore, offline: bool) -> Profile:
        """What the server can do, as it was found earlier if nothing may be sent now."""
        question = ServiceRequest(f"probe of {self.name}", {"probe": 1})
        if not offline:
            store.put({question: canonical(asdict(self.profile))})
            return self.profile
        kept = store.get([question]).get(question.key)
        if kept is None:
            raise AssayError(f"{self.name}: offline, and what the endpoint can do is not known. Run it once online.")
        return Profile(**kept)

    def tokenize(self, text: str) -> list[str]:
        """Refused: an endpoint does not share its tokenizer."""
        raise GeneratorError(f"{self.name}: an endpoint does not tell its tokens. Use a model folder or a .gguf file.")

    def score(self, wanted: Sequence[ToScore]) -> list[TextScore]:
        """The log-probabilities of texts, one request each."""
        return [self._score(one) for one in wanted]

    def sample(self, wanted: Sequence[ToSample]) -> list[Drawn]:
        """Draw texts, one request each."""
        return [self._sample(one) for one in wanted]

    def check_can_score(self, one: ToScore) -> None:
        """Refuse what no server can be trusted to compute."""
        reading = one.reading
        problem = (
            "temperature, top-k and top-p change the distribution, and it gives log-probabilities of its own only"
            if not reading.sampling.is_plain
            else "it does not give the probability of the end of a text: use --end none"
            if reading.end != "none"
            else "it tokenizes prompt and text as one: use --border joint"
            if reading.border != "joint"
            else "it begins a text as it likes: use --bos model"
            if reading.bos != "model"
            else "it has its own window: leave --window, --stride and --max-tokens out"
            if reading.window or reading.stride or reading.max_tokens
            else "it scores no answers in a chat: use a template instead"
            if not isinstance(one.prompt, str)
            else ""
        )
        if problem:
            raise GeneratorError(f"{self.name}: {problem}. Or use a model folder or a .gguf file.")

    def _score(self, one: ToScore) -> TextScore:
        self.check_can_score(one)
        assert isinstance(one.prompt, str)
        dialect = self.profile.scoring
        if dialect == "echo":
            return scored_by_echo(self._echo(one.prompt + one.text), one)
        if dialect == "prompt_logprobs":
            return scored_by_prompt_logprobs(self._prompt_logprobs(one.prompt + one.text), one)
        raise GeneratorError(f"{self.name}: {self.profile.no_scoring}")

    def _sample(self, one: ToSample) -> Drawn:
        if one.end == "none":
            raise GeneratorError(f"{self.name}: an endpoint ends its texts itself. Leave --end out.")
        if one.bos != "model":
            raise GeneratorError(f"{self.name}: an endpoint begins a text as it likes. Leave --bos out.")
        reply = self.wire.post(*self._sample_request(one))
        choice = _only_choice(reply)
        tokens, values, first = _generated(choice)
        finish = "length" if choice.get("finish_reason") == "length" else "end"
        text = choice["message"].get("content") if "message" in choice else choice.get("text")
        if not isinstance(text, str):
            raise ValueError("the reply has no text")
        usage = _usage(reply)
        missing = (
            "log-probabilities of the sampling distribution"
            if not one.sampling.is_plain
            else "log-probability of the end of a text"
            if finish == "end"
            else ""
            if values
            else "log-probabilities"
        )
        return Drawn(
            text,
            nan if missing else sum(values),
            usage[1] or len(tokens),
            finish,  # type: ignore[arg-type]
            first=first[: one.top],
            reason=f"the endpoint gives no {missing}" if missing else "",
            usage=usage,
        )

    def _sample_request(self, one: ToSample) -> tuple[str, dict[str, Any]]:
        profile = self.profile
        sampling = one.sampling
        body: dict[str, Any] = {"model": self.model, profile.limit_field: one.max_tokens}
        if profile.temperature:
            body["temperature"] = sampling.temperature
            body["seed"] = int.from_bytes(sha256(one.seed.encode()).digest()[:4], "big") >> 1
        elif sampling.temperature != 1:
            raise GeneratorError(f"{self.name}: the endpoint takes no temperature. Use --temperature 1.")
        if sampling.top_p < 1:
            body["top_p"] = sampling.top_p
        if sampling.top_k is not None:
            body["top_k"] = sampling.top_k
        if isinstance(one.end, tuple):
            body["stop"] = [token.replace("\\n", "\n") for token in one.end]
        if isinstance(one.prompt, str):
            if not profile.completions:
                raise GeneratorError(f"{self.name}: the endpoint goes on from no text, it only chats. Use --chat.")
            if profile.generated_logprobs or one.top:
                body["logprobs"] = max(1, min(one.top, 5))
            return "completions", body | {"prompt": one.prompt}
        if not profile.chat:
            raise GeneratorError(f"{self.name}: the endpoint does not chat. Use a template instead of --chat.")
        if profile.generated_logprobs or one.top:
            body |= {"logprobs": True} | ({"top_logprobs": min(one.top, 20)} if one.top else {})
        return "chat/completions", body | {"messages": _messages(one.prompt, profile.system)}

    @cached_property
    def _profile(self) -> Profile:
        chat, limit, temperature = self._probe_chat()
        system = chat and self._accepts(
            "chat/completions",
            {limit: 1, "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}]},
        )
        completions = self._accepts("completions", {"max_tokens": 1, "prompt": PROBE_PROMPT})
        if not chat and not completions:
            raise AssayError(
                f"{self.name}: neither chat/completions nor completions answers below this base. Check the base, which "
                "usually ends in /v1, and the name of the model."
            )
        generated = self._generated_logprobs(chat, limit)
        scoring, refusal = self._probe_scoring(completions, generated)
        return Profile(chat, completions, limit, temperature, system, generated, scoring, refusal)

    def _probe_chat(self) -> tuple[bool, str, bool]:
        hello = {"messages": [{"role": "user", "content": "Hi"}]}
        for extra in ({"temperature": 0.5}, {}):
            for limit in LIMIT_FIELDS:
                if self._accepts("chat/completions", hello | {limit: 1} | extra):
                    return True, limit, bool(extra)
        return False, LIMIT_FIELDS[0], True

    def _generated_logprobs(self, chat: bool, limit: str) -> bool:
        if chat:
            path, body = (
                "chat/completions",
                {"messages": [{"role": "user", "content": "Hi"}], limit: 1, "logprobs": True},
            )
        else:
            path, body = "completions", {"prompt": PROBE_PROMPT, "max_tokens": 1, "logprobs": 1}
        try:
            return bool(_generated(_only_choice(self.wire.post(path, {"model": self.model, **body})))[1])
        except NOT_SO:
            return False

    def _probe_scoring(self, completions: bool, generated: bool) -> tuple[str, str]:
        """The dialect in which the server scores a given text, found by trying; or none and why."""
        if not completions:
            return "none", (
                "the endpoint has no completions, so it cannot score a given text. Use a server with them, such as "
                "vLLM or llama.cpp, or a model folder."
            )
        one = ToScore(PROBE_PROMPT, PROBE_TEXT)
        reasons = []
        for dialect, ask, read in (
            ("echo", self._echo, scored_by_echo),
            ("prompt_logprobs", self._prompt_logprobs, scored_by_prompt_logprobs),
        ):
            try:
                scored = read(ask(PROBE_PROMPT + PROBE_TEXT), one)
            except NOT_SO as error:
                reasons.append(f"{dialect}: {error}")
                continue
            if scored.reason or not scored.logprob < 0:
                reasons.append(f"{dialect}: {scored.reason or f'a log-probability of {scored.logprob}'}")
                continue
            return dialect, ""
        only = "gives log-probabilities of the tokens it generates only" if generated else "gives no log-probabilities"
        return "none", (
            f"the endpoint {only} ({'; '.join(reasons)}), so it cannot score a given text. Start the server with "
            "prompt log-probabilities (vLLM: prompt_logprobs; llama.cpp and others: echo), or use a model folder."
        )

    def _echo(self, text: str) -> Mapping[str, Any]:
        body = {"model": self.model, "prompt": text, "max_tokens": 1, "echo": True, "logprobs": 1, "temperature": 1.0}
        return self.wire.post("completions", body)

    def _prompt_logprobs(self, text: str) -> Mapping[str, Any]:
        body = {"model": self.model, "prompt": text, "max_tokens": 1, "prompt_logprobs": 0, "temperature": 1.0}
        return self.wire.post("completions", body)

    def _accepts(self, path: str, body: Mapping[str, Any]) -> bool:
        try:
            return bool(_only_choice(self.wire.post(path, {"model": self.model, **body})))
        except NOT_SO:
            return False


def _only_choice(reply: Mapping[str, Any]) -> Mapping[str, Any]:
    choices = reply.get("choices")
    if not isinstance(choices, list) or len(choices) != 1 or not isinstance(choices[0], Mapping):
        raise ValueError("the reply has no choice")
    return choices[0]


def _generated(choice: Mapping[str, Any]) -> tuple[list[str], list[float], tuple[tuple[str, float], ...]]:
    """Tokens that were generated, their log-probabilities, and the likeliest first tokens; empty where not given."""
    given = choice.get("logprobs") or {}
    if isinstance(given.get("content"), list):
        content = given["content"]
        values = [one["logprob"] for one in content]
        top = content[0].get("top_logprobs") or [] if content else []
        first = tuple((one["token"], float(one["logprob"])) for one in top)
        return [one["token"] for one in content], _numbers(values), first
    tokens, values = given.get("tokens") or [], given.get("token_logprobs") or []
    top_first = (given.get("top_logprobs") or [{}])[0] or {}
    ranked = sorted(top_first.items(), key=lambda pair: -pair[1])
    return list(tokens), _numbers(values), tuple((token, float(value)) for token, value in ranked)


def _numbers(values: Sequence[Any]) -> list[float]:
    return [float(value) for value in values] if all(isinstance(value, int | float) for value in values) else []


def _usage(reply: Mapping[str, Any]) -> tuple[int, int]:
    usage = reply.get("usage") or {}
    counts = (usage.get("prompt_tokens"), usage.get("completion_tokens"))
    return tuple(count if isinstance(count, int) else 0 for count in counts)  # type: ignore[return-value]


def _messages(prompt: Sequence[Mapping[str, str]], system: bool) -> list[dict[str, str]]:
    """The messages, the system's put before the first of the user where the server takes no system role."""
    messages = [dict(message) for message in prompt]
    if system or not messages or messages[0]["role"] != "system":
        return messages
    first, *rest = messages
    if rest and rest[0]["role"] == "user":
        return [{"role": "user", "content": f"{first['content']}\n\n{rest[0]['content']}"}, *rest[1:]]
    return [{"role": "user", "content": first["content"]}, *rest]
