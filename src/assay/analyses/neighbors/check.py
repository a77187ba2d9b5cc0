"""Neighbor estimates of a data set with intervals, and their agreement with known quality."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.analyses.neighbors.baselines import Baseline, baselines, predictions
from assay.analyses.neighbors.neighborhood import EstimateAgreement, Fold, Neighborhood, agreement
from assay.analyses.neighbors.rivals import Rival, rivals
from assay.errors import DataError
from assay.evaluators.neighbors.jackknife import jackknife_plus
from assay.evaluators.neighbors.judged import MOST_TEXTS, Judged
from assay.evaluators.neighbors.rule import Estimates, Rule, check_share, stack_estimates
from assay.evaluators.neighbors.similarity import Similarity
from assay.kernels.pairs.sparse_rows import SparseRows, stack
from assay.kernels.statistics.intervals import NO_INTERVAL, Interval, percentile
from assay.kernels.statistics.resample import Block, bootstrap_counts, map_blocks
from assay.kernels.statistics.weighted import weighted_spearman
from assay.text.strings import Strings

Vector = NDArray[np.float64]
Bank = NDArray[np.bool_] | None

SHOWN = 5
"""Neighbors named for each output."""
TEXTS_AT_ONCE = 2_000


@dataclass(frozen=True, eq=False)
class Checked:
    """Estimates with jackknife+ intervals, and their agreement with known quality beside baselines.

    `neighbors` holds the nearest neighbors of every text: columns are rows of `train`.
    """

    test: Judged
    train: Judged
    similarity: Similarity
    rule: Rule
    fold: Fold | None
    estimates: Estimates
    low: Vector
    high: Vector
    alpha: float
    neighbors: SparseRows
    agreement: EstimateAgreement
    rho_interval: Interval
    baselines: dict[str, Baseline]
    rivals: dict[str, Rival]
    """The mean and the length of a text on the texts that have an estimate."""
    n_judged: int
    """Judged texts in the data, before sampling."""
    n_shared: int
    """Training texts left out because they are also estimated."""


def check(
    test: Judged,
    similarity: Similarity,
    rule: Rule,
    *,
    train: Judged | None = None,
    fold: Fold = "output",
    subsample: float = 1.0,
    alpha: float = 0.1,
    n_resamples: int = 1000,
    most: int = MOST_TEXTS,
    seed: int = 0,
    workers: int = 1,
) -> Checked:
    """Estimate texts from each other, one fold left out at a time, or from separate training texts.

    `subsample` is the share of the training texts to draw neighbors from. Above `most` judged texts that many are
    drawn, since each is compared with each. Intervals come from leave-one-out errors of the training texts; that of
    rho from a percentile bootstrap over texts.
    """
    if train is None:
        known = test.with_quality()
        n_judged, n_shared = len(known), 0
        learnt = known = known.drawn(most, seed)
        estimated = _of_each_other(known, similarity, rule, fold, _draw(len(known), subsample, seed), alpha, workers)
    else:
        known, (learnt, n_shared) = test, _apart(train.with_quality(), test)
        n_judged = len(learnt)
        learnt = learnt.drawn(most, seed)
        estimated = _of_others(known, learnt, similarity, rule, _draw(len(learnt), subsample, seed), alpha, workers)
    apart = None if train is None else learnt
    values = estimated.estimates.values
    return Checked(
        known,
        learnt,
        similarity,
        rule,
        fold if train is None else None,
        estimated.estimates,
        estimated.low,
        estimated.high,
        alpha,
        estimated.neighbors,
        agreement(values, known.quality),
        rho_interval(values, known.quality, n_resamples, seed, workers),
        baselines(known, apart),
        rivals(values, known.quality, predictions(known, apart), known.item, seed),
        n_judged,
        n_shared,
    )


class _Estimated(NamedTuple):
    estimates: Estimates
    low: Vector
    high: Vector
    neighbors: SparseRows


def _of_each_other(
    known: Judged, similarity: Similarity, rule: Rule, fold: Fold, bank: Bank, alpha: float, workers: int
) -> _Estimated:
    near = Neighborhood.among(known, similarity, rule.tau, workers)
    estimates = near.estimate(rule, fold=fold, bank=bank)
    neighbors = near.neighbors(rule, fold=fold, bank=bank)
    errors = np.abs(estimates.values - known.quality)
    own = np.arange(len(known))
    low, high = jackknife_plus(neighbors, estimates.values, known.quality, errors, rule, alpha, own=own)
    return _Estimated(estimates, low, high, neighbors.strongest(SHOWN))


def _of_others(
    known: Judged, learnt: Judged, similarity: Similarity, rule: Rule, bank: Bank, alpha: float, workers: int
) -> _Estimated:
    """Estimate in blocks, to bound memory."""
    # New texts come of new items, so the errors that calibrate their intervals are made without the item's other texts.
    calibration = Neighborhood.among(learnt, similarity, rule.tau, workers).estimate(rule, fold="item", bank=bank)
    errors = np.abs(calibration.values - learnt.quality)
    parts = []
    for start in range(0, max(len(known), 1), TEXTS_AT_ONCE):
        some = known.take(np.arange(start, min(start + TEXTS_AT_ONCE, len(known))))
        near = Neighborhood.between(some, learnt, similarity, rule.tau, workers)
        estimates, neighbors = near.estimate(rule, bank=bank), near.neighbors(rule, bank=bank)
        ends = jackknife_plus(neighbors, estimates.values, learnt.quality, errors, rule, alpha)
        parts.append(_Estimated(estimates, *ends, neighbors.strongest(SHOWN)))
    return _Estimated(
        stack_estimates(part.estimates for part in parts),
        np.concatenate([part.low for part in parts]),
        np.concatenate([part.high for part in parts]),
        stack([part.neighbors for part in parts]),
    )


def rho_interval(estimates: Vector, quality: Vector, n_resamples: int, seed: int, workers: int = 1) -> Interval:
    """The 95% percentile interval of Spearman's rho over resampled texts; NaN for fewer than 3, or no resamples."""
    both = ~np.isnan(estimates) & ~np.isnan(quality)
    if both.sum() < 3 or not n_resamples:
        return NO_INTERVAL
    column, target = estimates[both][:, None], np.round(quality[both], 12)

    def resample(block: Block) -> Vector:
        return weighted_spearman(column, target)(bootstrap_counts(block.rng(), block.size, len(target)))[:, 0]

    return percentile(np.concatenate(map_blocks(resample, n_resamples, seed, workers=workers)))


def _apart(train: Judged, test: Judged) -> tuple[Judged, int]:
    """The training texts that are not also estimated, and how many are."""
    codes = Strings.concatenate([test.texts, train.texts]).factorize()[0]
    new = ~np.isin(codes[len(test) :], codes[: len(test)])
    if new.sum() < 2:
        raise DataError(
            f"{len(train)} training texts have a quality and {int(new.sum())} of them are not to be estimated "
            "themselves; neighbors need at least 2."
        )
    return train.take(np.flatnonzero(new)), int((~new).sum())


def _draw(n: int, share: float, seed: int) -> Bank:
    check_share("subsample", share)
    if share == 1:
        return None
    bank = np.zeros(n, bool)
    bank[np.random.default_rng(seed).choice(n, max(1, round(share * n)), replace=False)] = True
    return bank
