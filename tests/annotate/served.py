"""Studies served to test clients and browsers, and a reader of their pages that runs no scripts."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

import uvicorn
from starlette.testclient import TestClient

from assay.annotate.protocol import Protocol
from assay.annotate.protocol_file import parse_protocol
from assay.annotate.service import Service
from assay.annotate.serving import listening, study_of
from assay.annotate.web.app import application
from assay.annotate.web.bounded import BoundedRequests

URL = "http://127.0.0.1:8000"
SAME = {"Origin": URL, "Sec-Fetch-Site": "same-origin"}


def records(texts: list[str] | None = None) -> list[dict]:
    """Outputs that every form can ask about."""
    rows = [
        {
            "id": f"{item}{system}{copy}",
            "item": item,
            "context": f"What of {item}?",
            "choices": ["hsl(0, 99%, 40%)", "hsl(120, 99%, 30%)", "hsl(240, 99%, 50%)"],
            "target": 1,
            "system": system,
            "text": f"The {system} says {copy} of {item}.",
        }
        for item in "xy"
        for system in ("people", "model")
        for copy in range(2)
    ]
    return rows if texts is None else [{"id": f"t{n}", "item": f"i{n}", "text": text} for n, text in enumerate(texts)]


def protocol_of(folder: Path, form: str, more: str = "", rows: list[dict] | None = None) -> Protocol:
    lines = "".join(json.dumps(row) + "\n" for row in (records() if rows is None else rows))
    (folder / "outputs.jsonl").write_text(lines, encoding="utf-8")
    pages = "" if "[pages]" in more else "[pages]\nunits = 2\njudgments = 1\nmost = 2\n"
    text = f'title = "A study"\nform = "{form}"\ndata = "outputs.jsonl"\n{more}\n{pages}'
    return parse_protocol(text, folder / "protocol.toml")


@contextmanager
def served(protocol: Protocol) -> Iterator[tuple[Service, TestClient]]:
    """A study and a client that has not agreed yet."""
    with (
        study_of(protocol) as service,
        TestClient(application(service, protocol, URL), base_url=URL, headers=SAME, follow_redirects=True) as client,
    ):
        yield service, client


@contextmanager
def running(protocol: Protocol) -> Iterator[tuple[Service, str]]:
    """A study on a real port, for browsers."""
    with listening("127.0.0.1", 0) as listener, study_of(protocol) as service:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        app = application(service, protocol, url)
        config = uvicorn.Config(app, http=BoundedRequests, log_level="warning", lifespan="off")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        try:
            yield service, url
        finally:
            server.should_exit = True
            thread.join(30)


@dataclass
class Page(HTMLParser):
    """What is on a page: the action of its form, the values of fields, the texts shown, all visible words."""

    html: str
    action: str = ""
    fields: dict[str, list[str]] = field(default_factory=dict)
    shown: list[list[str]] = field(default_factory=list)
    said: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._inside: list[str] = []
        self._in_text = 0
        self._in_area = ""
        self.feed(self.html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.action = given["action"]
        if tag in ("input", "textarea") and given.get("name"):
            self.fields.setdefault(given["name"], []).append(given.get("value", ""))
        if tag == "div" and "text" in given.get("class", "").split():
            self._in_text = 1
            self.shown.append([])
        elif self._in_text and tag == "abbr" and given.get("class") == "nul":
            self._in_text = 2

    def handle_endtag(self, tag: str) -> None:
        if tag == "div":
            self._in_text = 0
        if tag == "abbr" and self._in_text:
            self._in_text = 1

    def handle_data(self, data: str) -> None:
        self.said.append(data)
        if self._in_text:
            self.shown[-1].append("\0" if self._in_text == 2 else data)

    @property
    def texts(self) -> list[str]:
        return ["".join(parts) for parts in self.shown]

    @property
    def words(self) -> str:
        return "".join(self.said)
