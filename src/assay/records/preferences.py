"""Preferences as numbers: above 0 for the unit, below 0 for the other, 0 for neither.

An answer is a number, or a label with a declared number; the middle of a declared preference scale is 0. Other labels
are those of `assay.records.inferred`, the id of one of the two units, or the name of its system.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from assay.errors import DataError
from assay.records.dataset import Dataset
from assay.records.inferred import FIRST, NEITHER, SECOND
from assay.records.tables import JUDGED, JudgmentView


def preferred(dataset: Dataset, judgments: JudgmentView) -> NDArray[np.float64]:
    """The preference of each judgment for its unit over the other; a label counts 1, -1 or 0."""
    table, rows = judgments.table, judgments.rows
    if not len(rows):
        return judgments.value
    criterion = dataset.criterion(judgments.criteria[0])
    is_scale = criterion.asks == "preference" and criterion.low is not None and criterion.high is not None
    middle = ((criterion.low or 0.0) + (criterion.high or 0.0)) / 2
    values = judgments.value - middle if is_scale else judgments.value.copy()
    labels = table.label[rows]
    # Checked on all answers to the criterion: those selected here may well all be above 0.
    answers = table.about("pair", "set pair", "system pair").of(criterion.name).value
    if not is_scale and answers.min() > 0 and len(np.unique(answers)) > 1:
        raise DataError(
            f"preferences of {criterion.name!r} are all above 0 ({answers.min():g} to {answers.max():g}), as if the "
            "first unit always won. Code them as 1 (the unit), -1 (the other) and 0 (neither)."
        )
    sides = [systems_of(dataset, judgments, unit) for unit in (judgments.unit, judgments.other)]
    problems = []
    for row in np.flatnonzero(np.isnan(values)).tolist():
        label = table.labels[int(labels[row])]
        ids = dataset.ids(JUDGED[table.kind[rows[row]]])
        unit, other = (ids[int(side[row])] for side in (judgments.unit, judgments.other))
        system, other_system = (dataset.systems.id[int(side[row])] if side[row] >= 0 else "" for side in sides)
        if label in (unit, system) or label.casefold() in FIRST:
            values[row] = 1
        elif label in (other, other_system) or label.casefold() in SECOND:
            values[row] = -1
        elif label.casefold() in NEITHER:
            values[row] = 0
        else:
            name = table.criteria[int(table.criterion[rows[row]])]
            problems.append(
                f"{name!r} of {unit!r} and {other!r}: the answer {label!r} names neither of the two. "
                "Use 1, -1, 0, first, second, tie, or an id."
            )
    if problems:
        raise DataError(problems)
    return values


def systems_of(dataset: Dataset, judgments: JudgmentView, unit: NDArray[np.int64]) -> NDArray[np.int64]:
    """The system of one side of each judgment, -1 for a set with several systems."""
    kind = judgments.table.kind[judgments.rows]
    system = unit.copy()
    for what, of_unit in (("output", dataset.outputs.system), ("set", dataset.set_system)):
        of_kind = kind == JUDGED.index(what)
        system[of_kind] = of_unit[unit[of_kind]]
    return system
