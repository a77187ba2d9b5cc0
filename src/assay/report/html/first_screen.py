"""The first screen: five questions, with the answers of every section."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from assay.part import QUESTIONS
from assay.part.words import sentence
from assay.report.html.section import Section

# Further answers of a section are collapsed.
MOST_ANSWERS = 3


def first_screen(sections: Sequence[Section]) -> str:
    """Render a card per question; the first is the largest."""
    cards = []
    for key, (question, silence) in QUESTIONS.items():
        groups = "".join(_group(section, _answers(section, key)) for section in sections)
        cards.append(
            f'<section class="card" id="question-{key}"><h2>{escape(question)}</h2>'
            f"{groups or f'<p>{escape(silence)}</p>'}</section>"
        )
    return f'<div id="answers">{"".join(cards)}</div>'


def _answers(section: Section, question: str) -> Sequence[str]:
    if section.part is not None:
        return section.part.answers.get(question, ())
    return (f"The step {section.name} failed: {section.failure}",) if question == "missing" else ()


def _group(section: Section, answers: Sequence[str]) -> str:
    """Render the answers of a section under a link to it."""
    if not answers:
        return ""
    lines = [f"<li>{sentence(answer)}</li>" for answer in answers]
    shown, folded = "".join(lines[:MOST_ANSWERS]), lines[MOST_ANSWERS:]
    more = f"<details><summary>{len(folded)} more</summary><ul>{''.join(folded)}</ul></details>" if folded else ""
    return f'<h3><a href="#{section.name}">{escape(section.title)}</a></h3><ul>{shown}</ul>{more}'
