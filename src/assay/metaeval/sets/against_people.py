"""Sets of systems held against sets of people by one metric: is a system less diverse?

What varies from study to study are the items: the mean difference over the items that a system shares with people has
Student's t with (items - 1) degrees of freedom; without enough of them the two are independent samples of items
(Welch 1947). p-values are adjusted for the number of systems (Holm 1979).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from math import nan, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from assay.kernels.statistics.significance import holm
from assay.metaeval.questions.oriented import oriented
from assay.metaeval.sets.clustered import FEWEST_CLUSTERS
from assay.scores import Column, ScoreTable

CONFIDENCE = 0.95
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class AgainstPeople:
    """A system minus people, more being more diverse whichever way the metric points; `n` counts items."""

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
    """Compare every other system with people, taken together, by one column of a table of sets."""
    column = table[evaluator]
    systems = list(dict.fromkeys(name for name in table.system if name and name not in people))
    own = _by_item(table, column, people)
    found = [_compared(evaluator, name, _by_item(table, column, {name}), own) for name in systems]
    adjusted = holm(np.array([one.p_value for one in found]))
    return [replace(one, p_holm=float(p)) for one, p in zip(found, adjusted, strict=True)]


def _by_item(table: ScoreTable, column: Column, systems: Collection[str]) -> dict[str, float]:
    """The mean over the sets of some systems for each item."""
    values, scores = oriented(column), dict[str, list[float]]()
    for row, (item, system) in enumerate(zip(table.item, table.system, strict=True)):
        if system in systems and not np.isnan(values[row]):
            scores.setdefault(item, []).append(float(values[row]))
    return {item: float(np.mean(some)) for item, some in scores.items()}


def _compared(evaluator: str, system: str, own: dict[str, float], people: dict[str, float]) -> AgainstPeople:
    shared = [item for item in own if item in people]
    nothing = AgainstPeople(evaluator, system, nan, nan, nan, nan, nan, len(shared), True)
    if len(shared) >= FEWEST_CLUSTERS:
        apart = np.array([own[item] - people[item] for item in shared])
        return _answer(nothing, float(apart.mean()), float(apart.var(ddof=1)) / len(apart), len(apart) - 1.0)
    if min(len(own), len(people)) < FEWEST_CLUSTERS:
        few = min(len(own), len(people))
        return replace(nothing, n=few, reason=f"too few items ({few} < {FEWEST_CLUSTERS})")
    a, b = np.array([*own.values()]), np.array([*people.values()])
    errors = a.var(ddof=1) / len(a), b.var(ddof=1) / len(b)
    variance = float(sum(errors))
    freedom = variance**2 / (errors[0] ** 2 / (len(a) - 1) + errors[1] ** 2 / (len(b) - 1)) if variance else 1.0
    unpaired = replace(nothing, n=min(len(a), len(b)), paired=False)
    return _answer(unpaired, float(a.mean() - b.mean()), variance, freedom)


def _answer(about: AgainstPeople, difference: float, variance: float, freedom: float) -> AgainstPeople:
    about = replace(about, difference=difference)
    if variance < 1e-20:
        return replace(about, reason="the difference is the same for every item")
    error = sqrt(variance)
    reach = float(stdtrit(freedom, (1 + CONFIDENCE) / 2)) * error
    p_value = float(2 * stdtr(freedom, -abs(difference) / error))
    return replace(about, low=difference - reach, high=difference + reach, p_value=p_value)
