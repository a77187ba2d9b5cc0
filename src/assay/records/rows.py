"""Tables as read: rows refer to each other by name, and each has the line it came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from assay.kernels.ragged import Ragged
from assay.records.criteria import Criteria
from assay.records.tables import Values
from assay.text.lists import StringLists
from assay.text.strings import Strings


@dataclass(frozen=True)
class Origin:
    """The file and lines of rows, for messages: `outputs.jsonl line 17`. A JSON array has records instead of lines."""

    source: str
    lines: NDArray[np.int64]
    word: str = "line"

    def at(self, row: int) -> str:
        """Name the place of one row."""
        return f"{self.source} {self.word} {self.lines[row]}"

    def on(self, row: int) -> str:
        """Name the place of another row of the same file: `on line 3`."""
        return f"{'on' if self.word == 'line' else 'in'} {self.word} {self.lines[row]}"


@dataclass(frozen=True)
class OutputRows:
    """One row per output. An empty `id`, `item`, `system` or `set` is filled in."""

    id: Strings
    item: Strings
    system: Strings
    set: Strings
    text: Strings
    n_tokens: NDArray[np.int64]
    origin: Origin
    columns: Mapping[str, Values] = field(default_factory=dict)


@dataclass(frozen=True)
class ItemRows:
    """Descriptions of items; rows about one item must agree, and may be partial."""

    id: Strings
    context: Strings
    references: StringLists
    choices: StringLists
    target: Ragged
    origin: Origin
    columns: Mapping[str, Values] = field(default_factory=dict)


@dataclass(frozen=True)
class SystemRows:
    """Descriptions of systems; `human` is 1, 0, or -1 if unknown."""

    id: Strings
    human: NDArray[np.int8]
    origin: Origin


@dataclass(frozen=True)
class SetRows:
    """Descriptions of sets."""

    id: Strings
    origin: Origin
    columns: Mapping[str, Values] = field(default_factory=dict)


@dataclass(frozen=True)
class LogProbRows:
    """Log-probabilities. An empty `system` means the output's own."""

    output: Strings
    system: Strings
    value: NDArray[np.float64]
    n_tokens: NDArray[np.int64]
    origin: Origin


@dataclass(frozen=True)
class JudgmentRows:
    """Judgments. An empty `other` is a judgment about one unit; an empty `label` a judgment with a number."""

    kind: NDArray[np.int8]
    unit: Strings
    other: Strings
    annotator: Strings
    criterion: Strings
    value: NDArray[np.float64]
    label: Strings
    origin: Origin
    columns: Mapping[str, Values] = field(default_factory=dict)


@dataclass(frozen=True)
class Rows:
    """All tables, before ids are checked and turned into row numbers."""

    outputs: OutputRows
    items: ItemRows
    systems: SystemRows
    sets: SetRows
    logprobs: LogProbRows
    judgments: JudgmentRows
    criteria: Criteria = field(default_factory=dict)
