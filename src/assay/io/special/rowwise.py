"""Formats of other projects with an object per row: how each is recognized, and its reader.

A reader turns rows into flat records with their lines. Annotators of platforms are numbered unless kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.io.special import arena, argilla, label_studio, mt_bench, potato, prolific, promptfoo
from assay.io.special.annotators import Annotators
from assay.io.tabular.rows import Row

Records = list[tuple[int, dict[str, Any]]]


@dataclass(frozen=True)
class RowFormat:
    """A format: `recognizes` looks at the first row, `read` takes all rows and the name of their file."""

    recognizes: Callable[[Mapping[str, Any]], bool]
    read: Callable[[Sequence[Row], str, Annotators], Records]
    place: str = ""
    """Where the rows are in a JSON document, if that has other lists too."""
    beside_text: bool = False
    """Whether its columns mean nothing else beside a column `text`, as the task's own data often has."""


ROW_FORMATS = {
    "arena": RowFormat(arena.recognizes, arena.read),
    "mt-bench": RowFormat(mt_bench.recognizes, mt_bench.read),
    "label-studio": RowFormat(label_studio.recognizes, label_studio.read, beside_text=True),
    "argilla": RowFormat(argilla.recognizes, argilla.read, beside_text=True),
    "potato": RowFormat(potato.recognizes, potato.read),
    "promptfoo": RowFormat(promptfoo.recognizes, promptfoo.read, "results.results"),
    "prolific": RowFormat(prolific.recognizes, prolific.read),
}


def format_of_row(first: Mapping[str, Any]) -> str | None:
    """The format whose rows look like this one, None if it is no known one."""
    known = {name: one for name, one in ROW_FORMATS.items() if one.beside_text or "text" not in first}
    return next((name for name, one in known.items() if one.recognizes(first)), None)
