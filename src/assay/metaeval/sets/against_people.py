"""Systems against human texts by one diversity metric: is a system less diverse?

Items are the sample: the mean difference over shared items has Student's t with (items - 1) degrees of freedom; with
too few shared items the two are independent samples (Welch 1947). p-values are adjusted for the number of systems
(Holm 1979).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from math import nan

import numpy as np

from assay.kernels.statistics.crossed_jackknife import FEWEST_POINTS
from assay.kernels.statistics.significance import holm
from assay.kernels.statistics.student import spread, student_interval, student_p
from assay.metaeval.questions.oriented import oriented
from assay.scores import Column, ScoreTable

CONFIDENCE = 0.95


@dataclass(frozen=True)
class AgainstPeople:
    """System minus human, oriented so that higher is more diverse; `n` counts items."""

    evaluator: str
    system: str
    difference: float
    low: float
    high: float
    p_value: float
    p_holm: float
    n: int
    paired: bool
    reason: str = ""

    def is_less(self, alpha: float) -> bool:
        """Whether the system is clearly less diverse."""
        return self.difference < 0 and self.p_holm < alpha


def against_people(table: ScoreTable, evaluator: str, people: Collection[str]) -> list[AgainstPeople]:
    """Compare every other system with the pooled human ones by one column of a table of sets."""
    column = table[evaluator]
    systems = list(dict.fromkeys(name for name in table.system if name and name not in people))
    human = _by_item(table, column, people)
    rows = [_compared(evaluator, name, _by_item(table, column, {name}), human) for name in systems]
    adjusted = holm(np.array([row.p_value for row in rows]))
    return [replace(row, p_holm=float(p)) for row, p in zip(rows, adjusted, strict=True)]


def _by_item(table: ScoreTable, column: Column, systems: Collection[str]) -> dict[str, float]:
    """The mean over the sets of these systems, by item."""
    values, scores = oriented(column), dict[str, list[float]]()
    for row, (item, system) in enumerate(zip(table.item, table.system, strict=True)):
        if system in systems and not np.isnan(values[row]):
            scores.setdefault(item, []).append(float(values[row]))
    return {item: float(np.mean(some)) for item, some in scores.items()}


def _compared(evaluator: str, system: str, scores: dict[str, float], human: dict[str, float]) -> AgainstPeople:
    shared = [item for item in scores if item in human]
    paired = len(shared) >= FEWEST_POINTS
    samples = [[scores[item] - human[item] for item in shared]] if paired else [[*scores.values()], [*human.values()]]
    n = min(map(len, samples))
    nothing = AgainstPeople(evaluator, system, nan, nan, nan, nan, nan, n, paired)
    if n < FEWEST_POINTS:
        return replace(nothing, n=n, paired=True, reason=f"too few items ({n} < {FEWEST_POINTS})")
    means = [float(np.mean(sample)) for sample in samples]
    difference = means[0] - sum(means[1:])
    # The mean without each item in turn.
    left_out = [(np.sum(sample) - np.array(sample)) / (len(sample) - 1) for sample in samples]
    error = spread(left_out, max(abs(value) for value in (*scores.values(), *human.values())))
    if not error.error > 0:
        return replace(nothing, difference=difference, reason="the difference is the same for every item")
    low, high, _ = student_interval(difference, error, CONFIDENCE)
    return replace(nothing, difference=difference, low=low, high=high, p_value=student_p(difference, error))
