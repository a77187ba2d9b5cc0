"""The judgments of one criterion as numbered votes: annotator, unit and answer."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError, DataError
from assay.kernels.votes.agreement import vote_counts
from assay.records import JUDGED, Criterion, Dataset
from assay.records.columns import numbers_of
from assay.records.inferred import SAYS_HUMAN, SAYS_MACHINE

SECONDS, PAGE_SECONDS = "seconds", "page_seconds"
"""Columns of judgments: how long this answer took, or the whole page that it was given on."""


@dataclass(frozen=True, eq=False)
class Votes:
    """One row per vote, at most one per annotator and unit. Units, annotators and categories are numbered.

    `values[category]` is the answer as a number, ascending; for names, which have no order, it is 0, 1, 2, ... and
    `numeric` is false. `asked` is the criterion.
    """

    criterion: str
    unit: NDArray[np.int64]
    annotator: NDArray[np.int64]
    category: NDArray[np.int64]
    seconds: NDArray[np.float64]
    unit_names: Sequence[str]
    annotator_names: Sequence[str]
    category_names: Sequence[str]
    values: NDArray[np.float64]
    numeric: bool
    item: NDArray[np.int64]
    n_repeated: int = 0
    asked: Criterion = field(default_factory=lambda: Criterion(""))

    def __len__(self) -> int:
        return len(self.unit)

    @property
    def n_units(self) -> int:
        """How many units have a vote."""
        return len(self.unit_names)

    @property
    def n_annotators(self) -> int:
        """How many annotators voted."""
        return len(self.annotator_names)

    @property
    def n_categories(self) -> int:
        """How many different answers were given."""
        return len(self.category_names)

    @cached_property
    def per_unit(self) -> NDArray[np.int64]:
        """Votes on each unit."""
        return np.bincount(self.unit, minlength=self.n_units)

    @cached_property
    def answers(self) -> NDArray[np.float64]:
        """Each vote as a number."""
        return self.values[self.category]

    @cached_property
    def nothing_to_compare(self) -> str:
        """Why no agreement can be measured; empty where it can."""
        if self.n_annotators < 2:
            return "one annotator"
        if not (self.per_unit > 1).any():
            return "no unit has two votes"
        return "only one answer was given" if self.n_categories < 2 else ""

    def counts(self, copies: NDArray[np.int64] | None = None) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Votes by unit and category, and self-pairs by unit, when annotators were drawn `copies` times."""
        drawn = np.ones(self.n_annotators, np.int64) if copies is None else copies
        shape = (self.n_units, self.n_categories)
        return vote_counts(self.unit, self.annotator, self.category, shape, drawn)


def votes_of(dataset: Dataset, criterion: str, *, against: str | None = None, ignore: Collection[str] = ()) -> Votes:
    """Number the votes of a criterion about outputs, sets, systems, or ordered pairs of them.

    Only an annotator's first answer about a unit counts; `n_repeated` counts the others. With `against="human"` each
    vote becomes `right` or `wrong`, by whether the output is human-written. Annotators of `ignore` are left out.
    """
    table = dataset.judgments
    rows = table.about().of(criterion).rows
    if ignore:
        ours = np.array([name not in ignore for name in table.annotators], np.bool_)
        rows = rows[ours[table.annotator[rows]]]
    keys = np.stack([table.kind[rows].astype(np.int64), table.unit[rows], table.other[rows]], axis=1)
    units, unit = np.unique(keys, axis=0, return_inverse=True)
    unit = unit.ravel()
    cells = unit * len(table.annotators) + table.annotator[rows]
    first = np.sort(np.unique(cells, return_index=True)[1])
    first_rows, unit = rows[first], unit[first].astype(np.int64)
    used, annotator = np.unique(table.annotator[first_rows], return_inverse=True)
    kind, number, other = units.T
    names, category, values, numeric = _categories(dataset, criterion, first_rows)
    votes = Votes(
        criterion=criterion,
        unit=unit,
        annotator=annotator.astype(np.int64),
        category=category,
        seconds=_seconds(dataset)[first_rows],
        unit_names=_unit_names(dataset, kind, number, other),
        annotator_names=table.annotators.take(used).to_list(),
        category_names=names,
        values=values,
        numeric=numeric,
        item=np.unique(items_of_units(dataset, kind, number), return_inverse=True)[1].astype(np.int64),
        n_repeated=len(rows) - len(first_rows),
        asked=dataset.criterion(criterion),
    )
    if against is None:
        return votes
    if (kind != JUDGED.index("output")).any() or (other >= 0).any():
        raise DataError("votes can be compared with `human` only when they are about single outputs.")
    return _right_or_wrong(votes, dataset.human[number], against)


def _categories(
    dataset: Dataset, criterion: str, rows: NDArray[np.int64]
) -> tuple[list[str], NDArray[np.int64], NDArray[np.float64], bool]:
    table, asked = dataset.judgments, dataset.criterion(criterion)
    labeled = table.label[rows] >= 0
    if asked.labels or not labeled.any():
        values, category = np.unique(table.value[rows], return_inverse=True)
        # Two answers always have an order; more have one only where they are not mere names.
        numeric = asked.scale != "nominal" or len(values) <= 2
        names = [asked.word(value) for value in values.tolist()]
        return names, category.astype(np.int64), values if numeric else np.arange(float(len(values))), numeric
    if not labeled.all():
        raise DataError(
            f"judgments of {criterion!r} are numbers in some places and labels in others. Use one of the two."
        )
    used, category = np.unique(table.label[rows], return_inverse=True)
    names = table.labels.take(used).to_list()
    return names, category.astype(np.int64), np.arange(len(names), dtype=np.float64), False


def _seconds(dataset: Dataset) -> NDArray[np.float64]:
    """The time of each judgment; page time is divided evenly among an annotator's answers on the page.

    Answers of one annotator with the same page time are taken for one page.
    """
    table = dataset.judgments
    times = (numbers_of(table.columns[name]) if name in table.columns else None for name in (SECONDS, PAGE_SECONDS))
    seconds, page = times
    if seconds is not None:
        return seconds
    if page is None:
        return np.full(len(table), np.nan)
    cells = np.stack([table.annotator.astype(np.float64), page], axis=1)
    _, cell, size = np.unique(cells, axis=0, return_inverse=True, return_counts=True)
    return page / size[cell.ravel()]


def _unit_names(
    dataset: Dataset, kind: NDArray[np.int64], number: NDArray[np.int64], other: NDArray[np.int64]
) -> list[str]:
    """The id of each unit; the two ids of a pair with a bar between them."""
    names = np.full(len(kind), "", object)
    for code, what in enumerate(JUDGED):
        units, paired = np.flatnonzero(kind == code), np.flatnonzero((kind == code) & (other >= 0))
        names[units] = dataset.ids(what).take(number[units]).to_list()
        names[paired] += np.array([f"|{name}" for name in dataset.ids(what).take(other[paired])], object)
    return list(names)


def items_of_units(dataset: Dataset, kind: NDArray[Any], number: NDArray[np.int64]) -> NDArray[np.int64]:
    """The item of each unit (of the first of a pair); a system, which has none, has a number beyond those of items."""
    item = np.empty(len(kind), np.int64)
    for code, of_unit in ((JUDGED.index("output"), dataset.outputs.item), (JUDGED.index("set"), dataset.sets.item)):
        item[kind == code] = of_unit[number[kind == code]]
    alone = kind == JUDGED.index("system")
    item[alone] = len(dataset.items) + number[alone]
    return item


def _right_or_wrong(votes: Votes, is_human: NDArray[np.bool_], against: str) -> Votes:
    if against != "human":
        raise AssayError(f"votes cannot be compared with {against!r}. Known: human.")
    if votes.asked.asks == "authorship" and votes.asked.high is not None:
        says_human = votes.values == votes.asked.high
    else:
        says_human = np.array([_says_human(name, votes) for name in votes.category_names])
    right = says_human[votes.category] == is_human[votes.unit]
    return replace(
        votes,
        category=right.astype(np.int64),
        category_names=("wrong", "right"),
        values=np.array([0.0, 1.0]),
        numeric=True,
        asked=Criterion(votes.criterion, question=votes.asked.question),
    )


def _says_human(name: str, votes: Votes) -> bool:
    if name in ("0", "1") and votes.numeric:
        return name == "1"
    if name.casefold() in SAYS_HUMAN | SAYS_MACHINE:
        return name.casefold() in SAYS_HUMAN
    raise DataError(
        f"the answer {name!r} to {votes.criterion!r} does not say whether a person wrote the text. Use 1 and 0, or the "
        f"labels {', '.join(sorted(SAYS_HUMAN))} and {', '.join(sorted(SAYS_MACHINE))}."
    )
