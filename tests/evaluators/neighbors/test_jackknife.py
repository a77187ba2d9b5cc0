from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.evaluators.neighbors.jackknife import jackknife_plus
from assay.evaluators.neighbors.regressor import NeighborRegressor
from assay.evaluators.neighbors.rule import Rule
from assay.kernels.pairs.sparse_rows import from_dense
from tests.evaluators.neighbors.texts import made_up


def plain_interval(estimate, neighbors, shares, quality, errors, alpha, own=None):
    lows, highs = [], []
    for i, error in enumerate(errors):
        if np.isnan(error) or i == own:
            continue
        kept = neighbors != i
        without = np.average(quality[neighbors[kept]], weights=shares[kept]) if kept.any() else estimate
        lows.append(without - error)
        highs.append(without + error)
    n = len(lows)
    lower, upper = int(np.floor(alpha * (n + 1))), int(np.ceil((1 - alpha) * (n + 1)))
    return (
        sorted(lows)[lower - 1] if lower >= 1 else -np.inf,
        sorted(highs)[upper - 1] if upper <= n else np.inf,
    )


@pytest.mark.parametrize("weights", ["uniform", "similarity"])
def test_ends_follow_the_definition(weights):
    rng = np.random.default_rng(0)
    quality, errors = rng.random(25), rng.random(25)
    errors[::6] = np.nan
    rows = from_dense(rng.random((8, 25)), 0.6)
    near = [
        (rows.columns[a:b], rows.values[a:b] if weights == "similarity" else np.ones(b - a))
        for a, b in pairwise(rows.offsets)
    ]
    estimates = np.array([np.average(quality[columns], weights=shares) for columns, shares in near])
    estimates[3] = np.nan
    for alpha in (0.01, 0.1, 0.2, 0.37):
        low, high = jackknife_plus(rows, estimates, quality, errors, Rule(0.6, weights=weights), alpha)
        for row, (columns, shares) in enumerate(near):
            expected = plain_interval(estimates[row], columns, shares, quality, errors, alpha)
            assert (low[row], high[row]) == pytest.approx(expected if row != 3 else (np.nan,) * 2, nan_ok=True)


def test_the_own_error_is_not_used():
    rows = from_dense(np.zeros((3, 3)), 0.5)
    errors = np.array([9.0, 1.0, 2.0])
    low, high = jackknife_plus(rows, np.full(3, 0.5), np.zeros(3), errors, Rule(0.5), 0.4, own=np.arange(3))
    assert high.tolist() == [2.5, 9.5, 9.5]
    assert low.tolist() == [-1.5, -8.5, -8.5]


@given(st.integers(0, 2**32), st.integers(4, 40), st.sampled_from([0.05, 0.1, 0.25, 0.5, 0.8]), st.booleans())
def test_any_number_of_neighbors_and_tied_errors(seed, n, alpha, leave_own_out):
    rng = np.random.default_rng(seed)
    quality, errors = rng.integers(0, 4, n) / 4, rng.integers(0, 4, n) / 4
    errors[rng.random(n) < 0.2] = np.nan
    similarity = rng.random((3, n)) * (rng.random((3, n)) < rng.random((3, 1)))
    similarity[[0, 1, 2], [0, 1, 2]] = 0  # never its own neighbor
    similarity[:, -1] = 0.9
    rows, own = from_dense(similarity, 0.3), np.array([0, 1, 2]) if leave_own_out else None
    near = [rows.columns[a:b] for a, b in pairwise(rows.offsets)]
    estimates = np.array([quality[columns].mean() for columns in near])
    low, high = jackknife_plus(rows, estimates, quality, errors, Rule(0.3), alpha, own=own)
    for row, columns in enumerate(near):
        expected = plain_interval(
            estimates[row], columns, np.ones(len(columns)), quality, errors, alpha, None if own is None else own[row]
        )
        assert (low[row], high[row]) == pytest.approx(expected)


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
