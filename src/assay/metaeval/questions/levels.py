"""One question at one level and grouping: its value, and its values under many draws.

Levels: the unit of the table (output, pair, set or system), or `system` made from units by pooling. Groupings of a
unit level: `pooled`, or the mean of the statistic inside each item or each system. Grouping by item ignores
differences between items, grouping by system those between systems.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import nan

import numpy as np
from numpy.typing import NDArray

from assay.kernels.ragged import Ragged
from assay.kernels.statistics.exact_means import as_whole_numbers, exact_means, without_noise
from assay.kernels.statistics.tie_calibration import calibrated_accuracy
from assay.kernels.statistics.weighted import Weighting, grouped_sums
from assay.metaeval.questions.oriented import orientation, oriented
from assay.metaeval.questions.sample import Draw, Sample, unit_weights
from assay.metaeval.questions.statistics import Statistic
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
    _prepared: dict[tuple[str, int], Weighting] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def x(self) -> NDArray[np.float64]:
        """Scores of the candidates (n, m), oriented so that high is good."""
        return np.stack([oriented(column)[self.rows] for column in self.candidates], axis=1)

    @cached_property
    def y(self) -> NDArray[np.float64]:
        """Scores of the target, oriented so that high is good."""
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
        return self.under([statistic], draw)[0, 0]

    def ceilings(self, statistic: Statistic) -> NDArray[np.float64] | None:
        """The largest value that ties allow each candidate, where a target of two classes keeps it well below 1."""
        if statistic.ceiling is None or self.pools or self.grouping != "pooled" or len(np.unique(self.y)) != 2:
            return None
        return np.array([statistic.ceiling(column, self.y) for column in self.x.T])

    def n_groups(self, statistic: Statistic) -> NDArray[np.int64]:
        """In how many groups each candidate has a value: 1 where all units are one group."""
        if self.pools or self.grouping == "pooled":
            return np.ones(len(self.candidates), np.int64)
        counts = np.zeros(len(self.candidates), np.int64)
        for group in np.flatnonzero(self.groups.lengths > 1).tolist():
            weights = np.ones((1, len(self.groups[group])), np.int32)
            counts += ~np.isnan(self._of_group(statistic, group, weights, self.y[self.groups[group]])[0])
        return counts

    def between(self, statistic: Statistic) -> NDArray[np.float64]:
        """The correlation of each candidate with each other, (m, m)."""
        x = self.x
        if self.pools:
            x, y = self.system_scores(Draw(1), self.y[None])
            x = x[0, ~np.isnan(y[0])]
        assert statistic.matrix is not None
        return statistic.matrix(x)

    def under(self, statistics: Sequence[Statistic], draw: Draw) -> NDArray[np.float64]:
        """Each statistic of each candidate under each draw: (statistics, B, m)."""
        target = self._targets(draw)
        if self.pools:
            return self._of_systems(statistics, draw, target)
        if self.grouping == "pooled":
            weights = unit_weights(self.sample, draw, self.rows)
            return np.stack([self._of_group(statistic, 0, weights, target) for statistic in statistics])
        return np.stack(
            [
                self._calibrated_together(draw, target)
                if statistic.calibrates_ties
                else self._mean_over_groups(statistic, draw, target)
                for statistic in statistics
            ]
        )

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
        """The statistic of one group of cases; what does not depend on the weights is computed once."""
        if target.ndim == 1:
            key = (statistic.name, group)
            if key not in self._prepared:
                at = self.groups[group]
                self._prepared[key] = statistic.of_columns(self.x[at], self.y[at])
            return self._prepared[key](weights)
        columns = self.x[self.groups[group]].T
        return np.stack([of_same_shape(statistic, weights, column, target) for column in columns], axis=1)

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
        """Tie-calibrated accuracy with one threshold for all groups; a group drawn twice is two groups."""
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
            defined = ~np.isnan(y)
            for j in range(self.x.shape[1]):
                result[b, j] = calibrated_accuracy(
                    self.x[at, j][defined], y[defined], label[defined], at[defined]
                ).accuracy
        return result

    def _of_systems(
        self, statistics: Sequence[Statistic], draw: Draw, target: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        x, y = self.system_scores(draw, np.atleast_2d(target))
        weights = np.ones(y.shape, np.int32) if draw.systems is None else draw.systems
        columns = np.moveaxis(x, 2, 0)
        return np.stack(
            [
                np.stack([of_same_shape(statistic, weights, column, y) for column in columns], axis=1)
                for statistic in statistics
            ]
        )

    def system_scores(self, draw: Draw, target: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Scores of the systems under each draw, (B or 1, S, m) and (B or 1, S), NaN for one without units.

        They come from sums of statistics where an evaluator has them, else they are means.
        """
        undrawn = draw.units is None and draw.items is None and draw.annotators is None
        inner = Draw(1) if undrawn else draw
        weights = unit_weights(self.sample, inner, self.rows, systems=False)
        summands, ends = self._summands
        sums, *statistics = np.split(self._by_system(weights, summands), ends, axis=2)
        total = sums[:, :, :1]
        if undrawn:
            means = self._exact_means(total[0, :, 0])
        else:
            shape = sums[:, :, 1:].shape
            means = np.divide(sums[:, :, 1:], total * self._whole_numbers[1], out=np.full(shape, nan), where=total > 0)
        x = [_pooled(column, means[:, :, j], statistics[j]) for j, column in enumerate(self.candidates)]
        if len(target) == 1:
            return np.stack(x, axis=2), _pooled(self.target, means[:, :, -1], statistics[-1])
        defined = ~np.isnan(target)
        sums_y = np.concatenate(
            [
                self._by_system(
                    (weights * defined)[b : b + 1], np.stack([defined[b], np.where(defined[b], target[b], 0.0)], axis=1)
                )
                for b in range(len(target))
            ]
        )
        total = sums_y[:, :, 0]
        drawn = np.divide(sums_y[:, :, 1], total, out=np.full(total.shape, nan), where=total > 0)
        return np.stack(x, axis=2), without_noise(drawn)

    def _exact_means(self, n: NDArray[np.float64]) -> NDArray[np.float64]:
        """Mean of each candidate and of the target per system, (1, S, m + 1), where nothing is drawn."""
        system = self.sample.system[self.rows]
        has_system = system >= 0
        scores = np.concatenate([self.x, self.y[:, None]], axis=1)[has_system]
        return np.stack([exact_means(column, system[has_system], n) for column in scores.T], axis=1)[None]

    def _by_system(self, weights: NDArray[np.int32], statistics: NDArray[np.float64]) -> NDArray[np.float64]:
        return grouped_sums(weights, statistics, self.sample.system[self.rows], len(self.sample.system_names))

    @cached_property
    def _summands(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """What is summed over the units of a system, and where each block of columns ends.

        Ones and the whole-number scores, then the statistics of each candidate and the target, if any.
        """
        blocks = [np.concatenate([np.ones((len(self.rows), 1)), self._whole_numbers[0]], axis=1)]
        for column in (*self.candidates, self.target):
            statistics = column.statistics if column.finish is not None else None
            blocks.append(np.zeros((len(self.rows), 0)) if statistics is None else statistics[self.rows])
        return np.concatenate(blocks, axis=1), np.cumsum([block.shape[1] for block in blocks])[:-1]

    @cached_property
    def _whole_numbers(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Scores of the candidates and the target as whole numbers with a denominator each, where they are ratings."""
        return as_whole_numbers(np.concatenate([self.x, self.y[:, None]], axis=1))


def _pooled(column: Column, means: NDArray[np.float64], sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """System scores: from sums of statistics where the evaluator has them, else the means."""
    if column.finish is None or not sums.shape[2]:
        return means
    pooled = column.finish(sums.reshape(-1, sums.shape[2])).reshape(means.shape)
    return np.where(np.isnan(means), nan, orientation(column) * pooled)


def of_same_shape(
    statistic: Statistic, weights: NDArray[np.int32], x: NDArray[np.float64], y: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The statistic of rows after broadcasting.

    Copying gives the kernel one memory layout; each layout would be compiled anew.
    """
    shape = np.broadcast_shapes(weights.shape, x.shape, y.shape)
    return statistic.of_rows(*(np.array(np.broadcast_to(array, shape)) for array in (weights, x, y)))
