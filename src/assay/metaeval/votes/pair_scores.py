"""Preferences of an evaluator as comparisons of systems: the better-scored of two outputs for one item."""

from __future__ import annotations

import numpy as np

from assay.errors import EvaluatorError
from assay.evaluator import Evaluator
from assay.metaeval.votes.pair_judgments import Comparisons, length_ratios
from assay.records import Dataset
from assay.scores import ScoreTable
from assay.units import Units


def preferring_unit(dataset: Dataset, evaluator: Evaluator) -> str:
    """The unit whose scores express preferences: matchups where the evaluator offers them, else outputs."""
    return "matchup" if "matchup" in evaluator.offered(dataset) else "output"


def comparisons_from(dataset: Dataset, table: ScoreTable, name: str) -> Comparisons:
    """The comparisons implied by a column of scores of `preferring_unit`.

    A score of a matchup is above 0 for its left side; of two outputs the one with the better score is preferred.
    """
    units, column = Units("matchup", dataset), table[name]
    if column.higher_is_better is None:
        raise EvaluatorError(f"{name} does not say whether high or low is good, so it prefers nothing.")
    left, right = units.members.values.reshape(-1, 2).T
    values = column.values if table.kind == "matchup" else column.values[left] - column.values[right]
    scored = np.flatnonzero(~np.isnan(values))
    if not len(scored):
        raise EvaluatorError(f"{name} compares no outputs of two systems for one item: nothing to rank.")
    used, codes = np.unique(dataset.outputs.system[[left[scored], right[scored]]], return_inverse=True)
    outcome = np.sign(values[scored]).astype(np.int64)
    sides = codes.reshape(2, -1).astype(np.int64)
    return Comparisons(
        criterion=name,
        systems=dataset.systems.id.take(used).to_list(),
        left=sides[0],
        right=sides[1],
        outcome=outcome if column.higher_is_better else -outcome,
        item=np.unique(units.item[scored], return_inverse=True)[1].astype(np.int64),
        # All come from one evaluator: only items are clusters.
        annotator=np.arange(len(scored)),
        length=length_ratios(dataset, left[scored], right[scored]),
        n_same_system=0,
        n_missing=len(values) - len(scored),
        n_left_out=units.n_left_out,
        signature=column.signature,
    )
