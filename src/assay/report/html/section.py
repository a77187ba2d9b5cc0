"""A section of the page: the result of a step, or why it failed."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from assay.part import Part
from assay.part.examples import html_examples
from assay.part.html import html_table
from assay.part.words import paragraphs, sentence
from assay.report.html.figures import html_figures


@dataclass(frozen=True)
class Section:
    """A step in the report: its part, or the reason for its failure."""

    name: str
    part: Part | None
    failure: str = ""

    @property
    def title(self) -> str:
        """The heading."""
        return self.part.title if self.part is not None else self.name

    def html(self) -> str:
        """Render the section."""
        if self.part is None:
            body = f'<p class="failure">This step failed: {sentence(self.failure)}</p>'
        else:
            shown = [html_table(table) for table in self.part.tables if not table.in_file]
            notes = "".join(map(paragraphs, self.part.notes))
            figures = html_figures(self.name, self.part.pictures)
            body = paragraphs(self.part.summary) + figures + html_examples(self.part.examples) + "".join(shown) + notes
        return f'<section id="{self.name}"><h2>{escape(self.title)}</h2>{body}</section>'
