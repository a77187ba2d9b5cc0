"""Systems against each other on the items they share: paired difference, interval, p, wins, effect size, clusters.

An item is a cluster: all outputs of both systems for it (several seeds, prompts, samples) are drawn or swapped
together. A system's score comes from the sums of an evaluator's statistics where it has them (corpus BLEU), else it
is the mean of unit scores; the bootstrap draws items with replacement (Koehn 2004), the permutation test swaps the
two systems' outputs of an item (approximate randomization, Riezler and Maxwell 2005).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import isnan, nan

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError, did_you_mean
from assay.kernels.intervals import NO_INTERVAL, bca, percentile
from assay.kernels.resample import Block, bootstrap_counts, map_blocks, swaps
from assay.kernels.significance import bootstrap_p, clusters, permutation_p
from assay.kernels.weighted import weighted_sums
from assay.meta.contrast import CORRECTIONS, USUAL_PROCEDURE, Procedure
from assay.meta.oriented import orientation
from assay.meta.question import USUAL, Resampling, signature
from assay.meta.sample import BOOTSTRAP, FACTORS, PERMUTATION, Sample
from assay.scores import Column, ScoreTable


@dataclass(frozen=True)
class Difference:
    """Two systems by one evaluator. `difference` is left minus right, in the evaluator's own units.

    `win`, `tie` and `loss` count items on which left is better, equal or worse, whichever way the evaluator points.
    `superiority` is (win + tie / 2) / n; `effect_size` the mean difference of items over its standard deviation.
    """

    left: str
    right: str
    evaluator: str
    left_value: float
    right_value: float
    difference: float
    low: float
    high: float
    p_value: float
    p_adjusted: float
    better: str
    n: int
    n_missing: int
    n_units: int
    win: int
    tie: int
    loss: int
    superiority: float
    effect_size: float
    test: str
    correction: str
    interval: str
    confidence: float
    resamples: int
    seed: int
    reason: str
    signature: str


@dataclass(frozen=True)
class SystemClusters:
    """Systems by one evaluator, best first, cut where one differs from any before it in its cluster."""

    evaluator: str
    alpha: float
    correction: str
    clusters: tuple[tuple[str, ...], ...]


def compare_systems(
    table: ScoreTable,
    systems: Sequence[str] = (),
    evaluators: Sequence[str] = (),
    *,
    resampling: Resampling = USUAL,
    procedure: Procedure = USUAL_PROCEDURE,
    workers: int = 1,
) -> tuple[list[Difference], list[SystemClusters]]:
    """Compare every pair of systems by every evaluator; p is adjusted over the pairs of an evaluator."""
    if table.kind == "system":
        raise AssayError("the scores are one number per system: nothing is left to resample. Score finer units.")
    if procedure.test == "auto":
        procedure = replace(procedure, test="permutation")
    if procedure.test not in ("permutation", "bootstrap"):
        raise AssayError(f"systems are compared by permutation or bootstrap, not by {procedure.test}.")
    sample = Sample.of(table)
    names = _chosen(sample, systems)
    columns = [table[name] for name in evaluators or table.columns]
    differences: list[Difference] = []
    found: list[SystemClusters] = []
    for column in columns:
        pairs = [
            _Paired(table, sample, column, left, right).answer(resampling, procedure, workers)
            for left, right in combinations(names, 2)
        ]
        adjusted = CORRECTIONS[procedure.correction](np.array([pair.p_value for pair in pairs]))
        pairs = [replace(pair, p_adjusted=float(p)) for pair, p in zip(pairs, adjusted, strict=True)]
        differences += pairs
        found.append(_clusters(table, column, names, pairs, procedure))
    return differences, found


class _Paired:
    """The sums of two systems over each item they share: (items, k) for each."""

    def __init__(self, table: ScoreTable, sample: Sample, column: Column, left: str, right: str) -> None:
        self.column, self.left, self.right, self.kind = column, left, right, table.kind
        scored = ~np.isnan(column.values)
        codes = [sample.system_names.index(name) for name in (left, right)]
        rows = [np.flatnonzero(scored & (sample.system == code)) for code in codes]
        everywhere = [np.unique(sample.item[sample.system == code]) for code in codes]
        items = [np.unique(sample.item[row]) for row in rows]
        shared = np.intersect1d(items[0], items[1]) if sample.has_items else np.zeros(0, np.int64)
        self.n_missing = len(np.union1d(everywhere[0], everywhere[1])) - len(shared)
        self.has_items = sample.has_items
        rows = [row[np.isin(sample.item[row], shared)] for row in rows]
        at = [np.searchsorted(shared, sample.item[row]) for row in rows]
        self.n_units = sum(map(len, rows))
        self.sums = [self._by_item(column, row, where, len(shared)) for row, where in zip(rows, at, strict=True)]
        self.item_means = [
            _mean(_add(np.stack([np.ones(len(row)), column.values[row]], axis=1), where, len(shared)))
            for row, where in zip(rows, at, strict=True)
        ]

    def __len__(self) -> int:
        return len(self.sums[0])

    @staticmethod
    def _by_item(column: Column, rows: NDArray[np.int64], at: NDArray[np.int64], n_items: int) -> NDArray[np.float64]:
        if column.statistics is None or column.finish is None:
            return _add(np.stack([np.ones(len(rows)), column.values[rows]], axis=1), at, n_items)
        return _add(column.statistics[rows], at, n_items)

    def score(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Scores from sums, one per row."""
        return _mean(sums) if self.column.finish is None or self.column.statistics is None else self.column.finish(sums)

    def difference(self, left: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
        return self.score(left) - self.score(right)

    def answer(self, resampling: Resampling, procedure: Procedure, workers: int) -> Difference:
        totals = [sums.sum(axis=0, keepdims=True) for sums in self.sums]
        enough = len(self) >= 2
        values = [float(self.score(total)[0]) if enough else nan for total in totals]
        difference = values[0] - values[1]
        draws = self._draws(resampling, workers) if enough and resampling.resamples else np.zeros(0)
        interval = NO_INTERVAL
        if len(draws) and resampling.interval == "bca":
            without = self.difference(totals[0] - self.sums[0], totals[1] - self.sums[1])
            interval = bca(draws, difference, [without], resampling.confidence)
        elif len(draws):
            interval = percentile(draws, resampling.confidence)
        p_value = nan
        if len(draws):
            bootstrap = procedure.test == "bootstrap"
            null = draws if bootstrap else self._swapped(resampling, workers, totals)
            p_value = bootstrap_p(draws) if bootstrap else permutation_p(difference, null)
        sign = orientation(self.column)
        by_item = sign * (self.item_means[0] - self.item_means[1])
        win, loss = int((by_item > 0).sum()), int((by_item < 0).sum())
        spread = float(by_item.std(ddof=1)) if enough else nan
        return Difference(
            left=self.left,
            right=self.right,
            evaluator=self.column.name,
            left_value=values[0],
            right_value=values[1],
            difference=difference,
            low=interval.low,
            high=interval.high,
            p_value=p_value,
            p_adjusted=nan,
            better=self._better(sign * difference),
            n=len(self),
            n_missing=self.n_missing,
            n_units=self.n_units,
            win=win,
            tie=len(self) - win - loss,
            loss=loss,
            superiority=(win + (len(self) - win - loss) / 2) / len(self) if len(self) else nan,
            effect_size=float(by_item.mean()) / spread if spread > 0 else nan,
            test=procedure.test,
            correction=procedure.correction,
            interval=resampling.interval,
            confidence=resampling.confidence,
            resamples=resampling.resamples,
            seed=resampling.seed,
            reason="" if enough else self._why(),
            signature=signature(
                "difference",
                left=self.left,
                right=self.right,
                evaluator=self.column,
                unit=self.kind,
                test=procedure.test,
                resampling=resampling.with_factors(("items",)),
            ),
        )

    def _better(self, difference: float) -> str:
        if self.column.higher_is_better is None or isnan(difference) or difference == 0:
            return ""
        return self.left if difference > 0 else self.right

    def _why(self) -> str:
        if not self.has_items:
            return "the units have no items, so the two systems cannot be paired"
        return f"{len(self)} items have a score for both systems; 2 are needed"

    def _draws(self, resampling: Resampling, workers: int) -> NDArray[np.float64]:
        def task(block: Block) -> NDArray[np.float64]:
            counts = bootstrap_counts(block.rng(BOOTSTRAP, FACTORS.index("items")), block.size, len(self))
            return self.difference(weighted_sums(counts, self.sums[0]), weighted_sums(counts, self.sums[1]))

        return np.concatenate(map_blocks(task, resampling.resamples, resampling.seed, workers=workers))

    def _swapped(
        self, resampling: Resampling, workers: int, totals: Sequence[NDArray[np.float64]]
    ) -> NDArray[np.float64]:
        def task(block: Block) -> NDArray[np.float64]:
            mask = swaps(block.rng(PERMUTATION, 0), block.size, len(self))
            moved = weighted_sums(mask, self.sums[1] - self.sums[0])
            return self.difference(totals[0] + moved, totals[1] - moved)

        return np.concatenate(map_blocks(task, resampling.resamples, resampling.seed, workers=workers))


def _add(values: NDArray[np.float64], at: NDArray[np.int64], n: int) -> NDArray[np.float64]:
    sums = np.zeros((n, values.shape[1]))
    np.add.at(sums, at, values)
    return sums


def _mean(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum over count, for sums of (1, score)."""
    return np.divide(sums[:, 1], sums[:, 0], out=np.full(len(sums), nan), where=sums[:, 0] > 0)


def _chosen(sample: Sample, systems: Sequence[str]) -> list[str]:
    for name in systems:
        if name not in sample.system_names:
            raise AssayError(f"the scores have no system {name!r}.{did_you_mean(name, sample.system_names)}")
    names = list(dict.fromkeys(systems)) or sample.system_names
    if len(names) < 2:
        raise AssayError(f"two systems are needed for a comparison; there is {', '.join(names) or 'none'}.")
    return names


def _clusters(
    table: ScoreTable, column: Column, names: Sequence[str], pairs: Sequence[Difference], procedure: Procedure
) -> SystemClusters:
    pooled = table.by_system()
    scores = dict(zip(pooled.unit, pooled[column.name].values.tolist(), strict=True))
    sign = orientation(column)
    ranked = sorted((name for name in names if not isnan(scores[name])), key=lambda name: -sign * scores[name])
    different = np.zeros((len(ranked), len(ranked)), bool)
    for pair in pairs:
        if pair.p_adjusted < procedure.alpha and pair.left in ranked and pair.right in ranked:
            a, b = ranked.index(pair.left), ranked.index(pair.right)
            different[a, b] = different[b, a] = True
    found = tuple(tuple(ranked[i] for i in cluster) for cluster in clusters(range(len(ranked)), different))
    return SystemClusters(column.name, procedure.alpha, procedure.correction, found)
