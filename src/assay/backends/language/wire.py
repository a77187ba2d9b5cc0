"""Requests over HTTP. A key comes from the environment or a file, and goes nowhere but into a header."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from assay.errors import AssayError, MissingExtra

KEY, KEY_FILE = "ASSAY_API_KEY", "ASSAY_API_KEY_FILE"
TIMEOUT = 120.0
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
    """Posts JSON below a base address; safe in several threads."""

    def __init__(self, base: str, transport: Any = None) -> None:
        self.base = base
        self.host = urlsplit(base).netloc
        self._transport = transport

    def post(self, path: str, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """Send a request and return the reply."""
        import httpx2

        key = api_key()
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        try:
            response = self._client.post(f"{self.base}/{path}", json=body, headers=headers)
        except httpx2.TimeoutException:
            raise Unavailable(f"{self.host} did not answer in {TIMEOUT:g} s") from None
        except httpx2.InvalidURL:
            raise AssayError(f"{self.base}: not an address. Write it as http://host:port/v1.") from None
        except httpx2.HTTPError as error:
            raise Unavailable(f"{self.host} cannot be reached: {type(error).__name__}") from None
        return self._read(response, key)

    def _read(self, response: Any, key: str) -> Mapping[str, Any]:
        status = int(response.status_code)
        if status in REFUSED:
            raise AssayError(f"{self.host}: {REFUSED[status]}.")
        if 300 <= status < 400:
            raise AssayError(f"{self.host}: the endpoint has moved, and a key is not sent elsewhere. Check the base.")
        if status in REJECTED:
            raise Rejected(f"endpoint {status}: {_message(response, key)}")
        if status >= 400:
            raise Unavailable(f"endpoint {status}", _retry_after(response))
        try:
            reply = response.json()
        except ValueError:
            raise Unavailable("the endpoint's reply is no JSON") from None
        if not isinstance(reply, Mapping):
            raise Unavailable("the endpoint's reply is no JSON object")
        return reply

    @cached_property
    def _client(self) -> Any:
        try:
            import httpx2
        except ImportError as error:
            raise MissingExtra("An endpoint", error.name or "httpx2", "models") from error
        limits = httpx2.Limits(max_connections=None, max_keepalive_connections=None)
        return httpx2.Client(timeout=TIMEOUT, limits=limits, transport=self._transport, follow_redirects=False)


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


def _message(response: Any, key: str) -> str:
    """What the server says is wrong, shortened, without the key."""
    try:
        body = response.json()
        said = body.get("error", body) if isinstance(body, Mapping) else body
        text = str(said.get("message", said)) if isinstance(said, Mapping) else str(said)
    except ValueError:
        text = response.text
    text = " ".join(text.split())
    return (text.replace(key, "[key]") if key else text)[:200]


def _retry_after(response: Any) -> float | None:
    """Seconds to wait, from a header that gives a number or a date."""
    given = response.headers.get("Retry-After")
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
