"""The last section: the signature of every number, and the works to cite."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from assay.report.citations import works_cited
from assay.report.html.section import Section

INTRO = (
    "How every number was computed. Pass the signature of an evaluator to assay score, that of a correlation, a "
    "difference or an agreement to assay replay, to get the same number from the same data. Sources follow what they "
    "define."
)


def methods(sections: Sequence[Section]) -> str:
    """Render the signatures by section, then the works cited as BibTeX."""
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
