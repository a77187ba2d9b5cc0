"""The best accuracy one threshold can reach: "optimal classification accuracy" (Tevet and Berant 2021)."""

import numpy as np
from numpy.typing import NDArray


def best_threshold(scores: NDArray[np.float64], labels: NDArray[np.bool_]) -> tuple[float, float]:
    """Return (accuracy, threshold) of the rule "label is true where the score lies above the threshold".

    Candidates are minus infinity and every score (plus infinity is the rule of the largest score); of equally
    good ones the smallest wins.
    The accuracy is never below the larger class's share. (NaN, NaN) without scores.
    """
    n = len(scores)
    if not n:
        return np.nan, np.nan
    order = np.argsort(scores, kind="stable")
    ordered = scores[order]
    positives = np.cumsum(labels[order])
    ends = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True))
    # Threshold at a distinct score: what is at or below it is called false, the rest true.
    below = ends + 1
    correct = (below - positives[ends]) + (positives[-1] - positives[ends])
    correct = np.concatenate([[positives[-1]], correct])
    thresholds = np.concatenate([[-np.inf], ordered[ends]])
    best = int(correct.argmax())
    return float(correct[best] / n), float(thresholds[best])


def weighted_best_accuracy(
    weights: NDArray[np.int32], scores: NDArray[np.float64], labels: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Return the best accuracy where unit u counts weights[b, u] times, for each row b; NaN for no weight."""
    order = np.argsort(scores, kind="stable")
    ordered = scores[order]
    ends = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True))
    signed = np.where(labels[order], -1, 1) * weights[:, order]
    # Moving the threshold over a unit wins it if its label is false and loses it if true.
    gains = np.cumsum(signed, axis=1)[:, ends].max(axis=1, initial=0) if len(scores) else np.zeros(len(weights))
    totals = weights.sum(axis=1)
    correct = (weights @ labels.astype(np.int64)) + gains
    return np.divide(correct, totals, out=np.full(len(weights), np.nan), where=totals > 0)
