"""Calibration of a binary classifier: Platt scaling, and measures of how true its probabilities are."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.kernels.statistics.rank import average_ranks

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

N_BINS = 10
STEPS = 100


class Scaling(NamedTuple):
    """The probability of a margin m is 1 / (1 + exp(-(slope * m + intercept)))."""

    slope: float
    intercept: float

    def probability(self, margins: Floats) -> Floats:
        """The probabilities of some margins."""
        return sigmoid(self.slope * margins + self.intercept)


def sigmoid(log_odds: Floats) -> Floats:
    """1 / (1 + exp(-x)) without overflow."""
    small = np.exp(-np.abs(log_odds))
    return np.asarray(np.where(log_odds >= 0, 1.0, small) / (1.0 + small))


def platt_scaling(margins: Floats, positive: Mask, weights: Floats, least_spread: float = 0.01) -> Scaling:
    """Fit probabilities to held-out margins by weighted logistic regression with Platt's smoothed targets (1999).

    Where margins do not rise with the class, a falling curve would reverse the classifier. The slope is then
    `least_spread` per standard deviation: the order stays, and all probabilities are next to one half.
    """
    spread, middle = float(margins.std()), float(margins.mean())
    if spread == 0.0:
        spread = 1.0
    standard = (margins - middle) / spread
    n_positive, n_negative = float(positive.sum()), float((~positive).sum())
    target = np.where(positive, (n_positive + 1) / (n_positive + 2), 1 / (n_negative + 2))
    slope, intercept = _logistic(standard, target, weights)
    if not slope > least_spread:
        slope, intercept = least_spread, 0.0
    return Scaling(slope / spread, intercept - slope * middle / spread)


def _logistic(x: Floats, target: Floats, weights: Floats) -> tuple[float, float]:
    """Newton's method with step halving; smoothed targets keep the optimum finite."""
    design = np.column_stack([x, np.ones(len(x))])
    solution = np.zeros(2)
    loss = _loss(design @ solution, target, weights)
    for _ in range(STEPS):
        p = sigmoid(design @ solution)
        gradient = design.T @ (weights * (p - target))
        curvature = (design * (weights * p * (1 - p))[:, None]).T @ design + 1e-10 * np.eye(2)
        step = np.linalg.solve(curvature, gradient)
        while True:
            moved = solution - step
            smaller = _loss(design @ moved, target, weights)
            if smaller <= loss or np.abs(step).max() < 1e-12:
                break
            step = step / 2
        solution, improvement = moved, loss - smaller
        loss = smaller
        if improvement < 1e-12 * max(1.0, abs(loss)):
            break
    return float(solution[0]), float(solution[1])


def _loss(log_odds: Floats, target: Floats, weights: Floats) -> float:
    return float(np.sum(weights * (np.logaddexp(0.0, log_odds) - target * log_odds)))


def balanced_weights(positive: Mask) -> Floats:
    """Weights of mean 1 that give both classes the same total."""
    shares = np.where(positive, positive.mean(), 1 - positive.mean())
    return np.asarray(0.5 / shares)


def area_under_curve(scores: Floats, positive: Mask) -> float:
    """The probability that a random positive scores above a random negative, ties counting half; NaN for one class."""
    n_positive = int(positive.sum())
    n_negative = len(positive) - n_positive
    if not n_positive or not n_negative:
        return float("nan")
    above = average_ranks(scores)[positive].sum() - n_positive * (n_positive + 1) / 2
    return float(above / (n_positive * n_negative))


def brier_score(probabilities: Floats, positive: Mask, weights: Floats) -> float:
    """The weighted mean squared difference of probability and outcome."""
    return float(np.average((probabilities - positive) ** 2, weights=weights))


def log_loss(probabilities: Floats, positive: Mask, weights: Floats) -> float:
    """The weighted mean of minus the log of the probability of what is true."""
    return float(np.average(-np.log(np.where(positive, probabilities, 1 - probabilities)), weights=weights))


class Reliability(NamedTuple):
    """Bins of about equal weight, by probability: mean probability, share of positives, number of units."""

    probability: Floats
    share: Floats
    n: NDArray[np.int64]
    weight: Floats

    @property
    def error(self) -> float:
        """Expected calibration error: the weighted mean distance of probability and share."""
        return float(np.average(np.abs(self.probability - self.share), weights=self.weight))


def reliability(probabilities: Floats, positive: Mask, weights: Floats, n_bins: int = N_BINS) -> Reliability:
    """Bin units by probability; equal probabilities are never split."""
    order = np.argsort(probabilities, kind="stable")
    level = np.unique(probabilities[order], return_inverse=True)[1]
    total = np.bincount(level, weights=weights[order])
    middle = (np.cumsum(total) - total / 2) / total.sum()
    bin_of = np.unique(np.minimum((middle * n_bins).astype(np.int64), n_bins - 1), return_inverse=True)[1][level]
    weight = np.bincount(bin_of, weights=weights[order])
    return Reliability(
        np.bincount(bin_of, weights=(weights * probabilities)[order]) / weight,
        np.bincount(bin_of, weights=(weights * positive)[order]) / weight,
        np.bincount(bin_of),
        weight.astype(np.float64),
    )
