"""Each annotator against the mean of all annotators: the human baseline for automatic estimates."""

from __future__ import annotations

from math import nan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.kernels.statistics.grouped import grouped_means, grouped_spearman

Vector = NDArray[np.float64]


class AgainstMean(NamedTuple):
    """Per annotator: squared error and Spearman's rho against the mean, and the number of units.

    Both are NaN without units; rho also for an annotator who always gave the same answer.
    """

    mse: Vector
    rho: Vector
    n: NDArray[np.int64]


def against_mean(
    unit: NDArray[Any],
    annotator: NDArray[Any],
    value: NDArray[Any],
    n_annotators: int,
    *,
    own_vote: bool,
) -> AgainstMean:
    """Compare each annotator's answers with the mean answer to the same units.

    `own_vote` includes the annotator's own answer in that mean, as in Ethayarajh & Sadigh (2020). Without it, units
    that nobody else answered are left out. Sums come before divisions, so that equal means of integer answers are equal
    to the last bit.
    """
    n_units = int(unit.max(initial=-1)) + 1
    sums = np.bincount(unit, weights=value, minlength=n_units)[unit]
    counts = np.bincount(unit, minlength=n_units)[unit]
    if not own_vote:
        sums, counts = sums - value, counts - 1
    order = np.argsort(annotator, kind="stable")
    order = order[counts[order] > 0]
    offsets = np.searchsorted(annotator[order], np.arange(n_annotators + 1))
    answers, means = value[order].astype(np.float64), sums[order] / counts[order]
    once = np.ones((1, n_units), np.int32)
    mse = grouped_means(offsets, unit[order], (answers - means) ** 2)(once)[0]
    rho = grouped_spearman(offsets, unit[order], answers, means)(once)[0]
    return AgainstMean(mse, rho, np.diff(offsets))


class Summary(NamedTuple):
    """The best and the average annotator. Best MSE and best rho may be different people's."""

    best_mse: float
    best_rho: float
    average_mse: float
    average_rho: float


def summarize(per_annotator: AgainstMean, *, constant_as_zero: bool) -> Summary:
    """Summarize over annotators.

    A rho that is undefined although the annotator judged two units or more, because all answers or all means are equal,
    counts as 0 in the average if `constant_as_zero`, else not at all.
    """
    rho = (
        np.where(np.isnan(per_annotator.rho) & (per_annotator.n > 1), 0.0, per_annotator.rho)
        if constant_as_zero
        else per_annotator.rho
    )
    mse = per_annotator.mse[~np.isnan(per_annotator.mse)]
    ranked, counted = per_annotator.rho[~np.isnan(per_annotator.rho)], rho[~np.isnan(rho)]
    return Summary(
        float(mse.min()) if len(mse) else nan,
        float(ranked.max()) if len(ranked) else nan,
        float(mse.mean()) if len(mse) else nan,
        float(counted.mean()) if len(counted) else nan,
    )
