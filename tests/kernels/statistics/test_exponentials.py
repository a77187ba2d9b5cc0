"""The sign of a weighted sum of exponential numbers, where there is a formula or many draws to compare with."""

import numpy as np
import pytest
from scipy.special import betainc

from assay.kernels.statistics.exponentials import chance_of_positive


@pytest.mark.parametrize("n", [5, 40, 100_000])
@pytest.mark.parametrize("mean", [0.001, 0.05, 0.5, 0.9])
def test_two_weights_are_a_beta_distribution(n, mean):
    for above in {1, 2, n // 3, n - 1}:
        weights, times = np.array([1 - mean, -mean]), np.array([above, n - above], float)
        assert chance_of_positive(weights, times) == pytest.approx(1 - betainc(above, n - above, mean), abs=1e-6)


def test_a_small_chance_is_right_in_proportion():
    weights, times = np.array([0.7, -0.3]), np.array([2.0, 40.0])
    assert chance_of_positive(weights, times) == pytest.approx(betainc(40, 2, 0.7), rel=1e-4)


def test_any_weights_agree_with_draws():
    rng = np.random.default_rng(0)
    for n in (5, 12, 30):
        weights = rng.normal(-0.2, 1, n) * rng.exponential(1, n)
        drawn = (rng.exponential(1, (200_000, n)) @ weights > 0).mean()
        assert chance_of_positive(weights, np.ones(n)) == pytest.approx(drawn, abs=0.005)


def test_weights_of_one_sign():
    assert chance_of_positive(np.array([-1.0, 0.0]), np.ones(2)) == 0
    assert chance_of_positive(np.array([1.0, 0.0]), np.ones(2)) == 1
