"""What every request and every response goes through: hosts, origins, size of bodies, headers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
ASGIApp = Callable[[Scope, Receive, Send], Awaitable[None]]

MOST_BYTES = 4_000_000
"""Of one posted page."""

SAFE_METHODS = ("GET", "HEAD", "OPTIONS")

SIGNED = "/hooks/"
"""What is posted below it comes from other servers, and carries a signature instead of an origin."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # Other sites are told nothing. With "no-referrer" browsers would also hide the origin of our own forms from us.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


@dataclass(frozen=True)
class Secured:
    """An application behind the checks.

    Attributes:
        app: the application.
        hosts: names under which it may be reached, with the port where it is not the usual one.
        https: whether browsers reach it by https.
        most_bytes: the largest body.
    """

    app: ASGIApp
    hosts: frozenset[str]
    https: bool
    most_bytes: int = MOST_BYTES

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request, or pass it on; every response gets the headers."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                headers.setdefault("Cache-Control", "no-store")
                if self.https:
                    headers["Strict-Transport-Security"] = "max-age=31536000"
            await send(message)

        refusal = self._refusal(scope)
        if refusal is None and scope["method"] not in SAFE_METHODS:
            try:
                body = await self._body(receive)
            except ClientDisconnect:  # half a form may be another answer, and nobody waits for a reply
                return
            if body is None:
                refusal = PlainTextResponse(f"The request is larger than {self.most_bytes} bytes.", 413)
            else:
                receive = _replayed(body, receive)
        await (refusal or self.app)(scope, receive, send_with_headers)

    def _refusal(self, scope: Scope) -> PlainTextResponse | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if host.lower() not in self.hosts:
            return PlainTextResponse("Unknown host.", 400)
        is_signed = scope["path"].startswith(SIGNED)
        if scope["method"] not in SAFE_METHODS and not is_signed and not self._is_same_origin(headers, host):
            return PlainTextResponse("Refused: the request comes from another site.", 403)
        if int(headers.get("content-length", "0") or 0) > self.most_bytes:
            return PlainTextResponse(f"The request is larger than {self.most_bytes} bytes.", 413)
        return None

    def _is_same_origin(self, headers: Headers, host: str) -> bool:
        """Browsers say where a request comes from, and scripts of other sites cannot change that."""
        site, origin = headers.get("sec-fetch-site"), headers.get("origin")
        if site is not None and site != "same-origin":
            return False
        if origin is not None:
            return origin.lower() == f"{'https' if self.https else 'http'}://{host.lower()}"
        return site is not None

    async def _body(self, receive: Receive) -> bytes | None:
        """The whole body, None if it is too large."""
        parts: list[bytes] = []
        size = 0
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ClientDisconnect
            part = message.get("body", b"")
            size += len(part)
            if size > self.most_bytes:
                return None
            parts.append(part)
            if not message.get("more_body"):
                return b"".join(parts)


def _replayed(body: bytes, receive: Receive) -> Receive:
    sent = False

    async def replay() -> Message:
        nonlocal sent
        if sent:
            return await receive()
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay
