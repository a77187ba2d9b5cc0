"""The last section: how every number was made and the works to cite, ready to paste."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from assay.report.citations import works_cited
from assay.report.html.section import Section

INTRO = (
    "How every number was made. The signature of an evaluator can be given to assay score, that of a correlation, a "
    "difference or an agreement to assay replay, for the same number on the same data. A source stands below what it "
    "defines."
)


def methods(sections: Sequence[Section]) -> str:
    """Write the signatures section by section, then the works they cite as BibTeX."""
    listed = [(section, section.part.methods) for section in sections if section.part and section.part.methods]
    blocks = [_block(section.title, "\n".join(dict.fromkeys(lines))) for section, lines in listed]
    works = works_cited([line for _, lines in listed for line in lines])
    if works:
        blocks.append(_block("Works cited (BibTeX)", "\n\n".join(works)))
    return f'<section id="methods"><h2>Methods</h2><p>{INTRO}</p>{"".join(blocks)}</section>'


def _block(title: str, text: str) -> str:
    button = f'<button type="button" class="copy" aria-label="Copy {escape(title)}" hidden>Copy</button>'
    return (
        f'<div class="paste"><h3>{escape(title)}</h3>{button}'
        f'<pre tabindex="0" aria-label="{escape(title)}">{escape(text)}</pre></div>'
    )
