"""The evaluator-by-evaluator matrix: how candidates and target correlate with one another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from assay.metaeval.questions.inquiry import FEWEST, Inquiry, Mask, by_mask
from assay.metaeval.questions.levels import Cases
from assay.scores import Column


@dataclass(frozen=True)
class Matrix:
    """Pooled correlations of every two columns on the units both have; NaN where undefined."""

    statistic: str
    level: str
    names: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]


def matrices(study: Inquiry) -> list[Matrix]:
    """One matrix per correlation and level, the target first."""
    columns = [study.target, *study.candidates]
    names = tuple(column.name for column in columns)
    tables = []
    for level in study.levels:
        for statistic in study.statistics:
            if statistic.matrix is None:
                continue
            values = np.full((len(columns), len(columns)), np.nan)
            for pairs, mask in by_mask(_pairs(study, columns, level)):
                members = sorted({member for pair in pairs for member in pair})
                chosen = [columns[member] for member in members]
                cases = Cases(study.sample, np.flatnonzero(mask), chosen, chosen[0], level, "pooled")
                if cases.n < FEWEST:
                    continue
                between = cases.between(statistic)
                for a, b in pairs:
                    values[a, b] = values[b, a] = between[members.index(a), members.index(b)]
            tables.append(Matrix(statistic.name, level, names, tuple(map(tuple, values.tolist()))))
    return tables


def _pairs(study: Inquiry, columns: Sequence[Column], level: str) -> Iterator[tuple[tuple[int, int], Mask]]:
    """Every two columns with their complete cases."""
    for a in range(len(columns)):
        for b in range(a + 1):
            mask = ~np.isnan(columns[a].values) & ~np.isnan(columns[b].values)
            if level == "system":
                mask &= study.sample.system >= 0
            yield (a, b), mask
