"""Connections to one server, kept open between requests.

By `http.client`: a request takes a quarter of a millisecond of this process, where HTTP libraries take a whole one and
more. With many requests at once that time, which threads cannot share, decides how many a second are sent.
"""

from __future__ import annotations

import select
from base64 import b64encode
from collections.abc import Mapping
from functools import cached_property
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection, IncompleteRead
from threading import Lock
from time import monotonic
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

CHUNK = 1 << 16


class HttpReply(NamedTuple):
    """A reply as it came; names of headers in lower case."""

    status: int
    headers: Mapping[str, str]
    content: bytes


class Unfinished(TimeoutError):
    """A reply began in time, but did not end."""


class Connections:
    """Posts below one base address, through the proxy that the environment names; safe in several threads.

    Raises TimeoutError where no reply comes in time, Unfinished where it is not complete by then, and OSError or
    HTTPException where it does not come.
    """

    def __init__(self, base: str, timeout: float) -> None:
        self.parts = urlsplit(base)
        if self.parts.scheme not in ("http", "https") or not self.parts.hostname:
            raise ValueError(f"{base}: not an address")
        _ = self.parts.port  # raises ValueError if it is no number
        self.timeout = timeout
        self._idle: list[HTTPConnection] = []
        self._lock = Lock()

    def post(self, path: str, content: bytes, headers: Mapping[str, str]) -> HttpReply:
        """Send a request and read the whole reply."""
        deadline = monotonic() + self.timeout
        connection = self._take()
        try:
            connection.request("POST", self._target(path), content, {**headers, **self._to_proxy})
            response = connection.getresponse()
            read = _whole(response, connection, deadline)
        except BaseException:
            connection.close()
            raise
        if response.will_close:
            connection.close()
        else:
            with self._lock:
                self._idle.append(connection)
        return HttpReply(response.status, {name.lower(): value for name, value in response.getheaders()}, read)

    def close(self) -> None:
        """Close what is open."""
        with self._lock:
            while self._idle:
                self._idle.pop().close()

    def __del__(self) -> None:
        self.close()

    def _take(self) -> HTTPConnection:
        while True:
            with self._lock:
                connection = self._idle.pop() if self._idle else None
            if connection is None:
                return self._new()
            # A socket that can be read before anything was asked has been closed by the server.
            if connection.sock is not None and not select.select([connection.sock], [], [], 0)[0]:
                return connection
            connection.close()

    def _new(self) -> HTTPConnection:
        kind = HTTPSConnection if self.parts.scheme == "https" else HTTPConnection
        host, port = self.parts.hostname or "", self.parts.port
        if not self._proxy:
            return kind(host, port, timeout=self.timeout)
        proxy = urlsplit(self._proxy)
        connection = kind(proxy.hostname or "", proxy.port or 80, timeout=self.timeout)
        if self.parts.scheme == "https":
            connection.set_tunnel(host, port, _authorization(self._proxy))
        return connection

    @cached_property
    def _proxy(self) -> str:
        from urllib.request import getproxies, proxy_bypass

        host = self.parts.hostname or ""
        named = "" if proxy_bypass(host) else getproxies().get(self.parts.scheme, "")
        return named if not named or "//" in named else f"http://{named}"

    @cached_property
    def _to_proxy(self) -> dict[str, str]:
        return _authorization(self._proxy) if self.parts.scheme == "http" else {}

    def _target(self, path: str) -> str:
        below = f"{self.parts.path.rstrip('/')}/{path}"
        through = self._proxy and self.parts.scheme == "http"
        return f"http://{self.parts.netloc}{below}" if through else below


def _whole(response: HTTPResponse, connection: HTTPConnection, deadline: float) -> bytes:
    """The body. A server that sends a little now and then must end before the deadline, too."""
    chunks = []
    sock = connection.sock
    while True:
        left = deadline - monotonic()
        if left <= 0:
            raise Unfinished
        if sock is not None:
            sock.settimeout(left)
        try:
            chunk = response.read1(CHUNK)
        except TimeoutError:
            raise Unfinished from None
        if not chunk:
            break
        chunks.append(chunk)
    if response.length:
        raise IncompleteRead(b"".join(chunks), response.length)
    if sock is not None:
        sock.settimeout(connection.timeout)
    response.close()  # a connection with an open response takes no other request
    return b"".join(chunks)


def _authorization(proxy: str) -> dict[str, str]:
    parts = urlsplit(proxy)
    if parts.username is None:
        return {}
    named = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    return {"Proxy-Authorization": f"Basic {b64encode(named.encode()).decode()}"}
