"""The report as one self-contained page: no network, a strict content security policy, all texts escaped."""

from assay.report.html.page import Section, page

__all__ = ["Section", "page"]
