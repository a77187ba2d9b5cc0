"""The report as one self-contained page: no network, a strict content security policy, all texts escaped."""

from assay.report.html.page import page
from assay.report.html.section import Section

__all__ = ["Section", "page"]
