"""Questionnaires: one question that people and language models answer alike."""

from assay.forms.catalogue import QUESTIONNAIRES
from assay.forms.form import Form
from assay.forms.pages import Card, Field, FormPage, Option, Shown
from assay.forms.questionnaire import WRITTEN, Questionnaire, Row, Subject
from assay.forms.shipped import SHIPPED

__all__ = [
    "QUESTIONNAIRES",
    "SHIPPED",
    "WRITTEN",
    "Card",
    "Field",
    "Form",
    "FormPage",
    "Option",
    "Questionnaire",
    "Row",
    "Shown",
    "Subject",
]
