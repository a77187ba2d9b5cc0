"""Figures of the page: side by side, each in a scrolling box, with unique ids."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from assay.part import Picture
from assay.part.words import sentence

# Figures up to SMALL are small multiples, three to a row; those above WIDE take a full row.
SMALL, WIDE = 400, 560


def html_figures(section: str, pictures: Sequence[Picture]) -> str:
    """Render the figures of a section, grouped by size."""
    return "".join(
        _row(section, [picture for picture in pictures if _look(picture) == look], look)
        for look in ("figures", "figures wide", "figures small")
    )


def _row(section: str, pictures: Sequence[Picture], look: str) -> str:
    """Render figures of one size; a shared caption appears once."""
    captions = {picture.caption for picture in pictures}
    if len(pictures) > 1 and len(captions) == 1:
        body = "".join(_drawing(section, picture) for picture in pictures) + _caption(captions.pop())
        return f'<figure class="{look}">{body}</figure>'
    figures = "".join(
        f"<figure>{_drawing(section, picture)}{_caption(picture.caption)}</figure>" for picture in pictures
    )
    return f'<div class="{look}">{figures}</div>' if figures else ""


def _look(picture: Picture) -> str:
    width = picture.drawing.width
    return "figures small" if width <= SMALL else "figures" if width <= WIDE else "figures wide"


def _drawing(section: str, picture: Picture) -> str:
    """Render a figure without the style sheet, which the page has once, and with an id unique to the section."""
    label = f"Figure {escape(picture.name)}: arrow keys read its marks"
    return "".join(
        f'<div class="drawing{look}" tabindex="0" role="group" aria-label="{label}">{svg}</div>'
        for svg, look in _layouts(picture, f"{section}-{picture.name}")
    )


def _layouts(picture: Picture, name: str) -> Iterator[tuple[str, str]]:
    """The layouts of a figure with their looks; a style sheet shows the one that fits."""
    if picture.narrow is None:
        yield picture.drawing.svg(name, styled=False), ""
    else:
        yield picture.drawing.svg(name, styled=False), " on-page"
        yield picture.narrow.svg(f"{name}-narrow", styled=False), " on-phone"


def _caption(words: str) -> str:
    return f"<figcaption>{sentence(words)}</figcaption>"
