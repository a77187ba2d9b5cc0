"""Jackknife intervals: Student's for a mean, undefined without variation or data."""

import numpy as np
import pytest
from scipy.stats import t, ttest_1samp

from assay.kernels.statistics.jackknife import jackknife, of_influences, t_interval

VALUES = np.linspace(-1.0, 2.0, 30)  # lighter tails than a normal distribution


def left_out(values: np.ndarray) -> np.ndarray:
    return (values.sum() - values) / (len(values) - 1)


def test_the_interval_of_a_mean_is_students() -> None:
    assert jackknife(VALUES.mean(), left_out(VALUES)).freedom == 29
    result = t_interval(VALUES.mean(), [left_out(VALUES)], 0.9)
    expected = ttest_1samp(VALUES, 0.0).confidence_interval(0.9)
    assert (result.low, result.high) == (pytest.approx(expected.low), pytest.approx(expected.high))


def test_influences_give_the_same_variance() -> None:
    influences = (VALUES - VALUES.mean()) / len(VALUES)
    assert of_influences(influences).value == pytest.approx(VALUES.var(ddof=1) / len(VALUES))


def test_variances_of_two_factors_are_added() -> None:
    """Two equal variances with 29 degrees of freedom add up to one with 58."""
    result = t_interval(0.0, [left_out(VALUES), left_out(VALUES)])
    assert result.high == pytest.approx(t.ppf(0.975, 58) * np.sqrt(2 * VALUES.var(ddof=1) / 30))


def test_variance_from_few_members_has_few_degrees_of_freedom() -> None:
    one = np.zeros(50)
    one[0] = 1.0
    assert jackknife(one.mean(), left_out(one)).freedom < 3
    assert jackknife(0.0, left_out(np.tile([-1.0, 1.0], 25))).freedom == 49


def test_the_interval_of_a_variance_is_bias_corrected() -> None:
    """The variance over n is biased by a factor of 1 - 1 / n, which the jackknife corrects."""
    n = len(VALUES)
    without = np.array([np.delete(VALUES, k).var() for k in range(n)])
    result = t_interval(VALUES.var(), [without], corrected=True)
    assert (result.low + result.high) / 2 == pytest.approx(VALUES.var(ddof=1))


@pytest.mark.parametrize("values", [np.ones(5), np.array([1.0, np.nan, 2.0]), np.array([1.0]), np.zeros(0)])
def test_intervals_are_undefined_without_variation_or_data(values: np.ndarray) -> None:
    assert np.isnan(t_interval(1.0, [values]).low)
