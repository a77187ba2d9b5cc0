"""Optimal classification accuracy (OCA), the best accuracy of any single threshold (Tevet and Berant 2021).

The maximum over thresholds on one sample is optimistic: an uninformative metric has an OCA above one half, and so do
its resamples, so a bootstrap interval misses the truth. `accuracy_bounds` gives an interval for the best accuracy in
the population, by bounds for the maximum of an estimated function (Chernozhukov, Lee and Rosen 2013, "Intersection
bounds: estimation and inference").
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

MOST_THRESHOLDS = 200
"""Maximum thresholds considered, spread evenly over the sorted scores: adjacent ones are nearly equivalent."""


class Bounds(NamedTuple):
    """OCA corrected for optimism (at most median-unbiased), and the ends of an interval."""

    corrected: float
    low: float
    high: float


def best_threshold(scores: NDArray[np.float64], labels: NDArray[np.bool_]) -> tuple[float, float]:
    """Return (accuracy, threshold) of the best rule "true if the score is above the threshold".

    Candidates are minus infinity and every score (the largest acts as plus infinity); ties go to the smallest. The
    accuracy is never below the share of the larger class. (NaN, NaN) without scores.
    """
    n = len(scores)
    if not n:
        return np.nan, np.nan
    order = np.argsort(scores, kind="stable")
    ordered = scores[order]
    positives = np.cumsum(labels[order])
    ends = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True))
    # Threshold at a distinct score: scores up to it are classified false, the rest true.
    below = ends + 1
    correct = (below - positives[ends]) + (positives[-1] - positives[ends])
    correct = np.concatenate([[positives[-1]], correct])
    thresholds = np.concatenate([[-np.inf], ordered[ends]])
    best = int(correct.argmax())
    return float(correct[best] / n), float(thresholds[best])


def accuracy_bounds(
    scores: NDArray[np.float64],
    labels: NDArray[np.bool_],
    groups: NDArray[np.int64],
    n_groups: int,
    confidence: float,
    draws: int,
    rng: np.random.Generator,
) -> Bounds:
    """Interval for the population accuracy of the best threshold; `groups` are clusters.

    High end: the sample accuracy of the best threshold is off by no more than its own error, so the maximum of accuracy
    plus error over all thresholds is an upper bound. Low end: the maximum of accuracy minus `k` errors, where `k` is a
    quantile of the largest error over thresholds, without those that are clearly not the best. Errors are drawn from
    their joint distribution, Student's t with (groups - 1) degrees of freedom. Both ends are conservative. One of the
    infinities always reaches one half.
    """
    accuracy, errors, directions = _accuracies(scores, labels, groups, n_groups)
    best = best_threshold(scores, labels)[0]
    # The subset of thresholds may have missed the very best one.
    accuracy[accuracy.argmax()] = best
    varying = errors > 1e-9
    fixed = accuracy[~varying].max(initial=0.5)
    if not varying.any():
        return Bounds(fixed, fixed, fixed)
    accuracy, errors, directions = accuracy[varying], errors[varying], directions[:, varying] / errors[varying]
    chi = rng.chisquare(n_groups - 1, (draws, 1)) / (n_groups - 1)
    errors_drawn = rng.standard_normal((draws, len(directions))) @ directions / np.sqrt(chi)

    def lowest(k: float) -> float:
        return max(float((accuracy - k * errors).max()), fixed)

    first = float(np.quantile(errors_drawn.max(axis=1), 1 - 0.1 / np.log(max(len(scores), 3))))
    near_best = accuracy >= lowest(first) - 2 * first * errors
    reached = errors_drawn[:, near_best].max(axis=1) if near_best.any() else np.zeros(1)
    middle, far = np.quantile(reached, [0.5, (1 + confidence) / 2])
    high = float((accuracy + stdtrit(n_groups - 1, (1 + confidence) / 2) * errors).max())
    return Bounds(lowest(max(middle, 0.0)), lowest(max(far, 0.0)), min(1.0, max(high, fixed)))


def _accuracies(
    scores: NDArray[np.float64], labels: NDArray[np.bool_], groups: NDArray[np.int64], n_groups: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Accuracy, standard error and a root of the covariance (rows, thresholds), at both infinities and some scores.

    Between the infinities an error is at least that of Agresti and Coull (1998: two more units of each kind), so that a
    few sets that are all correct do not give an error of 0.
    """
    n = len(scores)
    ordered = np.unique(scores)
    if len(ordered) > MOST_THRESHOLDS:
        ordered = ordered[np.linspace(0, len(ordered) - 1, MOST_THRESHOLDS).round().astype(np.int64)]
    thresholds = np.concatenate([[-np.inf], ordered])
    order = np.argsort(groups, kind="stable")
    correct = ((scores[order, None] > thresholds) == labels[order, None]).astype(np.float64)
    accuracy = correct.mean(axis=0)
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    sums = np.add.reduceat(correct - accuracy, starts, axis=0) * (np.sqrt(n_groups / (n_groups - 1)) / n)
    variance = np.sum(sums * sums, axis=0)
    share = (accuracy * n + 2) / (n + 4)
    # The last score acts as plus infinity.
    variance[1:-1] = np.maximum(variance, share * (1 - share) / (n + 4))[1:-1]
    root = np.asarray(np.linalg.qr(sums, mode="r")) if len(sums) > len(thresholds) else sums
    return accuracy, np.sqrt(variance), root
