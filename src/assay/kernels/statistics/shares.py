"""Intervals for a proportion of clustered units."""

from math import sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from assay.kernels.statistics.intervals import Interval


def share_interval(
    correct: NDArray[np.float64], clusters: NDArray[np.int64], n_clusters: int, confidence: float
) -> Interval:
    """Wilson interval for a mean of numbers from 0 to 1, with the effective number of units given the clusters."""
    share = float(correct.mean())
    sums = np.bincount(clusters, correct - share, n_clusters)
    variance = n_clusters / (n_clusters - 1) * float(sums @ sums) / len(correct) ** 2
    worth = share * (1 - share) / variance if variance > 1e-15 else float(n_clusters)
    z = float(stdtrit(n_clusters - 1, (1 + confidence) / 2))
    middle = (share + z * z / (2 * worth)) / (1 + z * z / worth)
    reach = z / (1 + z * z / worth) * sqrt(share * (1 - share) / worth + z * z / (4 * worth**2))
    return Interval(max(0.0, middle - reach), min(1.0, middle + reach), 0)
