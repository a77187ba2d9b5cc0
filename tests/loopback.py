"""A server on the loopback interface that answers forms, with faults on request: a judge of known behavior.

One thread with an event loop, connections that stay open, and no HTTP library: cheap, so that what is measured over it
is the client. `python -m tests.loopback SECONDS` serves in a process of its own and prints the port.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Thread
from typing import Any, NamedTuple


class Fault(NamedTuple):
    """A reply that is not as it should be: a status, bytes that trickle, fewer bytes than announced.

    `pieces` cut the content, sent `pause` seconds apart; `missing` bytes are announced and never sent.
    """

    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    content: bytes = b"{}"
    delay: float = 0.0
    pieces: int = 1
    pause: float = 0.0
    missing: int = 0


# What is sent back to a form: a text; a text with `finish` or `first` tokens; or a fault.
Reply = str | dict[str, Any] | Fault


@dataclass
class Served:
    """The address of a running server, the forms it was asked about and the keys it was sent."""

    url: str = ""
    forms: list[str] = field(default_factory=list)
    keys: set[str] = field(default_factory=set)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    connections: set[_Connection] = field(default_factory=set)

    @property
    def model(self) -> str:
        return f"url(fake@{self.url})"


def texts_in(form: str) -> list[str]:
    """The texts that a form shows, in order."""
    return re.findall(r"^Text(?: [AB])?:\n(.*?)\n\n", form, re.MULTILINE | re.DOTALL)


@contextmanager
def serving(answer: Callable[[str], Reply], rejects: tuple[str, ...] = (), latency: float = 0.0) -> Iterator[Served]:
    """Serve chat completions; `answer` makes the reply to a form. Requests with a field of `rejects` are refused."""
    served, loop = Served(), asyncio.new_event_loop()
    server = loop.run_until_complete(_started(served, answer, rejects, latency))
    thread = Thread(target=loop.run_forever)
    thread.start()
    try:
        yield served
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        server.close()
        for connection in list(served.connections):
            connection.transport.abort()
        loop.run_until_complete(asyncio.sleep(0))
        loop.close()


async def _started(
    served: Served, answer: Callable[[str], Reply], rejects: tuple[str, ...], latency: float, port: int = 0
) -> asyncio.Server:
    server = await asyncio.get_running_loop().create_server(
        lambda: _Connection(served, answer, rejects, latency), "127.0.0.1", port, backlog=512
    )
    served.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    return server


class _Connection(asyncio.Protocol):
    """One connection, on which requests come one after another."""

    def __init__(self, served: Served, answer: Callable[[str], Reply], rejects: tuple[str, ...], latency: float):
        self.served, self.answer, self.rejects, self.latency = served, answer, rejects, latency
        self.received = b""

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        self.served.connections.add(self)

    def connection_lost(self, error: Exception | None) -> None:
        self.served.connections.discard(self)

    def data_received(self, data: bytes) -> None:
        self.received += data
        end = self.received.find(b"\r\n\r\n")
        if end < 0:
            return
        request, *lines = self.received[:end].decode().split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        stop = end + 4 + int(headers["content-length"])
        if len(self.received) < stop:
            return
        body = json.loads(self.received[end + 4 : stop])
        self.received = self.received[stop:]
        self.served.keys.add(headers.get("authorization", ""))
        reply = self._reply(request.split()[1], body)
        fault = reply if isinstance(reply, Fault) else Fault(content=_choice(reply, body))
        asyncio.get_running_loop().call_later(self.latency + fault.delay, self._send, fault)

    def _reply(self, path: str, body: dict[str, Any]) -> Reply:
        if not path.endswith("chat/completions") or set(self.rejects) & body.keys():
            return Fault(400, content=json.dumps({"error": {"message": "unsupported"}}).encode())
        form = body["messages"][-1]["content"]
        if form == "Hi":
            return "Hi"
        self.served.forms.append(form)
        self.served.bodies.append(body)
        return self.answer(form)

    def _send(self, fault: Fault) -> None:
        length = len(fault.content) + fault.missing
        head = {"Content-Length": str(length), "Content-Type": "application/json"} | dict(fault.headers)
        lines = "".join(f"{name}: {value}\r\n" for name, value in head.items())
        self.transport.write(f"HTTP/1.1 {fault.status} .\r\n{lines}\r\n".encode())
        size = -(-len(fault.content) // fault.pieces)
        for nth in range(fault.pieces):
            piece = fault.content[nth * size : (nth + 1) * size]
            if nth:
                asyncio.get_running_loop().call_later(fault.pause * nth, self.transport.write, piece)
            else:
                self.transport.write(piece)
        if fault.missing:
            self.transport.close()


def _choice(reply: str | dict[str, Any], body: dict[str, Any]) -> bytes:
    fields = {"text": reply} if isinstance(reply, str) else reply
    choice = {"message": {"content": fields["text"]}, "finish_reason": fields.get("finish", "stop")}
    if body.get("logprobs") and fields.get("first", {"Hi": 0.0}):
        first = [{"token": t, "logprob": v} for t, v in fields.get("first", {"Hi": 0.0}).items()]
        choice["logprobs"] = {"content": [first[0] | {"top_logprobs": first}]}
    return json.dumps({"choices": [choice], "usage": {"prompt_tokens": 10, "completion_tokens": 1}}).encode()


async def _forever(latency: float) -> None:
    served = Served()
    server = await _started(served, lambda form: "3", (), latency)
    print(served.url, flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_forever(float(sys.argv[1])))
