"""One HTML file from the parts of a study."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from html import escape
from importlib.resources import files

from assay.report.html.blocks import html_table, paragraph
from assay.report.pieces import QUESTIONS, Part, Picture
from assay.report.plot.palette import DARK, LIGHT, stylesheet, theme


@dataclass(frozen=True)
class Section:
    """A step in the report: its part, or why there is none."""

    name: str
    part: Part | None
    failure: str = ""


def page(title: str, facts: Mapping[str, str], sections: Sequence[Section]) -> str:
    """Write the whole page. `facts` say what was studied: data, seed, version."""
    script = files("assay.report.html").joinpath("script.js").read_text(encoding="utf-8")
    style = _style()
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    shown = [section for section in sections if section.part is not None or section.failure]
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{escape(title)}</title>",
            f"<style>{style}</style>",
            "</head>",
            "<body>",
            _header(title, facts),
            _first_screen(shown),
            _contents(shown),
            "<main>",
            *map(_section, shown),
            _methods(shown),
            "</main>",
            '<div id="tip" role="status" hidden></div>',
            f"<script>{script}</script>",
            "</body>",
            "</html>",
            "",
        ]
    )


def _style() -> str:
    own = files("assay.report.html").joinpath("style.css").read_text(encoding="utf-8")
    dark = f"@media (prefers-color-scheme: dark) {{ {theme(DARK, ':root:not([data-theme=light])')} }}"
    return "\n".join([theme(LIGHT), dark, theme(DARK, ":root[data-theme=dark]"), stylesheet(), own])


def _hash(content: str) -> str:
    return f"sha256-{b64encode(sha256(content.encode()).digest()).decode()}"


def _header(title: str, facts: Mapping[str, str]) -> str:
    pairs = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in facts.items())
    button = '<button id="theme" type="button" aria-label="Switch between light and dark">◐</button>'
    return f"<header>{button}<h1>{escape(title)}</h1><dl>{pairs}</dl></header>"


def _first_screen(sections: Sequence[Section]) -> str:
    """The five questions, answered by whatever steps can."""
    cards = []
    for key, (question, silence) in QUESTIONS.items():
        answers = [
            f'<li>{escape(answer)} <a href="#{section.name}">{escape(section.part.title)}</a></li>'
            for section in sections
            if section.part is not None
            for answer in section.part.answers.get(key, ())
        ]
        if key == "missing":
            answers += [
                f'<li>The step {section.name} failed: {escape(section.failure)} <a href="#{section.name}">more</a></li>'
                for section in sections
                if section.failure
            ]
        body = f"<ul>{''.join(answers)}</ul>" if answers else f"<p>{silence}</p>"
        cards.append(f'<section class="card"><h2>{escape(question)}</h2>{body}</section>')
    return f'<div id="answers">{"".join(cards)}</div>'


def _contents(sections: Sequence[Section]) -> str:
    links = [
        f'<a href="#{section.name}">{escape(section.part.title if section.part else section.name)}</a>'
        for section in sections
    ]
    return f'<nav aria-label="Sections">{"".join(links)}<a href="#methods">Methods</a></nav>'


def _section(section: Section) -> str:
    if section.part is None:
        return (
            f'<section id="{section.name}"><h2>{escape(section.name)}</h2>'
            f'<p class="failure">This step failed: {escape(section.failure)}</p></section>'
        )
    part = section.part
    blocks = [paragraph(part.summary), *map(_figure, part.pictures), *map(html_table, part.tables)]
    return f'<section id="{section.name}"><h2>{escape(part.title)}</h2>{"".join(blocks)}</section>'


def _figure(picture: Picture) -> str:
    """The page holds the rules of all figures once, so each goes without its own."""
    drawing = re.sub(r"<style>.*?</style>", "", picture.svg, flags=re.DOTALL)
    drawing = re.sub(r"^<\?xml.*?\?>\s*", "", drawing)
    return f"<figure>{drawing}<figcaption>{escape(picture.caption)}</figcaption></figure>"


def _methods(sections: Sequence[Section]) -> str:
    lines = dict.fromkeys(line for section in sections if section.part for line in section.part.methods)
    items = "".join(f"<li><code>{escape(line)}</code></li>" for line in lines)
    intro = (
        "How every number was made, ready to paste. A signature can be parsed back and gives the same numbers on the "
        "same data; a source stands below what it defines."
    )
    return f'<section id="methods"><h2>Methods</h2><p>{intro}</p><ul class="methods">{items}</ul></section>'
