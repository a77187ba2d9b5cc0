"""A server on the loopback interface that answers forms, with faults on request: a judge of known behavior."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any

# What is sent back to a form: a text, or (status, headers, body) for a fault.
Reply = str | dict[str, Any] | tuple[int, dict[str, str], bytes]


@dataclass
class Served:
    """The address of a running server, the forms it was asked about and the keys it was sent."""

    url: str = ""
    forms: list[str] = field(default_factory=list)
    keys: set[str] = field(default_factory=set)
    bodies: list[dict[str, Any]] = field(default_factory=list)

    @property
    def model(self) -> str:
        return f"url(fake@{self.url})"


def texts_in(form: str) -> list[str]:
    """The texts that a form shows, in order."""
    return re.findall(r"^Text(?: [AB])?:\n(.*?)\n\n", form, re.MULTILINE | re.DOTALL)


@contextmanager
def serving(answer: Callable[[str], Reply], rejects: tuple[str, ...] = ()) -> Iterator[Served]:
    """Serve chat completions; `answer` makes the reply to a form. Requests with a field of `rejects` are refused."""
    served, lock = Served(), Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with lock:
                served.keys.add(self.headers.get("Authorization", ""))
            if not self.path.endswith("chat/completions") or set(rejects) & body.keys():
                return self.send(400, {}, json.dumps({"error": {"message": "unsupported"}}).encode())
            form = body["messages"][-1]["content"]
            if form == "Hi":
                return self.send(200, {}, self.choice("Hi", body))
            with lock:
                served.forms.append(form)
                served.bodies.append(body)
            reply = answer(form)
            if isinstance(reply, tuple):
                return self.send(*reply)
            return self.send(200, {}, self.choice(reply, body))

        def choice(self, reply: str | dict[str, Any], body: dict[str, Any]) -> bytes:
            fields = {"text": reply} if isinstance(reply, str) else reply
            choice = {"message": {"content": fields["text"]}, "finish_reason": fields.get("finish", "stop")}
            if body.get("logprobs") and fields.get("first", {"Hi": 0.0}):
                first = [{"token": t, "logprob": v} for t, v in fields.get("first", {"Hi": 0.0}).items()]
                choice["logprobs"] = {"content": [first[0] | {"top_logprobs": first}]}
            return json.dumps({"choices": [choice], "usage": {"prompt_tokens": 10, "completion_tokens": 1}}).encode()

        def send(self, status: int, headers: dict[str, str], content: bytes) -> None:
            self.send_response(status)
            for name, value in ({"Content-Length": str(len(content))} | headers).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    served.url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield served
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
