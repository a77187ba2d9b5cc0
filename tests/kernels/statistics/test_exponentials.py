"""The sign of a weighted sum of exponential numbers, where there is a formula or many draws to compare with."""

from fractions import Fraction
from math import prod

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


def by_fractions(weights):
    """The chance for weights that all differ, exactly."""
    exact = [Fraction(float(weight)) for weight in weights]
    return float(sum(prod(a / (a - b) for b in exact if b != a) for a in exact if a > 0))


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e13])
def test_any_weights_on_any_scale_are_exact(scale):
    rng = np.random.default_rng(1)
    for n in (4, 20, 70):
        weights = scale * rng.normal(-0.2, 1, n) * 10 ** rng.uniform(-6, 0, n)
        assert chance_of_positive(weights, np.ones(n)) == pytest.approx(by_fractions(weights), rel=1e-7)


def test_thousands_of_weights_agree_with_equal_ones():
    equal = np.array([1.0, -1.1])
    nearly = np.concatenate([weight * np.linspace(1 - 1e-9, 1 + 1e-9, 3000) for weight in equal])
    apart = chance_of_positive(nearly, np.ones(6000))
    assert apart == pytest.approx(chance_of_positive(equal, np.full(2, 3000.0)), rel=1e-4)


def test_weights_of_one_sign():
    assert chance_of_positive(np.array([-1.0, 0.0]), np.ones(2)) == 0
    assert chance_of_positive(np.array([1.0, 0.0]), np.ones(2)) == 1
