"""Progress of long work: whoever shows it listens, whoever works reports, and neither knows the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

# Called with the steps done and the steps in all.
Report = Callable[[int, int], None]

_REPORT: ContextVar[Report | None] = ContextVar("report", default=None)


@contextmanager
def reporting(report: Report) -> Iterator[None]:
    """Send the progress of what runs inside to `report`."""
    token = _REPORT.set(report)
    try:
        yield
    finally:
        _REPORT.reset(token)


def report_progress(done: int, total: int) -> None:
    """Report steps to whoever listens, if anybody does."""
    if (report := _REPORT.get()) is not None:
        report(done, total)
