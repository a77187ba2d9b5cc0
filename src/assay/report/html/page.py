"""The report of a study as one HTML file."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256
from html import escape
from importlib.resources import files

from assay.plot.palette import DARK, LIGHT, stylesheet, theme
from assay.report.html.first_screen import first_screen
from assay.report.html.methods import methods
from assay.report.html.section import Section


def page(
    title: str, facts: Mapping[str, str], sections: Sequence[Section], *, results: str = "", questions: bool = True
) -> str:
    """Render the page. `facts` describe the study: data, seed, version.

    The page carries the SHA-256 of `results`, the text of results.json, to show that the two belong together. Unless
    `questions` is false, it starts with the questions that a study answers.
    """
    script = files("assay.report.html").joinpath("script.js").read_text(encoding="utf-8")
    style = _style()
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "base-uri 'none'; form-action 'none'"
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
            *([f'<meta name="results" content="{_hash(results)}">'] if results else []),
            f"<title>{escape(title)}</title>",
            f"<style>{style}</style>",
            "</head>",
            "<body>",
            _header(title, facts),
            *([first_screen(shown)] if questions else []),
            _contents(shown),
            "<main>",
            *(section.html() for section in shown),
            methods(shown),
            "</main>",
            '<div id="note" hidden><span role="status"></span>',
            '<button type="button" aria-label="Close">×</button></div>',
            f"<script>{script}</script>",
            "</body>",
            "</html>",
            "",
        ]
    )


def _style() -> str:
    own = files("assay.report.html").joinpath("style.css").read_text(encoding="utf-8")
    dark = f"@media (prefers-color-scheme: dark) {{ {theme(DARK, ':root:not([data-theme=light])')} }}"
    # Print in light colors: the selector is more specific than both dark ones.
    paper = f"@media print {{ {theme(LIGHT, ':root:root:root')} }}"
    return "\n".join([theme(LIGHT), dark, theme(DARK, ":root[data-theme=dark]"), paper, stylesheet(), own])


def _hash(content: str) -> str:
    return f"sha256-{b64encode(sha256(content.encode()).digest()).decode()}"


def _header(title: str, facts: Mapping[str, str]) -> str:
    pairs = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in facts.items())
    button = '<button id="theme" type="button" aria-label="Switch between light and dark" hidden>◐</button>'
    return f"<header>{button}<h1>{escape(title)}</h1><dl>{pairs}</dl></header>"


def _contents(sections: Sequence[Section]) -> str:
    links = [f'<a href="#{section.name}">{escape(section.title)}</a>' for section in sections]
    return f'<nav aria-label="Sections">{"".join(links)}<a href="#methods">Methods</a></nav>'
