"""Templates, and texts as text: what is shown is what is stored, character by character."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from jinja2 import BytecodeCache, Environment, FileSystemLoader, StrictUndefined
from jinja2.bccache import Bucket
from markupsafe import Markup, escape
from starlette.responses import HTMLResponse

from assay.annotate.protocol import Protocol
from assay.forms.pages import Field
from assay.text.colors import rgb_of_text

HERE = Path(__file__).parent
STATIC = {
    "style.css": "text/css; charset=utf-8",
    "researcher.css": "text/css; charset=utf-8",
    "form.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}

# HTML cannot hold NUL at all: an element of its own stands for it, which is not the character that it shows.
NUL = Markup('<abbr class="nul" title="NUL">\u2400</abbr>')


@cache
def static_file(name: str) -> bytes:
    """The content of a static file."""
    return (HERE / "static" / name).read_bytes()


class _Compiled(BytecodeCache):
    """Templates are compiled once in a process, however many protocols are rendered."""

    def __init__(self) -> None:
        self._code: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        if bucket.key in self._code:
            bucket.bytecode_from_string(self._code[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._code[bucket.key] = bucket.bytecode_to_string()


_COMPILED = _Compiled()


def _environment(words: Mapping[str, Any]) -> Environment:
    """Templates with some words known in all of them, so that macros are imported once and not for every page."""
    environment = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        bytecode_cache=_COMPILED,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
        auto_reload=False,
    )
    environment.filters |= {"verbatim": verbatim, "paragraphs": paragraphs, "hex": hex_color, "record": json.loads}
    environment.globals |= {"static": static_url, "plain": plain_number, **words}
    return environment


def verbatim(text: str) -> Markup:
    """A text as text nodes; a carriage return would become a line feed, and NUL vanish, if they stood there bare."""
    marked = str(escape(text)).replace("\r", "&#13;")
    return Markup(marked.replace("\0", NUL)) if "\0" in marked else Markup(marked)


def paragraphs(text: str) -> list[str]:
    """The paragraphs of a text of the protocol, with its lines joined."""
    return [" ".join(part.split()) for part in re.split(r"\n\s*\n", text) if part.strip()]


def hex_color(text: str) -> str:
    """A color as `#rrggbb`."""
    return "#" + "".join(f"{round(255 * part):02x}" for part in rgb_of_text(text))


def plain_number(value: float | None) -> str:
    """A number without needless digits."""
    return "" if value is None else f"{value:g}"


@cache
def static_url(name: str) -> str:
    """The address of a static file, which changes with its content."""
    return f"/static/{name}?v={sha256(static_file(name)).hexdigest()[:10]}"


class Renderer:
    """Pages in the words of one protocol."""

    def __init__(self, protocol: Protocol) -> None:
        self._protocol = protocol
        words = {"protocol": protocol, "t": protocol.word, "form_problem": self._problem}
        self._environment = _environment(words)

    def page(self, template: str, status: int = 200, **values: Any) -> HTMLResponse:
        """A page from a template."""
        defaults: Mapping[str, Any] = {"posted": {}, "problems": {}, "saved": "", "can_withdraw": False}
        text = self._environment.get_template(template).render({**defaults, **values})
        return HTMLResponse(text, status)

    def notice(self, name: str, status: int = 200, **values: Any) -> HTMLResponse:
        """A page with a heading and a sentence, both named after it in the protocol."""
        word = self._protocol.interface
        heading = word.get(f"{name}_title", word["no_work_title"])
        return self.page("notice.html", status, heading=heading, text=word[name], **values)

    def _problem(self, name: str, asked: Field) -> str:
        return self._protocol.word(f"problem_{name}", low=plain_number(asked.low), high=plain_number(asked.high))
