"""Bots: they enroll, consent, answer page after page through the real forms, and leave when there is no more."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from assay.annotate.simulated.browser import Browser, HtmlForm, Reply

# The fields of a page, by the nonce of the page.
Answering = Callable[[str, HtmlForm], Mapping[str, str]]
WORK = "/work/"


@dataclass
class Bot:
    """One annotator.

    Attributes:
        browser: what it sees and clicks.
        answer: what it says to a page.
    """

    browser: Browser
    answer: Answering

    def begin(self, path: str = "/") -> Reply:
        """Open the link, and agree; return the first page.

        Who agreed before, but never saw what came after, goes on where they were.
        """
        opened = self.browser.get(path)
        consent = opened.form("/begin")
        return opened if consent is None else self.browser.post(consent.action, {})

    def filled(self, reply: Reply) -> tuple[str, dict[str, str]] | None:
        """Where the form of a page is sent, with the answers; None if the page is the end."""
        form = reply.form(WORK)
        if form is None:
            return None
        return form.action, {**form.hidden, **self.answer(form.action.removeprefix(WORK), form)}

    def work(self, most: int | None = None) -> int:
        """Take part from the link to the end, or for some pages; return how many were answered."""
        reply, n = self.begin(), 0
        while (most is None or n < most) and (sent := self.filled(reply)) is not None:
            reply = self.browser.post(*sent)
            assert reply.status == 200, f"{reply.status} after a page was sent"
            n += 1
        return n
