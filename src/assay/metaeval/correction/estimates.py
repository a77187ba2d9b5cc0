"""Corrected means with what they are worth: intervals, differences, ranks, coverage on the labels, labels to come."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from itertools import combinations
from math import ceil, nan

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from assay.kernels.statistics.prediction_powered import Corrected, LabeledSample, Population, corrected
from assay.kernels.statistics.significance import holm
from assay.metaeval.correction.labels import LabeledUnits

Floats = NDArray[np.float64]
LEAST_TRIED = 20
"""Labels that are needed to try the method on half of them."""


@dataclass(frozen=True)
class GroupMean:
    """The corrected mean of one system (or the win rate of a pair), beside the plain one and the judge's own.

    `worth` is how many plain labels one label is worth here, `labels_to_halve` how many labels in all make the interval
    half as wide (None if none do), and the rank interval holds for all systems at once.
    """

    group: str
    value: float
    low: float
    high: float
    n: int
    n_units: int
    plain: float
    plain_low: float
    plain_high: float
    judge: float
    worth: float
    labels_to_halve: int | None
    rank_low: int
    rank_high: int
    reason: str


@dataclass(frozen=True)
class GroupDifference:
    """Left minus right, with an interval, and p adjusted for all pairs (Holm); NaN without a standard error."""

    left: str
    right: str
    value: float
    low: float
    high: float
    p_value: float
    p_adjusted: float


@dataclass(frozen=True)
class Tried:
    """The method on halves of the labels: how often the interval held the mean of all labels."""

    coverage: float
    plain_coverage: float
    width_ratio: float
    draws: int


@dataclass(frozen=True)
class Correction:
    """All estimates of one criterion."""

    units: LabeledUnits
    population: Population
    weight: float
    n_floored: int
    means: tuple[GroupMean, ...]
    differences: tuple[GroupDifference, ...]
    tried: Tried | None


def estimates(
    units: LabeledUnits,
    *,
    population: Population = "these",
    alpha: float = 0.05,
    confidence: float = 0.95,
    draws: int = 500,
    seed: int = 0,
) -> Correction:
    """Estimate the mean of every group, all differences and ranks, and try the method on the labels."""
    sample, n_groups = units.sample(seed), len(units.groups)
    powered, plain = (corrected(sample, n_groups, weight=w, population=population) for w in (None, 0.0))
    of_labels = powered.variance if population == "these" else corrected(sample, n_groups).variance
    differences = _differences(units, powered, confidence)
    return Correction(
        units=units,
        population=population,
        weight=powered.weight,
        n_floored=int(np.count_nonzero(powered.floor)),
        means=_means(units, sample, powered, plain, of_labels, differences, alpha, confidence),
        differences=differences,
        tried=_tried(sample, units.bounded, n_groups, confidence, draws, seed),
    )


def _means(
    units: LabeledUnits,
    sample: LabeledSample,
    powered: Corrected,
    plain: Corrected,
    of_labels: Floats,
    differences: tuple[GroupDifference, ...],
    alpha: float,
    confidence: float,
) -> tuple[GroupMean, ...]:
    n_groups = len(units.groups)
    n_all = np.bincount(sample.group, minlength=n_groups)
    n = np.bincount(sample.group[sample.labeled], minlength=n_groups)
    judged = np.bincount(sample.group, units.predictions[:, 0], n_groups) / np.maximum(n_all, 1)
    low, high = map(units.bounded, powered.intervals(confidence))
    plain_low, plain_high = map(units.bounded, plain.intervals(confidence))
    value = units.bounded(powered.mean)
    worth = np.divide(plain.variance, powered.variance, out=np.full(n_groups, nan), where=powered.variance > 0)
    settled = {name for at, name in enumerate(units.groups) if n[at] == n_all[at] and not powered.variance[at] > 0}
    ranks = _rank_intervals(units.groups, differences, alpha, settled)
    return tuple(
        GroupMean(
            group=name,
            value=float(value[at]),
            low=float(low[at]),
            high=float(high[at]),
            n=int(n[at]),
            n_units=int(n_all[at]),
            plain=float(plain.mean[at]),
            plain_low=float(plain_low[at]),
            plain_high=float(plain_high[at]),
            judge=float(judged[at]) if units.raw else nan,
            worth=float(worth[at]) if powered.freedom[at] > 0 else nan,
            labels_to_halve=_labels_to_halve(
                float(powered.variance[at]), float(of_labels[at]), int(n[at]), int(n_all[at])
            )
            if powered.freedom[at] > 0
            else None,
            rank_low=ranks[name][0],
            rank_high=ranks[name][1],
            reason=_reason(powered, at, int(n[at]), int(n_all[at])),
        )
        for at, name in enumerate(units.groups)
    )


def _reason(powered: Corrected, at: int, n: int, n_all: int) -> str:
    if powered.freedom[at] <= 0:
        return f"too few labels ({n}): a mean needs labels of two items in every stratum"
    if powered.variance[at] > 0:
        return ""
    return "every output is labeled" if n == n_all else "labels do not vary, and the criterion declares no scale"


def _labels_to_halve(variance: float, of_labels: float, n: int, n_all: int) -> int | None:
    """Labels in all for a quarter of the variance. Only the part due to the draw of labels falls, as 1/n - 1/n_all."""
    if n >= n_all or of_labels <= 0:
        return None
    unavoidable = variance - of_labels
    left = variance / 4 - unavoidable
    if left < 0:
        return None
    return ceil(1 / (left / of_labels * (1 / n - 1 / n_all) + 1 / n_all))


def _differences(units: LabeledUnits, powered: Corrected, confidence: float) -> tuple[GroupDifference, ...]:
    pairs = [pair for pair in combinations(range(len(units.groups)), 2) if (powered.freedom[list(pair)] > 0).all()]
    compared = [powered.difference(*pair) for pair in pairs]
    p_values = np.array([2 * stdtr(free, -abs(d) / e) if e > 0 else nan for d, e, free in compared])
    adjusted = holm(p_values)
    reach = [stdtrit(free, (1 + confidence) / 2) * e if e > 0 else nan for _, e, free in compared]
    return tuple(
        GroupDifference(units.groups[a], units.groups[b], d, d - r, d + r, float(p), float(q))
        for (a, b), (d, _, _), r, p, q in zip(pairs, compared, reach, p_values, adjusted, strict=True)
    )


def _rank_intervals(
    groups: tuple[str, ...], differences: tuple[GroupDifference, ...], alpha: float, settled: Collection[str]
) -> dict[str, tuple[int, int]]:
    """From 1 + the systems that are significantly better to the number of those that are not worse.

    Of two systems that are `settled`, every output being labeled, the better one is known.
    """
    better, worse = dict.fromkeys(groups, 0), dict.fromkeys(groups, 0)
    for one in differences:
        known = one.left in settled and one.right in settled and one.value != 0
        if known or one.p_adjusted <= alpha:
            winner, loser = (one.left, one.right) if one.value > 0 else (one.right, one.left)
            better[loser] += 1
            worse[winner] += 1
    return {name: (1 + better[name], len(groups) - worse[name]) for name in groups}


def _tried(
    sample: LabeledSample, bounded: Callable[[Floats], Floats], n_groups: int, confidence: float, draws: int, seed: int
) -> Tried | None:
    """Take the labeled units for all there are, forget half of the labels, and estimate their mean."""
    rows = np.flatnonzero(sample.labeled)
    if len(rows) < LEAST_TRIED or not draws:
        return None
    rng = np.random.default_rng(seed)
    n = np.bincount(sample.group[rows], minlength=n_groups)
    truth = np.bincount(sample.group[rows], sample.label[rows], n_groups) / np.maximum(n, 1)
    held: dict[str, list[float]] = {"powered": [], "plain": []}
    widths: dict[str, list[float]] = {"powered": [], "plain": []}
    cell = sample.group[rows] * (sample.stratum.max() + 1) + sample.stratum[rows]
    for _ in range(draws):
        keep = np.zeros(len(sample.label), np.bool_)
        # Every second unit of each group and stratum in a random order.
        order = rng.permutation(len(rows))
        order = order[np.argsort(cell[order], kind="stable")]
        keep[rows[order[::2]]] = True
        trial = sample.relabeled(keep)
        for name, weight in (("powered", None), ("plain", 0.0)):
            low, high = map(bounded, corrected(trial, n_groups, weight=weight).intervals(confidence))
            known = ~np.isnan(low)
            held[name] += ((low <= truth) & (truth <= high))[known].tolist()
            widths[name] += (high - low)[known].tolist()
    if not held["powered"]:
        return None
    ratio = float(np.sum(widths["powered"]) / np.sum(widths["plain"]))
    return Tried(float(np.mean(held["powered"])), float(np.mean(held["plain"])), ratio, draws)
