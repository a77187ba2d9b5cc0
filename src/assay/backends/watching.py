"""How long training reports where it is, without knowing who watches."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_watcher: ContextVar[Callable[[str], None] | None] = ContextVar("watcher", default=None)


@contextmanager
def watching(watcher: Callable[[str], None]) -> Iterator[None]:
    """Call `watcher` with every line that is reported inside."""
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)


def report(line: str) -> None:
    """Report progress in a line."""
    watcher = _watcher.get()
    if watcher is not None:
        watcher(line)
