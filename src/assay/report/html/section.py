"""A section of the page: what one step found, or why it could not."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from assay.part import Part
from assay.report.html.figures import html_figures
from assay.report.html.tables import html_table
from assay.report.html.words import paragraphs, sentence


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
            figures, tables = html_figures(self.name, self.part.pictures), map(html_table, self.part.tables)
            body = paragraphs(self.part.summary) + figures + "".join(tables)
        return f'<section id="{self.name}"><h2>{escape(self.title)}</h2>{body}</section>'
