"""Judgments that compare two units, as comparisons of the units' systems."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.errors import DataError, did_you_mean
from assay.records import JUDGED, Dataset
from assay.records.preferences import preferred, systems_of
from assay.records.tables import JudgmentView
from assay.text.tokenizers import tokenize


@dataclass(frozen=True, eq=False)
class Comparisons:
    """One row per judgment between two systems: outcome 1 (left preferred), -1 (right) or 0 (neither).

    `length` is log2 of how many times as many words the left text has; NaN where no two texts are compared.
    Where an evaluator judges, `criterion` is its name, `n_missing` matchups have no score and `n_left_out` were not
    scored.
    """

    criterion: str
    systems: list[str]
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    outcome: NDArray[np.int64]
    item: NDArray[np.int64]
    annotator: NDArray[np.int64]
    length: NDArray[np.float64]
    n_same_system: int
    n_missing: int = 0
    n_left_out: int = 0
    signature: str = ""

    def counts(self, weights: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Wins and ties, `[i, j]`, when judgment k counts `weights[k]` times."""
        n = len(self.systems)
        winner = np.where(self.outcome >= 0, self.left, self.right)
        loser = np.where(self.outcome >= 0, self.right, self.left)
        cell = winner * n + loser
        wins = np.bincount(cell, weights * (self.outcome != 0), n * n).astype(np.float64).reshape(n, n)
        ties = np.bincount(cell, weights * (self.outcome == 0), n * n).astype(np.float64).reshape(n, n)
        return wins, ties + ties.T


def compared_criteria(dataset: Dataset) -> list[str]:
    """The criteria whose judgments compare two units."""
    return _compared(dataset).criteria


def _compared(dataset: Dataset) -> JudgmentView:
    return dataset.judgments.about("pair", "set pair", "system pair")


def comparisons_of(dataset: Dataset, criterion: str) -> Comparisons:
    """The judgments of a criterion that compare two units, as comparisons of their systems.

    An answer names the unit with more of what was asked; where less is better, the other one is preferred.
    """
    table = dataset.judgments
    compared = _compared(dataset)
    if criterion not in compared.criteria:
        hint = did_you_mean(criterion, compared.criteria)
        raise DataError(f"no judgments of {criterion!r} compare two units.{hint}")
    higher_is_better = dataset.criterion(criterion).higher_is_better
    if higher_is_better is None:
        raise DataError(
            f"the criterion {criterion!r} is declared with better = 'neither', so its answers prefer nothing. "
            "Declare better = 'higher' or 'lower'."
        )
    judgments = compared.of(criterion)
    rows = judgments.rows
    left, right = (systems_of(dataset, judgments, unit) for unit in (judgments.unit, judgments.other))
    outcome = np.sign(preferred(dataset, judgments)).astype(np.int64)
    between = np.flatnonzero((left >= 0) & (right >= 0) & (left != right))
    if not len(between):
        raise DataError(f"all judgments of {criterion!r} compare outputs of one system: nothing to rank.")
    used, codes = np.unique(np.concatenate([left[between], right[between]]), return_inverse=True)
    return Comparisons(
        criterion=criterion,
        systems=dataset.systems.id.take(used).to_list(),
        left=codes[: len(between)].astype(np.int64),
        right=codes[len(between) :].astype(np.int64),
        outcome=outcome[between] if higher_is_better else -outcome[between],
        item=_cluster(_items_of(dataset, rows[between])),
        annotator=_cluster(table.annotator[rows[between]]),
        length=_length_ratios(dataset, rows[between]),
        n_same_system=len(rows) - len(between),
    )


def _items_of(dataset: Dataset, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """The item of the first unit; a comparison of whole systems is its own cluster."""
    kind, unit = dataset.judgments.kind[rows], dataset.judgments.unit[rows]
    item = len(dataset.items) + np.arange(len(rows))
    for what, of_unit in (("output", dataset.outputs.item), ("set", dataset.sets.item)):
        of_kind = kind == JUDGED.index(what)
        item[of_kind] = of_unit[unit[of_kind]]
    return item


def length_ratios(dataset: Dataset, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.float64]:
    """log2 of how many times as many words left outputs have as right ones."""
    words = np.maximum(np.diff(tokenize(dataset.outputs.text, "whitespace").offsets), 1)
    return np.asarray(np.log2(words[left] / words[right]))


def _length_ratios(dataset: Dataset, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    table = dataset.judgments
    ratios = np.full(len(rows), np.nan)
    of_outputs = table.kind[rows] == JUDGED.index("output")
    ratios[of_outputs] = length_ratios(dataset, table.unit[rows[of_outputs]], table.other[rows[of_outputs]])
    return ratios


def _cluster(codes: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.unique(codes, return_inverse=True)[1].astype(np.int64)
