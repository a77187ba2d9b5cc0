"""A browser for bots: cookies, forms and redirects, without JavaScript, over one connection."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import unescape
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import Self
from urllib.parse import urlencode, urlsplit

REDIRECTS = (302, 303)


@dataclass(frozen=True)
class HtmlForm:
    """A form of a page: where it is sent, what it holds, and the answers that each choice offers."""

    action: str
    hidden: Mapping[str, str]
    choices: Mapping[str, tuple[str, ...]]
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Reply:
    """A page, as it came."""

    status: int
    path: str
    html: str

    def form(self, action: str) -> HtmlForm | None:
        """The form whose action begins so."""
        return next((one for one in _forms(self.html) if one.action.startswith(action)), None)


class Browser:
    """One person at a browser. Close it, or use it as a context manager."""

    def __init__(self, url: str, timeout: float = 60.0) -> None:
        self._timeout = timeout
        self._cookies: dict[str, str] = {}
        self._connect(url)

    def get(self, path: str) -> Reply:
        """Open a page, following redirects."""
        return self._request("GET", path, None, follow=True)

    def post(self, path: str, fields: Mapping[str, str], *, follow: bool = True) -> Reply:
        """Send a form."""
        return self._request("POST", path, urlencode(fields), follow=follow)

    def move(self, url: str) -> None:
        """Go on at another server of the same study."""
        self.close()
        self._connect(url)

    def _connect(self, url: str) -> None:
        address = urlsplit(url)
        self._origin = f"{address.scheme}://{address.netloc}"
        self._connection = HTTPConnection(address.hostname or "", address.port or 80, timeout=self._timeout)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _request(self, method: str, path: str, body: str | None, *, follow: bool) -> Reply:
        headers = {"Origin": self._origin, "Sec-Fetch-Site": "same-origin"}
        if self._cookies:
            headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self._cookies.items())
        if body is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        try:
            response, html = self._exchange(method, path, body, headers)
        except (OSError, HTTPException):
            self._connection.close()  # the next request connects again
            raise
        for cookie in response.headers.get_all("Set-Cookie") or ():
            name, _, value = cookie.partition(";")[0].partition("=")
            self._cookies[name.strip()] = value
        if follow and response.status in REDIRECTS:
            return self._request("GET", response.headers["Location"], None, follow=True)
        return Reply(response.status, path, html)

    def _exchange(self, method: str, path: str, body: str | None, headers: dict[str, str]) -> tuple[HTTPResponse, str]:
        """Send a request and read the reply; over a new connection if the server closed the kept one meanwhile."""
        is_kept = self._connection.sock is not None
        try:
            self._connection.request(method, path, body, headers)
            response = self._connection.getresponse()
        except ConnectionError:
            self._connection.close()
            if not is_kept:
                raise
            return self._exchange(method, path, body, headers)
        return response, response.read().decode("utf-8")


def _forms(html: str) -> Iterator[HtmlForm]:
    """The forms of a page of the application, whose attributes are in double quotes and escaped."""
    for form in _FORM.finditer(html):
        hidden: dict[str, str] = {}
        choices: dict[str, list[str]] = {}
        lines: list[str] = []
        for tag, attributes in _FIELD.findall(form[2]):
            given = {name: unescape(value) for name, value in _ATTRIBUTE.findall(attributes)}
            name, kind = given.get("name", ""), given.get("type", "text")
            if not name:
                continue
            if tag == "textarea" or kind in ("text", "number"):
                lines.append(name)
            elif kind == "hidden":
                hidden[name] = given.get("value", "")
            elif kind in ("radio", "checkbox"):
                choices.setdefault(name, []).append(given.get("value", "on"))
        action = dict(_ATTRIBUTE.findall(form[1])).get("action", "")
        yield HtmlForm(
            unescape(action), hidden, {name: tuple(values) for name, values in choices.items()}, tuple(lines)
        )


_FORM = re.compile(r"<form\b([^>]*)>(.*?)</form>", re.DOTALL)
_FIELD = re.compile(r"<(input|textarea)\b([^>]*)>")
_ATTRIBUTE = re.compile(r'([\w-]+)="([^"]*)"')
