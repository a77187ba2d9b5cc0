"""What each generator gets wrong: the evaluators by which it is behind the others, and habits that can be counted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import isnan

import numpy as np
from numpy.typing import NDArray

from assay.analyses.examples.behind import FEWEST_ITEMS, Behind, against_others, corrected
from assay.analyses.examples.habits import habits
from assay.analyses.words import ALPHA, listed
from assay.metaeval.questions.oriented import orientation
from assay.metaeval.questions.question import signature
from assay.part import Number
from assay.records import Dataset
from assay.scores import ScoreTable

MOST_REASONS = 3  # evaluators named for one generator

Tested = Mapping[str, Sequence[Behind]]
"""By evaluator, a row per generator; `system` is its number in the data."""


def behind_the_others(dataset: Dataset, table: ScoreTable) -> Tested:
    """Each generator against the others by each evaluator with a direction; a single one against people."""
    machines = np.flatnonzero(~dataset.systems.human)
    compared = machines if len(machines) > 1 else np.arange(len(dataset.systems))
    decided = [name for name, column in table.columns.items() if column.higher_is_better is not None]
    if len(compared) < 2:
        return {}
    families = [
        against_others(_by_item(dataset, table[name].values)[:, compared], orientation(table[name])) for name in decided
    ]
    kept = [[row for row in family if not dataset.systems.human[compared[row.system]]] for family in families]
    return {
        name: [replace(row, system=int(compared[row.system])) for row in family]
        for name, family in zip(decided, corrected(kept), strict=True)
    }


def _by_item(dataset: Dataset, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean scores, items by systems; NaN where a system has none for an item."""
    shape = len(dataset.items), len(dataset.systems)
    known = ~np.isnan(values)
    place = dataset.outputs.item[known] * shape[1] + dataset.outputs.system[known]
    size = shape[0] * shape[1]
    n = np.bincount(place, minlength=size)
    total = np.bincount(place, values[known], minlength=size)
    return np.divide(total, n, out=np.full(size, np.nan), where=n > 0).reshape(shape)


def wrong_sentences(dataset: Dataset, tested: Tested) -> Iterator[str]:
    """A sentence for each generator of which there is something to say."""
    against = "the other generators" if (~dataset.systems.human).sum() > 1 else "people"
    for system in np.unique(dataset.outputs.system[~dataset.human]).tolist():
        weak = [
            (row.effect, f"{name} ({row.own:.3g} against {row.others:.3g})")
            for name, rows in tested.items()
            for row in rows
            if row.system == system and row.p < ALPHA and row.difference < 0
        ]
        named = [words for _, words in sorted(weak)]
        rest = [f"{len(named) - MOST_REASONS} more"] if len(named) > MOST_REASONS else []
        below = [f"below {against} by {listed([*named[:MOST_REASONS], *rest])}"] if named else []
        told = [*below, *habits(dataset, system)]
        if told:
            yield f"{dataset.systems.id[system]}: {'; '.join(told)}."


def behind_numbers(dataset: Dataset, tested: Tested) -> Iterator[Number]:
    """The difference of each generator from the others, positive where it is better."""
    for name, rows in tested.items():
        for row in rows:
            system = dataset.systems.id[row.system]
            reason = "" if not isnan(row.low) else _why_untested(row)
            about = {"system": system, "evaluator": name, "others": row.others, "p_adjusted": row.p}
            source = signature("examples", system=system, evaluator=name)
            yield Number("ahead of the others", row.difference, row.n, source, 0, row.low, row.high, reason, about)


def _why_untested(row: Behind) -> str:
    return f"fewer than {FEWEST_ITEMS} items" if row.n < FEWEST_ITEMS else "the same difference on every item"
