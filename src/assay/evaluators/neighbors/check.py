"""The whole answer for a data set: an estimate, an interval or a reason per text, and how far to trust them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.errors import DataError
from assay.evaluators.neighbors.baselines import Baseline, baselines
from assay.evaluators.neighbors.jackknife import jackknife_plus
from assay.evaluators.neighbors.judged import Judged
from assay.evaluators.neighbors.neighborhood import Agreement, Fold, Neighborhood
from assay.evaluators.neighbors.rule import Estimates, Rule, check_share
from assay.evaluators.neighbors.similarity import Similarity
from assay.kernels.intervals import NO_INTERVAL, Interval, percentile
from assay.kernels.resample import Block, bootstrap_counts, map_blocks
from assay.kernels.sparse_rows import SparseRows
from assay.kernels.weighted import weighted_spearman
from assay.text.strings import Strings

Vector = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Check:
    """Estimates with jackknife+ intervals, and their agreement with what is known beside the baselines.

    `neighbors` holds the neighbours of every text: columns are rows of `train`.
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
    found: Agreement
    rho_interval: Interval
    baselines: dict[str, Baseline]
    n_shared: int
    """Training texts that were left out because they are to be estimated as well."""


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
    seed: int = 0,
    workers: int = 1,
) -> Check:
    """Estimate texts from each other, one fold left out at a time, or from separate training texts.

    `subsample` is the share of the training texts to draw neighbours from. Intervals come from leave-one-out
    errors of the training texts; that of rho from a percentile bootstrap over texts.
    """
    if not 0 < alpha < 1:
        raise DataError(f"alpha must be between 0 and 1. Got {alpha:g} instead.")
    n_shared = 0
    if train is None:
        known = test.with_quality()
        near = Neighborhood.among(known, similarity, rule.tau, workers)
        calibration, alone = near, True
    else:
        known, (learnt, n_shared), alone = test, _apart(train.with_quality(), test), False
        near = Neighborhood.between(known, learnt, similarity, rule.tau, workers)
        calibration = Neighborhood.among(learnt, similarity, rule.tau, workers)
        fold = "output"
    bank = _draw(len(near.train), subsample, seed)
    counted = near.counted(rule, fold=fold, bank=bank)
    estimates = counted.estimates(rule)
    calibrated = counted if alone else calibration.counted(rule, fold=fold, bank=bank)
    errors = np.abs(calibrated.estimates(rule).values - near.train.quality)
    neighbors = near.neighbors(rule, fold=fold, bank=bank)
    own = np.arange(len(known)) if alone else None
    low, high = jackknife_plus(neighbors, estimates.values, near.train.quality, errors, rule, alpha, own=own)
    return Check(
        known,
        near.train,
        similarity,
        rule,
        fold if alone else None,
        estimates,
        low,
        high,
        alpha,
        neighbors,
        near.agreement(counted, rule),
        rho_interval(estimates.values, known.quality, n_resamples, seed, workers),
        baselines(known, None if alone else near.train),
        n_shared,
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
    """The training texts that are not to be estimated themselves, and how many are."""
    codes = Strings.concatenate([test.texts, train.texts]).factorize()[0]
    new = ~np.isin(codes[len(test) :], codes[: len(test)])
    if new.sum() < 2:
        raise DataError(
            f"{len(train)} training texts have a quality and {int(new.sum())} of them are not to be estimated "
            "themselves; neighbours need at least 2."
        )
    return train.take(np.flatnonzero(new)), int((~new).sum())


def _draw(n: int, share: float, seed: int) -> NDArray[np.bool_] | None:
    check_share("subsample", share)
    if share == 1:
        return None
    bank = np.zeros(n, bool)
    bank[np.random.default_rng(seed).choice(n, max(1, round(share * n)), replace=False)] = True
    return bank
