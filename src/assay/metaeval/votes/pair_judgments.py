"""Judgments that compare two units, as comparisons of the units' systems.

A number: above 0 the unit was preferred, below 0 the other, 0 neither. A label: one of those below, the id of one of
the two units, or the name of its system.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.errors import DataError, did_you_mean
from assay.records import JUDGED, Dataset

FIRST = frozenset({"first", "left", "a", "unit", "win", "better"})
SECOND = frozenset({"second", "right", "b", "other", "loss", "worse"})
NEITHER = frozenset({"tie", "equal", "same", "neither", "both", "draw"})


@dataclass(frozen=True, eq=False)
class Comparisons:
    """One row per judgment between two systems: outcome 1 (left preferred), -1 (right) or 0 (neither)."""

    criterion: str
    systems: list[str]
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    outcome: NDArray[np.int64]
    item: NDArray[np.int64]
    annotator: NDArray[np.int64]
    n_same_system: int

    def counts(self, weights: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Wins and ties, `[i, j]`, when judgment k counts `weights[k]` times."""
        n = len(self.systems)
        winner = np.where(self.outcome >= 0, self.left, self.right)
        loser = np.where(self.outcome >= 0, self.right, self.left)
        cell = winner * n + loser
        wins = np.bincount(cell, weights * (self.outcome != 0), n * n).astype(np.float64).reshape(n, n)
        ties = np.bincount(cell, weights * (self.outcome == 0), n * n).astype(np.float64).reshape(n, n)
        return wins, ties + ties.T


def comparisons_of(dataset: Dataset, criterion: str) -> Comparisons:
    """The judgments of a criterion that compare two units, as comparisons of their systems."""
    table = dataset.judgments
    compared = table.about("pair", "set pair", "system pair")
    if criterion not in compared.criteria:
        hint = did_you_mean(criterion, compared.criteria)
        raise DataError(f"no judgments of {criterion!r} compare two units.{hint}")
    rows = compared.of(criterion).rows
    left, right = _systems_of(dataset, rows, table.unit[rows]), _systems_of(dataset, rows, table.other[rows])
    outcome = _outcomes(dataset, criterion, rows, left, right)
    kept = np.flatnonzero((left >= 0) & (right >= 0) & (left != right))
    if not len(kept):
        raise DataError(f"all judgments of {criterion!r} compare outputs of one system: nothing to rank.")
    used, codes = np.unique(np.concatenate([left[kept], right[kept]]), return_inverse=True)
    return Comparisons(
        criterion=criterion,
        systems=dataset.systems.id.take(used).to_list(),
        left=codes[: len(kept)].astype(np.int64),
        right=codes[len(kept) :].astype(np.int64),
        outcome=outcome[kept],
        item=_cluster(_items_of(dataset, rows[kept])),
        annotator=_cluster(table.annotator[rows[kept]]),
        n_same_system=len(rows) - len(kept),
    )


def _systems_of(dataset: Dataset, rows: NDArray[np.int64], unit: NDArray[np.int64]) -> NDArray[np.int64]:
    kind = dataset.judgments.kind[rows]
    system = unit.copy()
    for what, of_unit in (("output", dataset.outputs.system), ("set", dataset.set_system)):
        mine = kind == JUDGED.index(what)
        system[mine] = of_unit[unit[mine]]
    return system


def _items_of(dataset: Dataset, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """The item of the first unit; a comparison of systems as such is a cluster of its own."""
    kind, unit = dataset.judgments.kind[rows], dataset.judgments.unit[rows]
    item = len(dataset.items) + np.arange(len(rows))
    for what, of_unit in (("output", dataset.outputs.item), ("set", dataset.sets.item)):
        mine = kind == JUDGED.index(what)
        item[mine] = of_unit[unit[mine]]
    return item


def _outcomes(
    dataset: Dataset, criterion: str, rows: NDArray[np.int64], left: NDArray[np.int64], right: NDArray[np.int64]
) -> NDArray[np.int64]:
    table = dataset.judgments
    numbers = table.value[rows]
    if table.label[rows].max(initial=-1) < 0:
        if numbers.min() > 0 and len(np.unique(numbers)) > 1:
            raise DataError(
                f"preferences of {criterion!r} are all above 0 ({numbers.min():g} to {numbers.max():g}), as if the "
                "first unit always won. Code them as 1 (the unit), -1 (the other) and 0 (neither)."
            )
        return np.sign(numbers).astype(np.int64)
    ids = {"output": dataset.outputs.id, "set": dataset.sets.id, "system": dataset.systems.id}
    labels, systems = table.labels.to_list(), dataset.systems.id.to_list()
    outcome = np.empty(len(rows), np.int64)
    problems = []
    for k, row in enumerate(rows.tolist()):
        label = labels[table.label[row]] if table.label[row] >= 0 else ""
        names = ids[JUDGED[table.kind[row]]]
        own, other = int(table.unit[row]), int(table.other[row])
        if not label:
            outcome[k] = np.sign(numbers[k])
        elif label in (names[own], systems[left[k]]) or label.casefold() in FIRST:
            outcome[k] = 1
        elif label in (names[other], systems[right[k]]) or label.casefold() in SECOND:
            outcome[k] = -1
        elif label.casefold() in NEITHER:
            outcome[k] = 0
        else:
            problems.append(
                f"{criterion!r} of {names[own]!r} and {names[other]!r}: the answer {label!r} names neither of the two. "
                "Use 1, -1, 0, first, second, tie, or an id."
            )
    if problems:
        raise DataError(problems)
    return outcome


def _cluster(codes: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.unique(codes, return_inverse=True)[1].astype(np.int64)
