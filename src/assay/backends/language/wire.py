"""Requests over HTTP. A key comes from the environment or a file, and goes nowhere but into a header."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from functools import cached_property
from http.client import HTTPException, IncompleteRead, InvalidURL
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from assay.backends.language.connections import Connections, HttpReply, Unfinished
from assay.errors import AssayError

KEY, KEY_FILE = "ASSAY_API_KEY", "ASSAY_API_KEY_FILE"
TIMEOUT = 120.0
Send = Callable[[str, bytes, Mapping[str, str]], HttpReply]
REFUSED = {
    401: f"the endpoint does not accept the key. Set {KEY}, or {KEY_FILE} to a file that holds it",
    403: f"the endpoint does not allow this with the key. Check {KEY} and the model's name",
    402: "the endpoint wants to be paid. Check the account",
}
REJECTED = (400, 404, 405, 413, 415, 422, 501)


class Rejected(ValueError):
    """The server does not take this request; asking again would not help."""


class Unavailable(Exception):
    """The server does not answer now; `retry_after` says when it may."""

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Wire:
    """Posts JSON below a base address; safe in several threads. `send` stands in for a server in tests."""

    def __init__(self, base: str, send: Send | None = None) -> None:
        self.base = base
        self.host = urlsplit(base).netloc
        self._given = send

    def post(self, path: str, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """Send a request and return the reply."""
        key = api_key()
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
        content = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
        try:
            reply = self._send(path, content, headers)
        except InvalidURL:
            raise self._no_address() from None
        except Unfinished:
            raise Unavailable(f"{self.host} did not finish its reply in {TIMEOUT:g} s") from None
        except TimeoutError:
            raise Unavailable(f"{self.host} did not answer in {TIMEOUT:g} s") from None
        except IncompleteRead:
            raise Unavailable(f"{self.host} broke off its reply") from None
        except (OSError, HTTPException) as error:
            why = getattr(error, "strerror", None) or type(error).__name__
            raise Unavailable(f"{self.host} cannot be reached ({why}); check the address, and that it is up") from None
        return self._read(reply, key)

    def _read(self, reply: HttpReply, key: str) -> Mapping[str, Any]:
        status = reply.status
        if status in REFUSED:
            raise AssayError(f"{self.host}: {REFUSED[status]}.")
        if 300 <= status < 400:
            raise AssayError(f"{self.host}: the endpoint has moved, and a key is not sent elsewhere. Check the base.")
        if status in REJECTED:
            raise Rejected(f"endpoint {status}: {_message(reply, key)}")
        if status >= 400:
            raise Unavailable(f"endpoint {status}", _retry_after(reply))
        try:
            read = json.loads(reply.content)
        except ValueError:
            raise Unavailable("the endpoint's reply is no JSON") from None
        if not isinstance(read, Mapping):
            raise Unavailable("the endpoint's reply is no JSON object")
        return read

    @cached_property
    def _send(self) -> Send:
        try:
            return self._given or Connections(self.base, TIMEOUT).post
        except ValueError:
            raise self._no_address() from None

    def _no_address(self) -> AssayError:
        return AssayError(f"{self.base}: not an address. Write it as http://host:port/v1.")


def api_key() -> str:
    """The key from the environment or from the file named there; empty if there is none."""
    key = os.environ.get(KEY, "").strip()
    path = os.environ.get(KEY_FILE)
    if not key and path:
        try:
            key = Path(path).expanduser().read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError, RuntimeError):
            raise AssayError(f"{KEY_FILE} names a file that cannot be read. Check its name and permissions.") from None
    if not key.isascii() or not key.isprintable():
        raise AssayError(f"the key in {KEY} or {KEY_FILE} has characters that no key has. Check it.")
    return key


def _message(reply: HttpReply, key: str) -> str:
    """What the server says is wrong, shortened, without the key."""
    try:
        body = json.loads(reply.content)
        said = body.get("error", body) if isinstance(body, Mapping) else body
        text = str(said.get("message", said)) if isinstance(said, Mapping) else str(said)
    except ValueError:
        text = reply.content.decode("utf-8", "replace")
    text = " ".join(text.split())
    return (text.replace(key, "[key]") if key else text)[:200]


def _retry_after(reply: HttpReply) -> float | None:
    """Seconds to wait, from a header that gives a number or a date."""
    given = reply.headers.get("retry-after")
    if given is None:
        return None
    try:
        return max(0.0, float(given))
    except ValueError:
        pass
    from datetime import UTC, datetime
    from email.utils import parsedate_to_datetime

    try:
        return max(0.0, (parsedate_to_datetime(given) - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):
        return None
