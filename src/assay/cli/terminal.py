"""Output streams that escape control characters, so that data cannot steer the terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from assay.part.visible import visible


class Visible:
    """A stream that escapes control characters; `bare` is the underlying stream, for our own escape sequences.

    There is no `buffer`: writing bytes would bypass it. Bytes written here, as click's shell completion does, are text.
    """

    def __init__(self, bare: TextIO) -> None:
        self.bare = bare
        self.is_over = False

    def write(self, text: str | bytes) -> int:
        """Write a text with its control characters escaped."""
        if isinstance(text, bytes):
            text = text.decode(errors="replace")
        self.bare.write(text if self.is_over else visible(text))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        if name == "buffer":
            raise AttributeError(name)
        return getattr(self.bare, name)


@contextmanager
def visible_output() -> Iterator[None]:
    """Escape everything printed to stdout and stderr; JSON and TOML contain no control characters.

    Afterwards the streams pass text through: packages that keep a reference may still reset the terminal.
    """
    bare = sys.stdout, sys.stderr
    # A closed stream is None.
    ours = [stream and Visible(stream) for stream in bare]
    sys.stdout, sys.stderr = ours
    try:
        yield
    finally:
        sys.stdout, sys.stderr = bare
        for stream in filter(None, ours):
            stream.is_over = True


def bare_stderr() -> TextIO:
    """The unescaped stderr: for sequences that overwrite a line, never for data."""
    return getattr(sys.stderr, "bare", sys.stderr)


def passing_line(line: str) -> None:
    """Show a line on the terminal until the next one is written over it."""
    stream = bare_stderr()
    stream.write(f"\r\x1b[2K{visible(line)}\r")
    stream.flush()


def is_terminal() -> bool:
    """Whether stderr is a terminal."""
    return sys.stderr is not None and sys.stderr.isatty()
