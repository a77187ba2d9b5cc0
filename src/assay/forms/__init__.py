"""Questionnaires: one question that people and language models answer alike."""

from assay.forms.form import Form
from assay.forms.shipped import SHIPPED

__all__ = ["SHIPPED", "Form"]
