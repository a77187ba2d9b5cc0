"""Sums of scores that can be added part by part and give, to the last bit, what all units at once give."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import fsum, lcm, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.kernels.statistics.exact_means import CANDIDATES, MOST, are_whole, common_denominators, rounded_sum
from assay.scores import Column, Finish, Gaps, ScoreTable


@dataclass
class SystemSums:
    """The units of one system in one column.

    Attributes:
        n: the units with a score.
        reasons: the units without one, by reason, in the order in which reasons appear.
        terms: per statistic, or for the score alone, floats whose exact sum is the exact sum over the units.
        denominator: of the scores, as `exact_means` finds it; 0 if they have none.
        scaled: the sum of the scores times the denominator.
        largest: the largest absolute score, at least 1.
    """

    n: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    terms: list[list[float]] = field(default_factory=list)
    denominator: int = 1
    scaled: int = 0
    largest: float = 1.0

    def add(self, more: SystemSums) -> None:
        """Add the sums of a later part."""
        self.n += more.n
        self.reasons.update(more.reasons)
        if more.terms:
            terms = self.terms or [[] for _ in more.terms]
            self.terms = [exact_terms([*a, *b]) for a, b in zip(terms, more.terms, strict=True)]
        common = lcm(self.denominator, more.denominator)
        if common:
            self.scaled = self.scaled * (common // self.denominator) + more.scaled * (common // more.denominator)
        self.denominator = common
        self.largest = max(self.largest, more.largest)

    @property
    def mean(self) -> float:
        """What `exact_means` gives of all scores."""
        if not self.n:
            return nan
        terms = self.terms[0] if self.terms else []
        if self.denominator and self.largest * self.denominator * self.n < MOST and np.isfinite(terms).all():
            return self.scaled / (self.n * self.denominator)
        return rounded_sum(terms) / self.n


@dataclass
class ColumnSums:
    """The sums of a column by system, in the order in which systems appear.

    Attributes:
        signature: of the column.
        higher_is_better: of the column.
        is_additive: whether statistics are summed, not scores.
    """

    systems: dict[str, SystemSums]
    signature: str = ""
    higher_is_better: bool | None = None
    is_additive: bool = False

    @classmethod
    def of(cls, table: ScoreTable, name: str) -> ColumnSums:
        """Sum a column of the scores of a part."""
        column, groups = table[name], table.rows_by_system()
        sums = cls({}, column.signature, column.higher_is_better, column.statistics is not None)
        for number in range(len(groups)):
            own = column.take(groups[number])
            sums.systems[table.system[int(groups[number][0])]] = _system_sums(own)
        return sums

    def add(self, other: ColumnSums) -> None:
        """Add the sums of a later part."""
        for system, more in other.systems.items():
            self.systems.setdefault(system, SystemSums()).add(more)
        self.is_additive = self.is_additive or other.is_additive

    @classmethod
    def total(cls, parts: Iterable[ColumnSums]) -> ColumnSums:
        """Add the sums of all parts, in their order."""
        parts = list(parts)
        whole = cls({}, parts[0].signature, parts[0].higher_is_better) if parts else cls({})
        for part in parts:
            whole.add(part)
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
        if self.is_additive:
            assert finish is not None
            return np.where([sums.n > 0 for sums in self.systems.values()], finish(self._statistics()), np.nan)
        return np.array([sums.mean for sums in self.systems.values()], np.float64)

    def as_json(self) -> dict[str, Any]:
        """The sums as JSON values; numbers keep every bit."""
        systems = {
            system: [sums.n, dict(sums.reasons), sums.terms, sums.denominator, sums.scaled, sums.largest]
            for system, sums in self.systems.items()
        }
        return {
            "systems": systems,
            "signature": self.signature,
            "higher_is_better": self.higher_is_better,
            "is_additive": self.is_additive,
        }

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> ColumnSums:
        """The inverse of `as_json`."""
        systems = {
            system: SystemSums(n, Counter(reasons), *sums) for system, (n, reasons, *sums) in content["systems"].items()
        }
        return cls(**{**content, "systems": systems})


def _system_sums(column: Column) -> SystemSums:
    scored = ~np.isnan(column.values)
    n, reasons = int(scored.sum()), Counter[str](column.gaps.in_order())
    if column.statistics is not None:
        return SystemSums(n, reasons, [exact_terms(values) for values in column.statistics[scored].T])
    if not n:
        return SystemSums(0, reasons)  # other parts may have statistics
    values = column.values[scored]
    denominator = int(common_denominators(values, np.array([0, n]), CANDIDATES)[0])
    is_ratio = denominator and np.isfinite(values).all()
    scaled = int(np.round(values * denominator).sum()) if is_ratio else 0
    largest = float(np.abs(values[np.isfinite(values)]).max(initial=1.0))
    return SystemSums(n, reasons, [exact_terms(values)], denominator, scaled, largest)


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
