"""Pairwise accuracy with tie calibration, as in machine-translation metric tasks.

Deutsch, Foster and Freitag (2023), "Ties Matter: Meta-Evaluating Modern Metrics with Pairwise Accuracy and
Tie Calibration". People tie often and metrics with real-valued scores never do. Pairs whose metric scores
differ by at most epsilon are taken as tied, and epsilon is the one that gives the highest accuracy.
"""

from itertools import pairwise
from math import nan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.kernels.statistics.rank import group_starts


class Calibrated(NamedTuple):
    """The best accuracy over all thresholds, and the smallest threshold that reaches it."""

    accuracy: float
    epsilon: float


def calibrated_accuracy(
    x: NDArray[Any], y: NDArray[Any], groups: NDArray[np.int64], units: NDArray[np.int64] | None = None
) -> Calibrated:
    """Choose one epsilon for all groups, pairs being formed inside a group; the mean over groups with a pair.

    `units` tells the rows of a resample that are copies of one unit; they form no pair with each other. Memory grows
    with the number of pairs. Without any pair both results are NaN.
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
        # Without any metric tie a pair is right when the signs agree; calling it a tie makes it right when
        # people tie.
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
    # Exact ties are ties whatever epsilon is, so epsilon 0 is always a candidate.
    if thresholds[0] > 0:
        thresholds, reached = np.concatenate(([0.0], thresholds)), np.concatenate(([base], reached))
    best = int(np.argmax(reached > reached.max() - 1e-12))
    return Calibrated(float(reached[best] / n_groups), float(thresholds[best]))
