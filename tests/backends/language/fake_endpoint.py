"""A server in this process that speaks the dialects of OpenAI-compatible endpoints, over a tiny model."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from json import dumps
from typing import Any

from assay.backends.language.connections import HttpReply
from assay.backends.language.endpoint import Endpoint
from assay.backends.language.local import LocalModel
from assay.backends.language.opening import open_model
from assay.backends.language.protocol import Reading, Sampling, ToSample, ToScore
from assay.backends.language.wire import Wire
from tests.tiny_models import tiny_language_model

# The letters of what the probe asks, so that a model of letters can answer.
LETTERS = "".join(sorted(set("The capital of France is Paris, of course.abcd")))

Before = Callable[[str, dict[str, Any]], Any]


def http_reply(status: int, json: Any = None, text: str = "", headers: Mapping[str, str] | None = None) -> HttpReply:
    """A reply with a JSON value or a text."""
    content = dumps(json) if json is not None else text
    return HttpReply(status, {name.lower(): value for name, value in (headers or {}).items()}, content.encode())


class FakeServer:
    """`dialect` is one of echo, prompt_logprobs, none, generated, zeros."""

    def __init__(
        self,
        dialect: str,
        *,
        before: Before | None = None,
        routes: tuple[str, ...] = ("completions", "chat/completions"),
        rejects: tuple[str, ...] = (),
    ) -> None:
        self.dialect = dialect
        self.before = before
        self.routes = routes
        self.rejects = rejects
        self.calls: list[tuple[str, dict[str, Any], dict[str, str]]] = []
        model = open_model(str(tiny_language_model(LETTERS)))
        assert isinstance(model, LocalModel)
        self.model = model

    def endpoint(self) -> Endpoint:
        """A client of this server."""
        return Endpoint("tiny", "http://fake/v1", Wire("http://fake/v1", self.handle))

    def handle(self, path: str, content: bytes, headers: Mapping[str, str]) -> HttpReply:
        """Answer one request."""
        body = json.loads(content)
        self.calls.append((path, body, {name.lower(): value for name, value in headers.items()}))
        early = self.before(path, body) if self.before else None
        if early is not None:
            return early
        if path not in self.routes:
            return http_reply(404, json={"error": {"message": "no such route"}})
        for field in self.rejects:
            if field in body or any(field == message["role"] for message in body.get("messages", ())):
                return http_reply(400, json={"error": {"message": f"unsupported: {field}"}})
        return http_reply(200, json=self._answer(path, body))

    def _answer(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        chat = path == "chat/completions"
        prompt = "".join(message["content"] for message in body["messages"]) if chat else body["prompt"]
        sampling = Sampling(body.get("temperature", 1.0), body.get("top_k"), body.get("top_p", 1.0))
        limit = body.get("max_tokens", body.get("max_completion_tokens"))
        drawn = self.model.sample([ToSample(prompt, str(body.get("seed", 0)), limit, sampling, top=5)])[0]
        choice: dict[str, Any] = {"index": 0, "finish_reason": "length" if drawn.finish == "length" else "stop"}
        choice |= {"message": {"role": "assistant", "content": drawn.text}} if chat else {"text": drawn.text}
        if body.get("logprobs") and self.dialect != "none":
            choice["logprobs"] = self._generated(prompt, drawn.text, chat)
        if self.dialect in ("echo", "zeros") and body.get("echo"):
            choice["logprobs"] = self._echo(prompt, drawn.text)
        if self.dialect == "prompt_logprobs" and "prompt_logprobs" in body:
            choice["prompt_logprobs"] = [
                None if value is None else {"7": {"logprob": value, "rank": 1, "decoded_token": token}}
                for token, value in zip(prompt, self._values(prompt), strict=True)
            ]
        usage = {"prompt_tokens": len(prompt), "completion_tokens": drawn.n_tokens}
        return {"choices": [choice], "usage": usage}

    def _values(self, text: str) -> list[float | None]:
        """The log-probability of each letter but the first, without anything before it."""
        reading = Reading(bos="never", end="none")
        scored = self.model.score([ToScore(text[0], text[1:], reading, per_token=True)])[0]
        return [None, *scored.token_logprobs]

    def _echo(self, prompt: str, text: str) -> dict[str, Any]:
        values: list[float | None] = self._values(prompt)
        if self.dialect == "zeros":
            values = [0.0] * len(prompt)
        tokens = [*prompt, text]
        return {
            "tokens": tokens,
            "token_logprobs": [*values, -1.0],
            "text_offset": list(range(len(prompt) + 1)),
            "top_logprobs": None,
        }

    def _generated(self, prompt: str, text: str, chat: bool) -> dict[str, Any]:
        values = self._values(prompt + text)[len(prompt) :] if text else []
        if chat:
            top = [{"token": "a", "logprob": -0.5}, {"token": "b", "logprob": -1.5}]
            content = [{"token": t, "logprob": v, "top_logprobs": top} for t, v in zip(text, values, strict=True)]
            return {"content": content}
        return {"tokens": list(text), "token_logprobs": values, "text_offset": [], "top_logprobs": [{"a": -0.5}]}
