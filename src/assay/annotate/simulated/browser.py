"""A browser for bots: cookies, forms and redirects, without JavaScript, over one connection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from http.client import HTTPConnection, HTTPException
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
        reader = _FormReader()
        reader.feed(self.html)
        return next((one for one in reader.forms if one.action.startswith(action)), None)


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
            self._connection.request(method, path, body, headers)
            response = self._connection.getresponse()
            html = response.read().decode("utf-8")
        except (OSError, HTTPException):
            self._connection.close()  # the next request connects again
            raise
        for cookie in response.headers.get_all("Set-Cookie") or ():
            name, _, value = cookie.partition(";")[0].partition("=")
            self._cookies[name.strip()] = value
        if follow and response.status in REDIRECTS:
            return self._request("GET", response.headers["Location"], None, follow=True)
        return Reply(response.status, path, html)


@dataclass
class _Open:
    action: str
    hidden: dict[str, str] = field(default_factory=dict)
    choices: dict[str, list[str]] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)

    def done(self) -> HtmlForm:
        choices = {name: tuple(values) for name, values in self.choices.items()}
        return HtmlForm(self.action, self.hidden, choices, tuple(self.lines))


class _FormReader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.forms: list[HtmlForm] = []
        self._open: _Open | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._open = _Open(given.get("action", ""))
        elif self._open is None or not given.get("name"):
            return
        elif tag == "textarea" or (tag == "input" and given.get("type", "text") in ("text", "number")):
            self._open.lines.append(given["name"])
        elif tag == "input" and given.get("type") == "hidden":
            self._open.hidden[given["name"]] = given.get("value", "")
        elif tag == "input" and given.get("type") in ("radio", "checkbox"):
            self._open.choices.setdefault(given["name"], []).append(given.get("value", "on"))

    def handle_endtag(self, tag: str) -> None:
        if tag == "form" and self._open is not None:
            self.forms.append(self._open.done())
            self._open = None
