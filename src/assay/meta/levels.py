"""One question at one level and grouping: its value, and its values under many draws.

Levels: the unit of the table (output, pair, set or system), or `system` made from units by pooling. Groupings of a
unit level: `pooled`, or the mean of the statistic inside each item or each system. What is grouped by item is blind
to differences between items, and what is grouped by system to differences between systems.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import nan

import numpy as np
from numpy.typing import NDArray

from assay.kernels.ragged import Ragged
from assay.kernels.tie_calibration import calibrated_accuracy
from assay.kernels.weighted import Weighting, weighted_sums
from assay.meta.oriented import orientation, oriented
from assay.meta.sample import Draw, Sample, unit_weights
from assay.meta.statistics import Statistic
from assay.scores import Column

GROUPINGS = ("pooled", "item", "system")


@dataclass(frozen=True, eq=False)
class Cases:
    """The complete cases of some candidates and a target: rows of the table where all have a score."""

    sample: Sample
    rows: NDArray[np.int64]
    candidates: Sequence[Column]
    target: Column
    level: str
    grouping: str
    _prepared: dict[tuple[str, int], Weighting] = field(default_factory=dict, repr=False)

    @cached_property
    def x(self) -> NDArray[np.float64]:
        """Scores of the candidates (n, m), turned so that high is good."""
        return np.stack([oriented(column)[self.rows] for column in self.candidates], axis=1)

    @cached_property
    def y(self) -> NDArray[np.float64]:
        """Scores of the target, turned so that high is good."""
        return oriented(self.target)[self.rows]

    @property
    def pools(self) -> bool:
        """Whether units are pooled into systems first."""
        return self.level == "system" and self.sample.kind != "system"

    @cached_property
    def groups(self) -> Ragged:
        """Positions of the cases in each group: one group, or one per item or system, or the systems to pool."""
        if self.pools or self.grouping == "system":
            return Ragged.grouped(self.sample.system[self.rows], len(self.sample.system_names))
        if self.grouping == "item":
            return Ragged.grouped(self.sample.item[self.rows], self.sample.n_items)
        return Ragged(np.arange(len(self.rows)), np.array([0, len(self.rows)]))

    @property
    def n(self) -> int:
        """How many points the statistic has: systems where units are pooled, else units."""
        return int((self.groups.lengths > 0).sum()) if self.pools else len(self.rows)

    def values(self, statistic: Statistic) -> NDArray[np.float64]:
        """The statistic of each candidate."""
        draw = Draw(1)
        if self.pools:
            x, y = self.system_scores(draw, self.y[None])
            present = ~np.isnan(y[0])
            return np.array([statistic.plain(x[0, present, j], y[0, present]) for j in range(x.shape[2])])
        if self.grouping == "pooled":
            return np.array([statistic.plain(column, self.y) for column in self.x.T])
        return self.under(statistic, draw)[0]

    def between(self, statistic: Statistic) -> NDArray[np.float64]:
        """The correlation of each candidate with each other, (m, m)."""
        x = self.x
        if self.pools:
            x, y = self.system_scores(Draw(1), self.y[None])
            x = x[0, ~np.isnan(y[0])]
        assert statistic.matrix is not None
        return statistic.matrix(x)

    def under(self, statistic: Statistic, draw: Draw) -> NDArray[np.float64]:
        """The statistic of each candidate under each draw: (B, m)."""
        target = self._targets(draw)
        if self.pools:
            return self._of_systems(statistic, draw, target)
        if self.grouping == "pooled":
            return self._of_group(statistic, 0, unit_weights(self.sample, draw, self.rows), target)
        if statistic.name == "pairwise_accuracy":
            return self._calibrated_together(draw, target)
        return self._mean_over_groups(statistic, draw, target)

    def _targets(self, draw: Draw) -> NDArray[np.float64]:
        """The target: one vector, or one per draw when annotators are drawn."""
        if draw.annotators is None:
            return self.y
        assert self.sample.ratings is not None
        means = self.sample.ratings.means(draw.annotators, len(self.sample))[:, self.rows]
        return orientation(self.target) * means

    def _of_group(
        self, statistic: Statistic, group: int, weights: NDArray[np.int32], target: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """The statistic of one group of cases; what does not depend on the weights is prepared once."""
        if target.ndim == 1:
            key = (statistic.name, group)
            if key not in self._prepared:
                at = self.groups[group]
                self._prepared[key] = statistic.of_columns(self.x[at], self.y[at])
            return self._prepared[key](weights)
        weights = np.broadcast_to(weights, target.shape)
        columns = self.x[self.groups[group]].T
        return np.stack(
            [statistic.of_rows(weights, np.broadcast_to(column, target.shape), target) for column in columns], axis=1
        )

    def _mean_over_groups(self, statistic: Statistic, draw: Draw, target: NDArray[np.float64]) -> NDArray[np.float64]:
        """Mean of the defined groups, each counted as often as its item or system was drawn."""
        total = np.zeros((draw.size, self.x.shape[1]))
        count = np.zeros_like(total)
        for group in np.flatnonzero(self.groups.lengths > 1):
            at = self.groups[int(group)]
            by_item = self.grouping == "item"
            weights = unit_weights(self.sample, draw, self.rows[at], items=not by_item, systems=by_item)
            drawn = draw.items if by_item else draw.systems
            times = np.ones(draw.size) if drawn is None else drawn[:, group].astype(np.float64)
            if draw.annotators is None and (weights == weights[:1]).all():
                weights = weights[:1]  # nothing changes inside this group, so one value serves every draw
            inside = self._of_group(statistic, int(group), weights, target[..., at])
            defined = ~np.isnan(inside)
            total += np.where(defined, inside, 0.0) * times[:, None]
            count += defined * times[:, None]
        return np.divide(total, count, out=np.full_like(total, nan), where=count > 0)

    def _calibrated_together(self, draw: Draw, target: NDArray[np.float64]) -> NDArray[np.float64]:
        """Tie-calibrated accuracy: one threshold for all groups, a group drawn twice being two groups."""
        by_item = self.grouping == "item"
        inside = unit_weights(self.sample, draw, self.rows, items=not by_item, systems=by_item)
        outside = draw.items if by_item else draw.systems
        group = (self.sample.item if by_item else self.sample.system)[self.rows]
        result = np.full((draw.size, self.x.shape[1]), nan)
        for b in range(draw.size):
            copies = inside[b] if outside is None else inside[b] * outside[b, group]
            at = np.repeat(np.arange(len(self.rows)), copies)
            copy = np.arange(len(at)) - np.repeat(np.cumsum(copies) - copies, copies)
            label = group[at] * (int(copies.max(initial=0)) + 1) + copy // np.maximum(inside[b][at], 1)
            y = target[at] if target.ndim == 1 else target[b, at]
            kept = ~np.isnan(y)
            for j in range(self.x.shape[1]):
                result[b, j] = calibrated_accuracy(self.x[at, j][kept], y[kept], label[kept]).accuracy
        return result

    def _of_systems(self, statistic: Statistic, draw: Draw, target: NDArray[np.float64]) -> NDArray[np.float64]:
        x, y = self.system_scores(draw, np.atleast_2d(target))
        weights = np.ones(y.shape, np.int32) if draw.systems is None else draw.systems
        shape = (draw.size, y.shape[1])
        weights, y = np.broadcast_to(weights, shape), np.broadcast_to(y, shape)
        columns = [statistic.of_rows(weights, np.broadcast_to(x[:, :, j], shape), y) for j in range(x.shape[2])]
        return np.stack(columns, axis=1)

    def system_scores(self, draw: Draw, target: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Scores of the systems under each draw, (B or 1, S, m) and (B or 1, S), NaN for one without units.

        They come from sums of statistics where an evaluator has them, else they are means.
        """
        alone = draw.units is None and draw.items is None and draw.annotators is None
        inner = Draw(1) if alone else draw
        x = np.full((inner.size, len(self.groups), len(self.candidates)), nan)
        y = np.full((inner.size, len(self.groups)), nan)
        for system in np.flatnonzero(self.groups.lengths).tolist():
            at = self.groups[system]
            weights = unit_weights(self.sample, inner, self.rows[at], systems=False)
            sums = weighted_sums(weights, self._sums_by_system[system])
            with np.errstate(invalid="ignore"):
                means = sums[:, 1:] / sums[:, :1]
            for j, column in enumerate(self.candidates):
                x[:, system, j] = self._pooled(column, means[:, j], weights, at)
            if len(target) == 1:
                y[:, system] = self._pooled(self.target, means[:, -1], weights, at)
            else:
                y[:, system] = _weighted_mean(weights, target[:, at])
        return x, y

    @cached_property
    def _sums_by_system(self) -> list[NDArray[np.float64]]:
        """For each system a matrix of ones, candidates and target, whose weighted sums give the means."""
        table = np.concatenate([np.ones((len(self.rows), 1)), self.x, self.y[:, None]], axis=1)
        return [table[self.groups[system]] for system in range(len(self.groups))]

    def _pooled(
        self, column: Column, means: NDArray[np.float64], weights: NDArray[np.int32], at: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """A system's score: from sums of statistics where the evaluator has them, else the mean."""
        if column.statistics is None or column.finish is None:
            return means
        pooled = column.finish(weighted_sums(weights, column.statistics[self.rows[at]]))
        return np.where(np.isnan(means), nan, orientation(column) * pooled)


def _weighted_mean(weights: NDArray[np.int32], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean of each row of values, gaps left out."""
    known = ~np.isnan(values)
    total = (weights * known).sum(axis=1)
    sums = (weights * np.where(known, values, 0.0)).sum(axis=1)
    return np.divide(sums, total, out=np.full(len(sums), nan), where=total > 0)
