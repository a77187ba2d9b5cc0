from itertools import pairwise

import numpy as np
import pytest

from assay.evaluators.neighbors.jackknife import jackknife_plus
from assay.evaluators.neighbors.regressor import NeighborRegressor
from assay.kernels.sparse_rows import from_dense
from tests.evaluators.neighbors.texts import made_up


def plain_interval(estimate, neighbors, quality, errors, alpha):
    lows, highs = [], []
    for i, error in enumerate(errors):
        if np.isnan(error):
            continue
        kept = [j for j in neighbors if j != i]
        without = np.mean(quality[kept]) if i in neighbors and kept else estimate
        lows.append(without - error)
        highs.append(without + error)
    n = len(lows)
    lower, upper = int(np.floor(alpha * (n + 1))), int(np.ceil((1 - alpha) * (n + 1)))
    return (
        sorted(lows)[lower - 1] if lower >= 1 else -np.inf,
        sorted(highs)[upper - 1] if upper <= n else np.inf,
    )


def test_ends_follow_the_definition():
    rng = np.random.default_rng(0)
    quality, errors = rng.random(25), rng.random(25)
    errors[::6] = np.nan
    rows = from_dense(rng.random((8, 25)), 0.6)
    estimates = np.array([quality[rows.columns[a:b]].mean() for a, b in pairwise(rows.offsets)])
    estimates[3] = np.nan
    for alpha in (0.01, 0.1, 0.2, 0.37):
        low, high = jackknife_plus(rows, estimates, quality, errors, alpha)
        for row in range(8):
            neighbors = rows.columns[rows.offsets[row] : rows.offsets[row + 1]]
            expected = plain_interval(estimates[row], neighbors, quality, errors, alpha) if row != 3 else (np.nan,) * 2
            assert (low[row], high[row]) == pytest.approx(expected, nan_ok=True)


def test_the_own_error_is_not_used():
    rows = from_dense(np.zeros((3, 3)), 0.5)
    errors = np.array([9.0, 1.0, 2.0])
    low, high = jackknife_plus(rows, np.full(3, 0.5), np.zeros(3), errors, 0.4, own=np.arange(3))
    assert high.tolist() == [2.5, 9.5, 9.5]
    assert low.tolist() == [-1.5, -8.5, -8.5]


@pytest.mark.slow
def test_intervals_hold_the_truth_as_often_as_they_say():
    """New texts from the source of the training texts: 90% and 80% intervals, over 40 training sets."""
    for alpha in (0.1, 0.2):
        inside = total = 0
        for seed in range(40):
            texts, quality = made_up(80, seed=2 * seed, noise=0.1)
            new, truth = made_up(50, seed=2 * seed + 1, noise=0.1)
            low, high = NeighborRegressor(tau=0.3, min_neighbors=3).fit(texts, quality).interval(new, alpha)
            covered = ~np.isnan(low)
            inside += np.sum((low <= truth) & (truth <= high))
            total += covered.sum()
        assert total > 1000
        assert inside / total == pytest.approx(1 - alpha, abs=0.03)
