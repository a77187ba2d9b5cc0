"""The difference of two evaluators' correlations when their scores are swapped, for any level and grouping."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import nan

import numpy as np
from numpy.typing import NDArray

from assay.kernels.statistics.tie_calibration import calibrated_accuracy
from assay.kernels.statistics.weighted import grouped_sums, standardized
from assay.metaeval.questions.levels import Cases, of_same_shape
from assay.metaeval.questions.sample import Draw
from assay.metaeval.questions.statistics import Statistic

Swapped = Callable[[NDArray[np.int32]], NDArray[np.float64]]


def null_differences(cases: Cases, statistic: Statistic, pairs: Sequence[tuple[int, int]]) -> Swapped:
    """A function from swaps (B, n cases) to left minus right of each pair, (B, pairs)."""
    if cases.pools:
        return _of_systems(cases, statistic, pairs)
    if cases.grouping == "pooled" and statistic.swapped is not None:
        return statistic.swapped(cases.x, cases.y, pairs)
    return _of_built_columns(cases, statistic, pairs)


def _on_one_scale(statistic: Statistic, x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Standardized, unless the statistic reads the scale itself."""
    return x if statistic.reads_scale else standardized(x)


def _of_built_columns(cases: Cases, statistic: Statistic, pairs: Sequence[tuple[int, int]]) -> Swapped:
    """Build the swapped columns, for groups and statistics without a shortcut."""
    x = _on_one_scale(statistic, cases.x)
    groups = [cases.groups[group] for group in np.flatnonzero(cases.groups.lengths > 1).tolist()]

    def mean_over_groups(values: NDArray[np.float64]) -> NDArray[np.float64]:
        total, count = np.zeros(len(values)), np.zeros(len(values))
        for at in groups:
            inside = of_same_shape(statistic, np.ones(len(at), np.int32), values[:, at], cases.y[at])
            total += np.where(np.isnan(inside), 0.0, inside)
            count += ~np.isnan(inside)
        return np.divide(total, count, out=np.full(len(values), nan), where=count > 0)

    def one_threshold(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.array([calibrated_accuracy(row[at], cases.y[at], label).accuracy for row in values])

    at, label = cases.groups.values, cases.groups.row_of
    calibrated = statistic.calibrates_ties and cases.grouping != "pooled"
    value = one_threshold if calibrated else mean_over_groups

    def under(swaps: NDArray[np.int32]) -> NDArray[np.float64]:
        columns = []
        for a, b in pairs:
            left = np.where(swaps == 1, x[:, b], x[:, a])
            right = np.where(swaps == 1, x[:, a], x[:, b])
            columns.append(value(left) - value(right))
        return np.stack(columns, axis=1)

    return under


def _of_systems(cases: Cases, statistic: Statistic, pairs: Sequence[tuple[int, int]]) -> Swapped:
    """Swap unit scores and pool again; swap system scores where they are not means of unit scores.

    A corpus score such as BLEU cannot be half of one metric and half of another: for such a pair the caller swaps
    whole systems, so the swap of a system's first unit is that of the system.
    """
    x, y = cases.system_scores(Draw(1), cases.y[None])
    present = np.flatnonzero(~np.isnan(y[0]))
    target = y[0, present]
    whole = _on_one_scale(statistic, x[0, present])
    units = _on_one_scale(statistic, cases.x)
    groups = [cases.groups[system] for system in present.tolist()]
    number = np.full(len(cases.rows), -1)
    for position, at in enumerate(groups):
        number[at] = position
    sizes = np.array([len(at) for at in groups])
    totals = np.stack([units[at].sum(axis=0) for at in groups])
    corpus = [column.finish is not None for column in cases.candidates]

    def correlate(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return of_same_shape(statistic, np.ones(len(target), np.int32), values, target)

    def under(swaps: NDArray[np.int32]) -> NDArray[np.float64]:
        # (B, systems, m): sums of each column over the swapped units of each system
        moved = grouped_sums(swaps, units, number, len(groups))
        by_system = np.stack([swaps[:, at[0]] for at in groups], axis=1) == 1
        columns = []
        for a, b in pairs:
            if corpus[a] or corpus[b]:
                left = np.where(by_system, whole[:, b], whole[:, a])
                right = np.where(by_system, whole[:, a], whole[:, b])
            else:
                change = moved[:, :, b] - moved[:, :, a]
                left, right = (totals[:, a] + change) / sizes, (totals[:, b] - change) / sizes
            columns.append(correlate(left) - correlate(right))
        return np.stack(columns, axis=1)

    return under
