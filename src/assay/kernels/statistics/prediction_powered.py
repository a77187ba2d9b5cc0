"""Means from few labels and many predictions: prediction-powered inference with a tuned weight (PPI++).

Angelopoulos, Duchi and Zrnic (2023), "PPI++: Efficient prediction-powered inference". The mean of a group is that of
its predictions, weighted by lambda, plus the mean error on labeled units. Written with the mean over all units instead
of the unlabeled ones, the same estimate is the difference estimator of survey sampling (Cassel, Särndal and Wretman
1976), whose variance over the draw of labels is smaller: once all texts are labeled there is no sampling error.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from assay.kernels.statistics.student import untransformed

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Population = Literal["these", "new"]
"""Whom the interval is about: the units that are here, or new ones of the same kind."""
MOST_LEVERAGE = 0.25
SKEWNESS_KEPT = 0.8
"""Of the skewness that is seen. Chosen on two of the sixteen cases of docs/correct.md, whose labels pile up at an end
of their scale: all of it held the mean in 97.5% of draws of 100 labels, none of it in 92%, this in 95.5%."""


@dataclass(frozen=True, eq=False)
class LabeledSample:
    """One row per unit: its group, cluster and stratum, its label (NaN if none) and its prediction.

    `probability` is that of being labeled, NaN where the labels are a uniform sample within group and stratum.
    `typical` is the size of a typical deviation of a label, for the floor of variances.
    """

    group: Codes
    cluster: Codes
    stratum: Codes
    label: Floats
    prediction: Floats
    probability: Floats
    typical: float

    @property
    def labeled(self) -> NDArray[np.bool_]:
        """Which units have a label."""
        return ~np.isnan(self.label)

    def relabeled(self, keep: NDArray[np.bool_]) -> LabeledSample:
        """The labeled units alone, of which only those to keep have their label: to try the method on."""
        rows = np.flatnonzero(self.labeled)
        label = np.where(keep[rows], self.label[rows], np.nan)
        parts = (self.group[rows], self.cluster[rows], self.stratum[rows], label, self.prediction[rows])
        return LabeledSample(*parts, np.full(len(rows), np.nan), self.typical)


class Corrected(NamedTuple):
    """Means of groups, and the influence of each cluster on them (clusters by groups).

    `floor` is what is added to the variance of a group where residuals vary less than so few labels can show. `freedom`
    is 0 where a group has too few labels: its mean is NaN.
    """

    mean: Floats
    influence: Floats
    floor: Floats
    freedom: Floats
    labeled_share: Floats
    skewness: Floats
    weight: float

    @property
    def variance(self) -> Floats:
        """The variance of each mean."""
        return (self.influence**2).sum(axis=0) + self.floor

    def intervals(self, confidence: float) -> tuple[Floats, Floats]:
        """The ends of an interval of each mean; NaN without degrees of freedom.

        Student's t with Hall's correction for skewness: labels pile up at one end of a scale.
        """
        low, high = np.full(len(self.mean), np.nan), np.full(len(self.mean), np.nan)
        for group in np.flatnonzero((self.freedom > 0) & (self.variance > 0)):
            n, error = self.freedom[group] + 1, np.sqrt(self.variance[group])
            quantile = float(stdtrit(self.freedom[group], (1 + confidence) / 2))
            reach = quantile / np.sqrt(n)
            seen = SKEWNESS_KEPT * float(self.skewness[group] * np.sqrt(n))
            skewness = seen * _finite(quantile, self.labeled_share[group])
            low[group], high[group] = (
                self.mean[group] - error * np.sqrt(n) * untransformed(side * reach, skewness, int(n))
                for side in (1, -1)
            )
        return low, high

    def difference(self, left: int, right: int) -> tuple[float, float, float]:
        """Left minus right: the difference, its standard error and the degrees of freedom."""
        influence = self.influence[:, left] - self.influence[:, right]
        variance = float((influence**2).sum() + self.floor[left] + self.floor[right])
        freedom = float(min(self.freedom[left], self.freedom[right]))
        return float(self.mean[left] - self.mean[right]), float(np.sqrt(variance)), freedom


def _skewness(influence: Floats) -> Floats:
    """The skewness of each mean, from the influences of clusters."""
    return _divided((influence**3).sum(axis=0), (influence**2).sum(axis=0) ** 1.5)


def _finite(quantile: float, share: float) -> float:
    """What the skewness of Student's t shrinks by at a quantile when a share of the population is drawn.

    The first term of the Edgeworth expansion (Babu and Singh 1985), relative to that of an infinite population.
    """
    square = quantile**2
    drawn = 3 * (1 - share) * square - (1 - 2 * share) * (square - 1)
    return float(drawn / (np.sqrt(1 - share) * (2 * square + 1))) if share < 1 else 0.0


class _Cells(NamedTuple):
    """Groups crossed with strata: units, labels and labeled clusters in each, and means over them."""

    code: Codes
    group: Codes
    n_all: Floats
    n_labeled: Floats
    n_clusters: Floats
    share: Floats

    def total(self, values: Floats, rows: Codes) -> Floats:
        return _sums(self.code[rows], values, len(self.group))


def corrected(
    sample: LabeledSample, n_groups: int, *, weight: float | None = None, population: Population = "these"
) -> Corrected:
    """Estimate the mean label of each group; `weight` is lambda, by default the one with the least variance."""
    cells, rows = _cells(sample, n_groups), np.flatnonzero(sample.labeled)
    design = _design_weights(sample, cells, rows)
    of_cell = cells.total(design, rows)
    everyone = np.arange(len(sample.label))
    n_unlabeled = cells.n_all - cells.n_labeled
    tuned = weight is None
    if weight is None:
        weight = _tuned(sample, cells, rows, design)
    # The weight on the mean over all units that equals `weight` on the mean over the unlabeled ones.
    slope = _divided(weight * cells.n_all, n_unlabeled)
    residual = sample.label[rows] - slope[cells.code[rows]] * sample.prediction[rows]
    mean_residual = _divided(cells.total(design * residual, rows), of_cell)
    mean_prediction = _divided(cells.total(sample.prediction, everyone), cells.n_all)
    usable = _usable(cells, n_groups)
    mean = np.bincount(cells.group, cells.share * (mean_residual + slope * mean_prediction), n_groups)
    code = cells.code[rows]
    drawn = cells.share[code] * _divided(design, of_cell[code]) * (residual - mean_residual[code])
    skewness = _skewness(_by_cluster(sample, drawn, rows, n_groups))
    drawn *= np.sqrt(_divided(cells.n_clusters, cells.n_clusters - 1))[code]
    if tuned and weight > 0:
        drawn /= 1 - _leverage(sample, cells, rows)
    if population == "these":
        drawn *= np.sqrt(np.maximum(1.0 - 1.0 / design, 0.0))
    influence = _by_cluster(sample, drawn, rows, n_groups)
    if tuned and weight > 0:
        # A few unusual predictions that decide lambda must not make intervals wider than without predictions.
        plain = corrected(sample, n_groups, weight=0.0, population=population).influence
        influence /= np.sqrt(np.maximum(_divided((influence**2).sum(), (plain**2).sum()), 1.0))
    if population == "new":
        own = _divided(cells.share * slope, cells.n_all)[cells.code]
        influence += _by_cluster(sample, own * (sample.prediction - mean_prediction[cells.code]), everyone, n_groups)
    floor = np.maximum(_least(sample, cells, n_groups, population) - (influence**2).sum(axis=0), 0.0)
    freedom = np.bincount(cells.group, cells.n_clusters - 1.0, n_groups)
    return Corrected(
        mean=np.where(usable, mean, np.nan),
        influence=influence,
        floor=floor,
        freedom=np.where(usable, np.maximum(freedom, 0.0), 0.0),
        labeled_share=_labeled_share(cells, n_groups) if population == "these" else np.zeros(n_groups),
        skewness=skewness,
        weight=weight,
    )


def _cells(sample: LabeledSample, n_groups: int) -> _Cells:
    n_strata = int(sample.stratum.max(initial=0)) + 1
    keys, code = np.unique(sample.group * n_strata + sample.stratum, return_inverse=True)
    code = code.ravel().astype(np.int64)
    group, labeled = keys // n_strata, sample.labeled
    n_all = np.bincount(code, minlength=len(keys)).astype(np.float64)
    n_clusters = int(sample.cluster.max(initial=0)) + 1
    clusters = np.unique(code[labeled] * n_clusters + sample.cluster[labeled]) // n_clusters
    return _Cells(
        code,
        group,
        n_all,
        np.bincount(code[labeled], minlength=len(keys)).astype(np.float64),
        np.bincount(clusters, minlength=len(keys)).astype(np.float64),
        n_all / np.bincount(group, n_all, n_groups)[group],
    )


def _labeled_share(cells: _Cells, n_groups: int) -> Floats:
    labeled, units = (_sums(cells.group, n, n_groups) for n in (cells.n_labeled, cells.n_all))
    return _divided(labeled, units)


def _usable(cells: _Cells, n_groups: int) -> NDArray[np.bool_]:
    """Groups with units, in which every stratum has labels of two clusters."""
    has_units = np.bincount(cells.group, minlength=n_groups) > 0
    return has_units & (np.bincount(cells.group, cells.n_clusters < 2, n_groups) == 0)


def _design_weights(sample: LabeledSample, cells: _Cells, rows: Codes) -> Floats:
    """How many units each labeled one stands for."""
    uniform = _divided(cells.n_all, cells.n_labeled)[cells.code[rows]]
    given = sample.probability[rows]
    return np.where(np.isnan(given), uniform, 1.0 / np.where(np.isnan(given), 1.0, given))


def _tuned(sample: LabeledSample, cells: _Cells, rows: Codes, design: Floats) -> float:
    """Lambda with the least sum of variances over groups, between 0 and 1."""
    code, f = cells.code, sample.prediction
    weights = _divided(design, cells.total(design, rows)[code[rows]])
    means = [cells.total(weights * values[rows], rows) for values in (sample.label, f)]
    deviations = [values[rows] - mean[code[rows]] for values, mean in zip((sample.label, f), means, strict=True)]
    covariance = cells.total(weights * deviations[0] * deviations[1], rows)
    everyone = np.arange(len(f))
    centered = f - _divided(cells.total(f, everyone), cells.n_all)[code]
    variance = _divided(cells.total(centered**2, everyone), cells.n_all - 1)
    unlabeled = cells.n_all - cells.n_labeled
    usable = (cells.n_labeled > 1) & (unlabeled > 0)
    gain = np.where(usable, cells.share**2 * _divided(covariance, cells.n_labeled), 0.0).sum()
    inverse = _divided(np.ones(len(unlabeled)), cells.n_labeled) + _divided(np.ones(len(unlabeled)), unlabeled)
    cost = np.where(usable, cells.share**2 * variance * inverse, 0.0).sum()
    return float(np.clip(gain / cost, 0.0, 1.0)) if cost > 0 else 0.0


def _leverage(sample: LabeledSample, cells: _Cells, rows: Codes) -> Floats:
    """How far each label decides lambda, so that its own residual is too small, as in a regression (HC3).

    Bounded: a single unusual prediction must not make an interval wider than without predictions.
    """
    code, prediction = cells.code[rows], sample.prediction[rows]
    mean = _divided(cells.total(prediction, rows), cells.n_labeled)
    squares = (prediction - mean[code]) ** 2
    return np.minimum(_divided(squares, np.full(len(rows), squares.sum())), MOST_LEVERAGE)


def _least(sample: LabeledSample, cells: _Cells, n_groups: int, population: Population) -> Floats:
    """The least variance of a mean: as if 2 of n + 4 residuals were of typical size (Agresti and Coull's rule).

    Residuals that are all 0 in a few labels do not show that the predictions are perfect.
    """
    share = _divided(cells.n_labeled, cells.n_all) if population == "these" else np.zeros(len(cells.n_all))
    spread = sample.typical**2 * 2 / (cells.n_labeled + 4) * (1 - share)
    return _sums(cells.group, cells.share**2 * _divided(spread, cells.n_labeled), n_groups)


def _by_cluster(sample: LabeledSample, values: Floats, rows: Codes, n_groups: int) -> Floats:
    n_clusters = int(sample.cluster.max(initial=0)) + 1
    cell = sample.cluster[rows] * n_groups + sample.group[rows]
    return _sums(cell, values, n_clusters * n_groups).reshape(n_clusters, n_groups)


def _sums(groups: Codes, values: Floats, n: int) -> Floats:
    return np.bincount(groups, values, n).astype(np.float64)


def _divided(numerator: Floats, denominator: Floats) -> Floats:
    """The quotient, 0 where the denominator is not above 0."""
    shape = np.broadcast(numerator, denominator).shape
    return np.divide(numerator, denominator, out=np.zeros(shape), where=np.asarray(denominator) > 0)
