"""Neighbors against the mean and the length of a text, on the texts that neighbors estimate.

A baseline's error on all texts says nothing about those that have an estimate, which are the easy ones. Here both are
measured on the same texts, and the difference of squared errors is tested by flipping its sign at random, for all
texts of an item together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.kernels.statistics.correlation import mean_squared_error

Vector = NDArray[np.float64]

PERMUTATIONS = 1999
FEWEST_ITEMS = 10  # with fewer the signs of single texts are flipped
SIGNS_AT_ONCE = 1 << 24


@dataclass(frozen=True)
class Rival:
    """A baseline on the covered texts: `gain` is how much larger its squared error is than the neighbors', on average.

    `p` is how often a gain or a loss this large would come of chance; NaN without such texts.
    """

    mse: float
    gain: float
    p: float
    n: int

    def beaten(self, alpha: float) -> bool:
        """Whether neighbors are significantly better."""
        return self.gain > 0 and self.p <= alpha


def rivals(
    estimates: Vector, quality: Vector, baselines: dict[str, Vector], item: NDArray[np.int64], seed: int
) -> dict[str, Rival]:
    """Compare each baseline with the estimates, on the texts that have one."""
    both = ~np.isnan(estimates) & ~np.isnan(quality)
    own = (estimates[both] - quality[both]) ** 2
    cluster = np.unique(item[both], return_inverse=True)[1]
    if cluster.max(initial=-1) + 1 < FEWEST_ITEMS:
        cluster = np.arange(len(own))
    by_name = {}
    for name, predicted in baselines.items():
        gained = np.bincount(cluster, weights=(predicted[both] - quality[both]) ** 2 - own).astype(np.float64)
        mse = mean_squared_error(predicted[both], quality[both]) if len(own) else float("nan")
        gain = float(gained.sum() / len(own)) if len(own) else float("nan")
        by_name[name] = Rival(mse, gain, _p(gained, np.random.default_rng([seed, 5])), len(own))
    return by_name


def _p(gained: Vector, rng: np.random.Generator) -> float:
    """The p-value of a sign-flip test of the sum."""
    if len(gained) < 2:
        return float("nan")
    total, hits, drawn = abs(gained.sum()) - 1e-12 * np.abs(gained).sum(), 0, 0
    step = max(1, SIGNS_AT_ONCE // len(gained))
    while drawn < PERMUTATIONS:
        n = min(step, PERMUTATIONS - drawn)
        signs = 2.0 * rng.integers(0, 2, (n, len(gained)), dtype=np.int8) - 1.0
        hits += int((np.abs(signs @ gained) >= total).sum())
        drawn += n
    return (hits + 1) / (drawn + 1)
