"""The result of an analysis, and how it is written: text, Markdown, LaTeX, JSON and HTML."""

from assay.part.model import Bounded, Cell, Number, Picture, Table
from assay.part.part import FORMS, QUESTIONS, Part, reasons_once

__all__ = ["FORMS", "QUESTIONS", "Bounded", "Cell", "Number", "Part", "Picture", "Table", "reasons_once"]
