"""Intervals from the jackknife: of a mean they are Student's, and they say nothing where nothing is known."""

import numpy as np
import pytest
from scipy.stats import t, ttest_1samp

from assay.kernels.statistics.jackknife import jackknife, of_influences, t_interval

VALUES = np.linspace(-1.0, 2.0, 30)  # lighter tails than a normal distribution has


def left_out(values: np.ndarray) -> np.ndarray:
    return (values.sum() - values) / (len(values) - 1)


def test_the_interval_of_a_mean_is_students() -> None:
    assert jackknife(VALUES.mean(), left_out(VALUES)).freedom == 29
    found = t_interval(VALUES.mean(), [left_out(VALUES)], 0.9)
    expected = ttest_1samp(VALUES, 0.0).confidence_interval(0.9)
    assert (found.low, found.high) == (pytest.approx(expected.low), pytest.approx(expected.high))


def test_influences_give_the_same_variance() -> None:
    influences = (VALUES - VALUES.mean()) / len(VALUES)
    assert of_influences(influences).value == pytest.approx(VALUES.var(ddof=1) / len(VALUES))


def test_variances_of_two_factors_are_added() -> None:
    """Equal variances of 29 degrees of freedom each make one of 58."""
    found = t_interval(0.0, [left_out(VALUES), left_out(VALUES)])
    assert found.high == pytest.approx(t.ppf(0.975, 58) * np.sqrt(2 * VALUES.var(ddof=1) / 30))


def test_few_members_that_hold_the_variance_are_few_degrees_of_freedom() -> None:
    one = np.zeros(50)
    one[0] = 1.0
    assert jackknife(one.mean(), left_out(one)).freedom < 3
    assert jackknife(0.0, left_out(np.tile([-1.0, 1.0], 25))).freedom == 49


def test_the_bias_of_a_variance_is_taken_from_the_centre() -> None:
    """The variance over n is too small by a share of 1 / n; the jackknife knows."""
    n = len(VALUES)
    without = np.array([np.delete(VALUES, k).var() for k in range(n)])
    found = t_interval(VALUES.var(), [without], corrected=True)
    assert (found.low + found.high) / 2 == pytest.approx(VALUES.var(ddof=1))


@pytest.mark.parametrize("values", [np.ones(5), np.array([1.0, np.nan, 2.0]), np.array([1.0]), np.zeros(0)])
def test_nothing_is_said_where_nothing_varies_or_is_known(values: np.ndarray) -> None:
    assert np.isnan(t_interval(1.0, [values]).low)
