"""A section of the page: what one step found, or why it could not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from assay.report.html.tables import html_table
from assay.report.html.words import paragraphs, sentence
from assay.report.pieces import Part, Picture

# Narrower figures are small multiples: three in a row where two others fit.
SMALL = 400


@dataclass(frozen=True)
class Section:
    """A step in the report: its part, or why there is none."""

    name: str
    part: Part | None
    failure: str = ""

    @property
    def title(self) -> str:
        """What the page calls it."""
        return self.part.title if self.part is not None else self.name

    def html(self) -> str:
        """Write the section."""
        if self.part is None:
            body = f'<p class="failure">This step failed: {sentence(self.failure)}</p>'
        else:
            part = self.part
            body = paragraphs(part.summary) + _figures(part.pictures) + "".join(map(html_table, part.tables))
        return f'<section id="{self.name}"><h2>{escape(self.title)}</h2>{body}</section>'


def _figures(pictures: Sequence[Picture]) -> str:
    """Set figures side by side, the large ones before the small ones."""
    small = [picture for picture in pictures if _width(picture) <= SMALL]
    large = [picture for picture in pictures if _width(picture) > SMALL]
    return _row(large, "figures") + _row(small, "figures small")


def _row(pictures: Sequence[Picture], look: str) -> str:
    """Write figures of one size; a caption that all share stands once below them."""
    captions = {picture.caption for picture in pictures}
    if len(pictures) > 1 and len(captions) == 1:
        body = "".join(map(_drawing, pictures)) + _caption(captions.pop())
        return f'<figure class="{look}">{body}</figure>'
    figures = "".join(f"<figure>{_drawing(picture)}{_caption(picture.caption)}</figure>" for picture in pictures)
    return f'<div class="{look}">{figures}</div>' if figures else ""


def _width(picture: Picture) -> int:
    found = re.search(r'<svg[^>]*\swidth="(\d+)"', picture.svg)
    return int(found.group(1)) if found else SMALL + 1


def _drawing(picture: Picture) -> str:
    """Write one figure in a box that scrolls. The page holds the rules of all figures once, so each goes without."""
    drawing = re.sub(r"<style>.*?</style>", "", picture.svg, flags=re.DOTALL)
    drawing = re.sub(r"^<\?xml.*?\?>\s*", "", drawing)
    label = f"Figure {escape(picture.name)}: arrow keys read its marks"
    return f'<div class="drawing" tabindex="0" role="group" aria-label="{label}">{drawing}</div>'


def _caption(words: str) -> str:
    return f"<figcaption>{sentence(words)}</figcaption>"
