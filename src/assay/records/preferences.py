"""Judgments that compare two units, as numbers: above 0 the unit was preferred, below 0 the other, 0 neither.

An answer is such a number, or a label that its criterion declares a number for: the middle of a declared preference
scale is 0. Any other label is one that `assay.records.inferred` knows, the id of one of the two units, or the name of
its system.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from assay.errors import DataError
from assay.records.dataset import Dataset
from assay.records.inferred import FIRST, NEITHER, SECOND
from assay.records.tables import JUDGED, JudgmentView


def preferred(dataset: Dataset, judgments: JudgmentView) -> NDArray[np.float64]:
    """How far the unit of each judgment was preferred to the other; a label is 1, -1 or 0."""
    table, rows = judgments.table, judgments.rows
    if not len(rows):
        return judgments.value
    asked = dataset.criterion(judgments.criteria[0])
    is_scale = asked.asks == "preference" and asked.low is not None and asked.high is not None
    values = judgments.value - ((asked.low or 0.0) + (asked.high or 0.0)) / 2 if is_scale else judgments.value.copy()
    labels = table.label[rows]
    # Some of the judgments may well all be above 0: the question is whether all answers are.
    answers = table.about("pair", "set pair", "system pair").of(asked.name).value
    if not is_scale and answers.min() > 0 and len(np.unique(answers)) > 1:
        raise DataError(
            f"preferences of {asked.name!r} are all above 0 ({answers.min():g} to {answers.max():g}), as if the first "
            "unit always won. Code them as 1 (the unit), -1 (the other) and 0 (neither)."
        )
    ids = {"output": dataset.outputs.id, "set": dataset.sets.id, "system": dataset.systems.id}
    sides = [systems_of(dataset, judgments, unit) for unit in (judgments.unit, judgments.other)]
    problems = []
    for row in np.flatnonzero(np.isnan(values)).tolist():
        label = table.labels[int(labels[row])]
        names = ids[JUDGED[table.kind[rows[row]]]]
        own, other = (names[int(unit[row])] for unit in (judgments.unit, judgments.other))
        of_own, of_other = (dataset.systems.id[int(side[row])] if side[row] >= 0 else "" for side in sides)
        if label in (own, of_own) or label.casefold() in FIRST:
            values[row] = 1
        elif label in (other, of_other) or label.casefold() in SECOND:
            values[row] = -1
        elif label.casefold() in NEITHER:
            values[row] = 0
        else:
            criterion = table.criteria[int(table.criterion[rows[row]])]
            problems.append(
                f"{criterion!r} of {own!r} and {other!r}: the answer {label!r} names neither of the two. "
                "Use 1, -1, 0, first, second, tie, or an id."
            )
    if problems:
        raise DataError(problems)
    return values


def systems_of(dataset: Dataset, judgments: JudgmentView, unit: NDArray[np.int64]) -> NDArray[np.int64]:
    """The system of one side of each judgment, -1 for a set of several systems."""
    kind = judgments.table.kind[judgments.rows]
    system = unit.copy()
    for what, of_unit in (("output", dataset.outputs.system), ("set", dataset.set_system)):
        mine = kind == JUDGED.index(what)
        system[mine] = of_unit[unit[mine]]
    return system
