"""Pairwise accuracy with tie calibration, as in the WMT metrics tasks.

Deutsch, Foster and Freitag (2023), "Ties Matter: Meta-Evaluating Modern Metrics with Pairwise Accuracy and
Tie Calibration". Human ratings often tie and real-valued metrics never do. Pairs whose metric scores differ by at most
epsilon count as tied, with the epsilon that gives the highest accuracy.
"""

from itertools import pairwise
from math import nan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.kernels.statistics.rank import group_starts


class Calibrated(NamedTuple):
    """The best accuracy over all epsilons, and the smallest epsilon that reaches it."""

    accuracy: float
    epsilon: float


def calibrated_accuracy(
    x: NDArray[Any], y: NDArray[Any], groups: NDArray[np.int64], units: NDArray[np.int64] | None = None
) -> Calibrated:
    """Calibrate one epsilon for all groups, with pairs formed within a group; mean accuracy over groups with a pair.

    `units` identifies copies of one unit in a resample, which form no pair with each other. Memory grows with the
    number of pairs. Both results are NaN without pairs.
    """
    order = np.argsort(groups, kind="stable")
    starts = group_starts(groups[order])
    gaps, gains, base, n_groups = [np.empty(0)], [np.empty(0)], 0.0, 0
    for start, stop in pairwise(starts):
        rows = order[start:stop]
        first, second = (rows[side] for side in np.triu_indices(len(rows), 1))
        if units is not None:
            different = units[first] != units[second]
            first, second = first[different], second[different]
        n_pairs = len(first)
        if not n_pairs:
            continue
        change_x, change_y = x[first] - x[second], y[first] - y[second]
        tied = change_y == 0
        # Without metric ties a pair is correct if the signs agree; called a tie, it is correct if the humans tie.
        untied_right = (np.sign(change_x) == np.sign(change_y)) & ~tied
        gaps.append(np.abs(change_x))
        gains.append((tied.astype(np.float64) - untied_right) / n_pairs)
        base += float(untied_right.sum()) / n_pairs
        n_groups += 1
    if not n_groups:
        return Calibrated(nan, nan)
    return _best_threshold(np.concatenate(gaps), np.concatenate(gains), base, n_groups)


def _best_threshold(gaps: NDArray[np.float64], gains: NDArray[np.float64], base: float, n_groups: int) -> Calibrated:
    by_gap = np.argsort(gaps, kind="stable")
    last = group_starts(gaps[by_gap])[1:] - 1
    thresholds = gaps[by_gap][last]
    reached = base + np.cumsum(gains[by_gap])[last]
    # Exact ties are ties for any epsilon, so 0 is always a candidate.
    if thresholds[0] > 0:
        thresholds, reached = np.concatenate(([0.0], thresholds)), np.concatenate(([base], reached))
    best = int(np.argmax(reached > reached.max() - 1e-12))
    return Calibrated(float(reached[best] / n_groups), float(thresholds[best]))
