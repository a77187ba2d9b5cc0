"""The tables of a data set. Rows refer to each other by row number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from assay.errors import DataError, did_you_mean
from assay.kernels.ragged import Ragged
from assay.text.lists import StringLists
from assay.text.strings import Strings

# An extra column of a table: numbers (a gap is NaN) or texts (a gap is empty).
Values = NDArray[np.float64] | Strings

# The kinds of unit a judgment can be about; `Judgments.kind` holds positions in this tuple.
JUDGED = ("output", "set", "system")

# What a question can be about: a kind of unit, or (True) two units of that kind.
SUBJECTS = {
    "output": ("output", False),
    "pair": ("output", True),
    "set": ("set", False),
    "set pair": ("set", True),
    "system": ("system", False),
    "system pair": ("system", True),
}


# A column of judgments, and its value where a model answered and no person.
ANNOTATOR_KIND, MODEL = "annotator_kind", "model"


@dataclass(frozen=True, eq=False)
class RecordTable:
    """Columns of equal length, one row per record; `columns`, where present, holds extra ones."""

    NAMES: ClassVar[tuple[str, ...]] = ()
    """Fields that list names instead of rows."""

    def __len__(self) -> int:
        return len(getattr(self, fields(self)[0].name))

    def take(self, rows: NDArray[np.int64]) -> Self:
        """Return the given rows; lists of names stay as they are."""
        parts = {part.name: getattr(self, part.name) for part in fields(self) if part.name not in self.NAMES}
        return replace(self, **{name: _taken(part, rows) for name, part in parts.items()})


def _taken(part: Any, rows: NDArray[np.int64]) -> Any:
    if isinstance(part, Mapping):
        return {name: take_values(values, rows) for name, values in part.items()}
    return part[rows] if isinstance(part, np.ndarray) else part.take(rows)


@dataclass(frozen=True, eq=False)
class Items(RecordTable):
    """Contexts, with references and choices if the data has them.

    `target` is a distribution over the choices of an item (what the speaker means), possibly empty.
    """

    id: Strings
    context: Strings
    references: StringLists
    choices: StringLists
    target: Ragged
    columns: Mapping[str, Values] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Systems(RecordTable):
    """What produced the outputs: generators with their settings, or people."""

    id: Strings
    human: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Sets(RecordTable):
    """Outputs produced together for one item."""

    id: Strings
    item: NDArray[np.int64]
    columns: Mapping[str, Values] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Outputs(RecordTable):
    """Texts. `n_tokens` is -1 if unknown. Parameters are columns named `params.<name>`."""

    id: Strings
    item: NDArray[np.int64]
    system: NDArray[np.int64]
    set: NDArray[np.int64]
    text: Strings
    n_tokens: NDArray[np.int64]
    columns: Mapping[str, Values] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class LogProbs(RecordTable):
    """Log-probabilities, possibly -inf, one row per (output, system)."""

    output: NDArray[np.int64]
    system: NDArray[np.int64]
    value: NDArray[np.float64]
    n_tokens: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Judgments(RecordTable):
    """Answers in long form: one annotator, one criterion, one unit or a pair of units of one kind.

    `other` is -1 for a judgment about one unit. An answer is a number (`value`), or a text (`label`, a position
    in `labels`) whose `value` is the number declared for it, or NaN.
    """

    NAMES = ("annotators", "criteria", "labels")

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

    def about(self, *subjects: str) -> JudgmentView:
        """Select the judgments about any of these SUBJECTS, by default all."""
        every = JudgmentView(self, np.arange(len(self)))
        return every.where(every.are_about(*subjects)) if subjects else every

    def models(self) -> set[str]:
        """The annotators that are declared to be models."""
        kind = self.columns.get(ANNOTATOR_KIND)
        if not isinstance(kind, Strings):
            return set()
        rows = np.flatnonzero(np.array([value == MODEL for value in kind], np.bool_))
        return set(self.annotators.take(np.unique(self.annotator[rows])))


@dataclass(frozen=True, eq=False)
class JudgmentView:
    """Some rows of the judgments, and their columns."""

    table: Judgments
    rows: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def unit(self) -> NDArray[np.int64]:
        """What each judgment is about."""
        return self.table.unit[self.rows]

    @cached_property
    def other(self) -> NDArray[np.int64]:
        """The second unit of a pair, else -1."""
        return self.table.other[self.rows]

    @cached_property
    def annotator(self) -> NDArray[np.int64]:
        """Who answered."""
        return self.table.annotator[self.rows]

    @cached_property
    def value(self) -> NDArray[np.float64]:
        """The answers as numbers, NaN for a label without one."""
        return self.table.value[self.rows]

    @property
    def criteria(self) -> list[str]:
        """The criteria in order of first appearance."""
        codes, first = np.unique(self.table.criterion[self.rows], return_index=True)
        return self.table.criteria.take(codes[np.argsort(first)]).to_list()

    def of(self, criterion: str) -> JudgmentView:
        """Select the judgments of a criterion; an unknown one is an error."""
        known = self.table.criteria.to_list()
        if criterion not in known:
            raise DataError(f"the data has no judgments of {criterion!r}.{did_you_mean(criterion, known)}")
        return self.where(self.table.criterion[self.rows] == known.index(criterion))

    def are_about(self, *subjects: str) -> NDArray[np.bool_]:
        """Whether each judgment is about any of these SUBJECTS."""
        matches, kind, paired = np.zeros(len(self), np.bool_), self.table.kind[self.rows], self.other >= 0
        for subject in subjects:
            wanted, of_two = SUBJECTS[subject]
            matches |= (kind == JUDGED.index(wanted)) & (paired == of_two)
        return matches

    def where(self, keep: NDArray[np.bool_]) -> JudgmentView:
        """Select judgments by a mask."""
        return JudgmentView(self.table, self.rows[keep])

    def gives(self, answer: float | str) -> NDArray[np.bool_]:
        """Whether each judgment gives an answer, a number or a label."""
        if not isinstance(answer, str):
            return self.value == answer
        labels = self.table.labels.to_list()
        if answer not in labels:
            raise DataError(f"no judgment has the label {answer!r}.{did_you_mean(answer, labels)}")
        return np.asarray(self.table.label[self.rows] == labels.index(answer))


def take_values(values: Values, rows: NDArray[np.int64]) -> Values:
    """Return the values at `rows`; a row of -1 gives a gap."""
    if isinstance(values, Strings):
        padded = Strings.concatenate([values, Strings.of([""])])
        return padded.take(np.where(rows < 0, len(values), rows))
    padded_numbers = np.append(values, np.nan)
    return padded_numbers[np.where(rows < 0, len(values), rows)]


def is_given(values: Values) -> NDArray[np.bool_]:
    """Whether each row has a value."""
    return values.lengths > 0 if isinstance(values, Strings) else ~np.isnan(values)
