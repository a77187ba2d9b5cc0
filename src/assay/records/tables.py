"""The tables of a data set. Rows refer to each other by number; ids are kept once, where they belong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from assay.kernels.ragged import Ragged
from assay.text.lists import StringLists
from assay.text.strings import Strings

# A further column of a table: numbers (a gap is NaN) or texts (a gap is the empty text).
Values = NDArray[np.float64] | Strings

# The kinds of unit a judgment can be about; `Judgments.kind` holds positions in this tuple.
JUDGED = ("output", "set", "system")


@dataclass(frozen=True, eq=False)
class Items:
    """Contexts, with references and choices where the data has them.

    `target` is a distribution over the choices of an item (what the speaker means), empty where none is given.
    """

    id: Strings
    context: Strings
    references: StringLists
    choices: StringLists
    target: Ragged
    columns: Mapping[str, Values] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.id)


@dataclass(frozen=True, eq=False)
class Systems:
    """What produced the outputs: generators with their setting, or people."""

    id: Strings
    human: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.id)


@dataclass(frozen=True, eq=False)
class Sets:
    """Outputs that were given together for one item."""

    id: Strings
    item: NDArray[np.int64]
    columns: Mapping[str, Values] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.id)


@dataclass(frozen=True, eq=False)
class Outputs:
    """Texts. `n_tokens` is -1 where the data does not say. Parameters are columns named `params.<name>`."""

    id: Strings
    item: NDArray[np.int64]
    system: NDArray[np.int64]
    set: NDArray[np.int64]
    text: Strings
    n_tokens: NDArray[np.int64]
    columns: Mapping[str, Values] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.id)


@dataclass(frozen=True, eq=False)
class LogProbs:
    """The log-probability of an output under a system, -inf included, one row per (output, system)."""

    output: NDArray[np.int64]
    system: NDArray[np.int64]
    value: NDArray[np.float64]
    n_tokens: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.output)


@dataclass(frozen=True, eq=False)
class Judgments:
    """Answers in long form: one annotator, one criterion, one unit or a pair of units of one kind.

    `other` is -1 for a judgment about one unit. An answer is a number (`value`), or a text (`label`, a position
    in `labels`, with `value` NaN).
    """

    kind: NDArray[np.int8]
    unit: NDArray[np.int64]
    other: NDArray[np.int64]
    annotator: NDArray[np.int64]
    criterion: NDArray[np.int64]
    value: NDArray[np.float64]
    label: NDArray[np.int64]
    annotators: Strings
    criteria: Strings
    labels: Strings
    columns: Mapping[str, Values] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.unit)


def take_values(values: Values, rows: NDArray[np.int64]) -> Values:
    """Return the values at `rows`; a row of -1 gives a gap."""
    if isinstance(values, Strings):
        padded = Strings.concatenate([values, Strings.of([""])])
        return padded.take(np.where(rows < 0, len(values), rows))
    padded_numbers = np.append(values, np.nan)
    return padded_numbers[np.where(rows < 0, len(values), rows)]


def is_given(values: Values) -> NDArray[np.bool_]:
    """Say which rows are no gap."""
    return values.lengths > 0 if isinstance(values, Strings) else ~np.isnan(values)
