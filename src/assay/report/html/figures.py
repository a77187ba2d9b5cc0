"""Figures of the page: side by side, each in a box that scrolls, with ids of its own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from html import escape

from assay.part import Picture
from assay.report.html.words import sentence

# Narrower figures are small multiples: three in a row where two others fit. Wider ones have a row of their own.
SMALL, WIDE = 400, 560


def html_figures(section: str, pictures: Sequence[Picture]) -> str:
    """Write the figures of a section, by size."""
    embedded = [replace(picture, svg=_embedded(section, picture)) for picture in pictures]
    looks = [_look(picture) for picture in embedded]
    return "".join(
        _row([picture for picture, own in zip(embedded, looks, strict=True) if own == look], look)
        for look in ("figures", "figures wide", "figures small")
    )


def _embedded(section: str, picture: Picture) -> str:
    """Fit a figure into the page, which holds the rules of all figures once and has room for every id once."""
    drawing = re.sub(r"^<\?xml.*?\?>\s*|<style>.*?</style>", "", picture.svg, flags=re.DOTALL)
    found = re.search(r'<svg[^>]*\sid="([^"]*)"', drawing)
    if not found:
        return drawing
    # An id, or a reference to one, that begins with the id of the figure; never in the texts between tags.
    own = re.compile(rf'(\s(?:id|aria-\w+)="|url\(#){re.escape(found.group(1))}(?=["\-)])')
    new = f"{section}-{escape(picture.name)}"
    return re.sub(r"<[^>]*>", lambda tag: own.sub(lambda start: start.group(1) + new, tag.group()), drawing)


def _row(pictures: Sequence[Picture], look: str) -> str:
    """Write figures of one size; a caption that all share stands once below them."""
    captions = {picture.caption for picture in pictures}
    if len(pictures) > 1 and len(captions) == 1:
        body = "".join(map(_drawing, pictures)) + _caption(captions.pop())
        return f'<figure class="{look}">{body}</figure>'
    figures = "".join(f"<figure>{_drawing(picture)}{_caption(picture.caption)}</figure>" for picture in pictures)
    return f'<div class="{look}">{figures}</div>' if figures else ""


def _look(picture: Picture) -> str:
    found = re.search(r'<svg[^>]*\swidth="(\d+)"', picture.svg)
    width = int(found.group(1)) if found else WIDE
    return "figures small" if width <= SMALL else "figures" if width <= WIDE else "figures wide"


def _drawing(picture: Picture) -> str:
    label = f"Figure {escape(picture.name)}: arrow keys read its marks"
    return f'<div class="drawing" tabindex="0" role="group" aria-label="{label}">{picture.svg}</div>'


def _caption(words: str) -> str:
    return f"<figcaption>{sentence(words)}</figcaption>"
