"""What is printed, on its way out: names and texts of the data cannot steer the terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from assay.part.visible import visible


class Visible:
    """A stream that shows control characters; `bare` is the stream below, for marks of our own.

    There is no `buffer`: whoever writes bytes would get around it.
    """

    def __init__(self, bare: TextIO) -> None:
        self.bare = bare
        self.is_over = False

    def write(self, text: str) -> int:
        """Write a text, made visible."""
        self.bare.write(text if self.is_over else visible(text))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        if name == "buffer":
            raise AttributeError(name)
        return getattr(self.bare, name)


@contextmanager
def visible_output() -> Iterator[None]:
    """Send everything that is printed through such streams; JSON and TOML have no control characters to show.

    When it is over, packages that hold on to a stream may reset the terminal in peace.
    """
    bare = sys.stdout, sys.stderr
    # Where one is closed, Python has None in its place, and whatever is printed there goes nowhere.
    ours = [stream and Visible(stream) for stream in bare]
    sys.stdout, sys.stderr = ours
    try:
        yield
    finally:
        sys.stdout, sys.stderr = bare
        for stream in filter(None, ours):
            stream.is_over = True


def bare_stderr() -> TextIO:
    """The stream of messages as it is: for the marks that overwrite a line, never for texts of the data."""
    return getattr(sys.stderr, "bare", sys.stderr)


def is_terminal() -> bool:
    """Whether messages are read on a terminal as they come."""
    return sys.stderr is not None and sys.stderr.isatty()
