"""Sums of scores that can be added part by part and give, to the last bit, what all units at once give."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import fsum, lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.kernels.statistics.exact_means import MOST, are_whole, denominator_of, rounded_sum
from assay.scores import Column, Finish, Gaps, ScoreTable


@dataclass
class SystemSums:
    """The units of one system in one column.

    Attributes:
        n: the units with a score.
        reasons: the units without one, by reason, in the order in which reasons appear.
        terms: per statistic, or for the score alone, floats whose exact sum is the exact sum over the units.
        scaled: the sum of the scores times the denominator of the column.
    """

    n: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    terms: list[list[float]] = field(default_factory=list)
    scaled: int = 0


@dataclass
class ColumnSums:
    """The sums of a column by system, in the order in which systems appear.

    Attributes:
        signature: of the column.
        higher_is_better: of the column.
        is_additive: whether statistics are summed, not scores.
        denominator: of the scores, as `exact_means` finds it; 0 if they have none.
        largest: the largest absolute score.
    """

    systems: dict[str, SystemSums]
    signature: str = ""
    higher_is_better: bool | None = None
    is_additive: bool = False
    denominator: int = 1
    largest: float = 0.0

    @classmethod
    def of(cls, table: ScoreTable, name: str) -> ColumnSums:
        """Sum a column of the scores of a part."""
        column, groups = table[name], table.rows_by_system()
        finite = column.values[np.isfinite(column.values)]
        denominator = denominator_of(finite) if len(finite) else 1
        largest = float(np.abs(finite).max(initial=0.0))
        if max(1.0, largest) * max(1, denominator) * max(1, len(finite)) >= MOST:
            denominator = 0
        is_additive = column.statistics is not None
        sums = cls({}, column.signature, column.higher_is_better, is_additive, denominator, largest)
        for number in range(len(groups)):
            own = column.take(groups[number])
            sums.systems[table.system[int(groups[number][0])]] = _system_sums(own, denominator)
        return sums

    def add(self, other: ColumnSums) -> None:
        """Add the sums of a later part."""
        self.denominator = lcm(self.denominator, other.denominator)
        for system, more in other.systems.items():
            own = self.systems.setdefault(system, SystemSums())
            own.n += more.n
            own.reasons.update(more.reasons)
            if more.terms:
                terms = own.terms or [[] for _ in more.terms]
                own.terms = [exact_terms([*a, *b]) for a, b in zip(terms, more.terms, strict=True)]
        self.largest = max(self.largest, other.largest)
        self.is_additive = self.is_additive or other.is_additive

    @classmethod
    def total(cls, parts: Iterable[ColumnSums]) -> ColumnSums:
        """Add the sums of all parts, in their order."""
        parts = list(parts)
        whole = cls({}, parts[0].signature, parts[0].higher_is_better) if parts else cls({})
        for part in parts:
            whole.add(part)
        for part in parts if whole.denominator else ():
            factor = whole.denominator // part.denominator
            for system, sums in part.systems.items():
                whole.systems[system].scaled += sums.scaled * factor
        return whole

    def column(self, name: str, finish: Finish | None) -> Column:
        """The scores of systems: what `Column.pooled` gives of all units."""
        found = self.systems.values()
        reasons = ["" if one.n else next(iter(dict(one.reasons.most_common())), "no units") for one in found]
        values, statistics = self.pooled(finish), self._statistics() if self.is_additive else None
        return Column(name, values, Gaps.of(reasons), self.signature, self.higher_is_better, statistics, finish)

    def _statistics(self) -> NDArray[np.float64]:
        found = self.systems.values()
        width = max((len(sums.terms) for sums in found), default=0)
        rows = [[rounded_sum(terms) for terms in sums.terms] or [0.0] * width for sums in found]
        return np.array(rows, np.float64).reshape(len(rows), width)

    def pooled(self, finish: Finish | None) -> NDArray[np.float64]:
        """The score of each system: what `Column.pooled` gives of all units."""
        sizes = np.array([sums.n for sums in self.systems.values()], np.float64)
        if self.is_additive:
            assert finish is not None
            return np.where(sizes > 0, finish(self._statistics()), np.nan)
        n = sum(sums.n for sums in self.systems.values())
        denominator = self.denominator
        if max(1.0, self.largest) * max(1, denominator) * max(1, n) >= MOST:
            denominator = 0
        terms = [sums.terms[0] if sums.terms else [] for sums in self.systems.values()]
        totals = [
            float(sums.scaled) if denominator and np.isfinite(own).all() else rounded_sum(own)
            for sums, own in zip(self.systems.values(), terms, strict=True)
        ]
        blank = np.full(len(sizes), np.nan)
        return np.divide(np.array(totals), sizes * max(denominator, 1), out=blank, where=sizes > 0)

    def as_json(self) -> dict[str, Any]:
        """The sums as JSON values; numbers keep every bit."""
        systems = {
            system: [sums.n, dict(sums.reasons), sums.terms, sums.scaled] for system, sums in self.systems.items()
        }
        return {
            "systems": systems,
            "signature": self.signature,
            "higher_is_better": self.higher_is_better,
            "is_additive": self.is_additive,
            "denominator": self.denominator,
            "largest": self.largest,
        }

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> ColumnSums:
        """The inverse of `as_json`."""
        systems = {
            system: SystemSums(n, Counter(reasons), terms, scaled)
            for system, (n, reasons, terms, scaled) in content["systems"].items()
        }
        return cls(**{**content, "systems": systems})


def _system_sums(column: Column, denominator: int) -> SystemSums:
    scored = ~np.isnan(column.values)
    reasons: Counter[str] = Counter(column.gaps.in_order())
    if column.statistics is None and not scored.any():
        return SystemSums(0, reasons)  # other parts may have statistics
    if column.statistics is not None:
        columns = list(column.statistics[scored].T)
        scaled = 0
    else:
        columns = [column.values[scored]]
        values = columns[0]
        is_ratio = denominator and np.isfinite(values).all()
        scaled = int(np.round(values * denominator).sum()) if is_ratio else 0
    return SystemSums(int(scored.sum()), reasons, [exact_terms(values) for values in columns], scaled)


def exact_terms(values: NDArray[np.float64] | list[float]) -> list[float]:
    """A few floats with exactly the same sum."""
    array = np.asarray(values, np.float64)
    if not np.isfinite(array).all():
        return np.unique(array[~np.isfinite(array)]).tolist()
    if are_whole(array):
        return [float(array.sum())]
    left, terms = array.tolist(), []
    while (term := fsum(left)) != 0.0:
        terms.append(term)
        left.append(-term)
    return terms
