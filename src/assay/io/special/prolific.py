"""Exports of Prolific: lists of submissions, which hold no texts and no ratings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from assay.errors import DataError
from assay.io.special.annotators import Annotators
from assay.io.tabular.rows import Row


def recognizes(first: Mapping[str, Any]) -> bool:
    """Whether a row is a submission."""
    return {"Submission id", "Participant id"} <= set(first)


def read(rows: Sequence[Row], source: str, annotators: Annotators) -> NoReturn:
    """Say what the file is, and which one has the ratings."""
    raise DataError(
        f"{source}: the submissions of a Prolific study ({len(rows)} participants), without texts or ratings. Read the "
        "answers that your survey recorded, where the participant is a column: --map annotator=PROLIFIC_PID,..."
    )
