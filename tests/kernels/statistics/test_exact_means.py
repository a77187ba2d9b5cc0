"""Means of ratings against exact fractions, in any order."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.kernels.statistics.exact_means import as_whole_numbers, common_denominator, exact_means, without_noise

VOTES = st.lists(st.lists(st.integers(1, 7), min_size=1, max_size=9), min_size=1, max_size=12)


def unit_means(votes):
    """One sum and one division each, as human scores of units are computed."""
    groups = np.repeat(np.arange(len(votes)), [len(unit) for unit in votes])
    return exact_means(np.concatenate(votes).astype(float), groups, np.bincount(groups))


@given(VOTES, st.randoms(use_true_random=False))
def test_the_mean_of_unit_means_is_the_exact_ratio_in_any_order(votes, shuffle):
    exact = sum(Fraction(sum(unit), len(unit)) for unit in votes) / len(votes)
    for _ in range(3):
        shuffle.shuffle(votes)
        means = exact_means(unit_means(votes), np.zeros(len(votes), np.int64), np.array([len(votes)]))
        assert means[0] == float(exact)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20), st.randoms(use_true_random=False))
def test_means_of_other_numbers_do_not_depend_on_order(values, shuffle):
    group, n = np.zeros(len(values), np.int64), np.array([len(values)])
    once = exact_means(np.array(values), group, n)[0]
    shuffle.shuffle(values)
    assert exact_means(np.array(values), group, n)[0] == once
    assert once == pytest.approx(np.mean(values), abs=1e-6)


@given(VOTES)
def test_scaling_by_the_denominator_is_lossless(votes):
    values = unit_means(votes)
    denominator = common_denominator(values, len(values))
    assert denominator > 0
    assert (np.round(values * denominator) / denominator == values).all()


def test_numbers_without_a_common_denominator_are_detected():
    rng = np.random.default_rng(0)
    assert common_denominator(rng.normal(size=1000), 1000) == 0
    assert common_denominator(np.array([1.0, 2.0, np.nan, np.inf]), 4) == 1
    assert common_denominator(np.array([0.1, 0.25]), 2) == 20
    assert common_denominator(np.array([2.0**52, 1 / 3]), 2) == 0
    assert common_denominator(np.array([np.nan]), 1) == 1


@given(VOTES, st.lists(st.integers(0, 5), min_size=12, max_size=12))
def test_weighted_sums_are_integers(votes, times):
    values = unit_means(votes)
    whole, denominators = as_whole_numbers(values[:, None])
    weights = np.array(times[: len(votes)])
    exact = sum(int(w) * Fraction(sum(unit), len(unit)) for w, unit in zip(weights, votes, strict=True))
    assert Fraction(float(weights @ whole[:, 0])) / Fraction(float(denominators[0])) == exact


def test_rounding_noise_is_removed():
    values = np.array([3.1416666666666666, 3.141666666666667, np.nan])
    settled = without_noise(values)
    assert settled[0] == settled[1] == pytest.approx(values[0], rel=1e-11)
    assert np.isnan(settled[2])
    assert without_noise(np.array([0.0])).tolist() == [0.0]


def test_numbers_near_the_largest_have_no_denominator_and_raise_no_warning() -> None:
    values = np.array([0.0, 1.797693134862316e302, np.finfo(float).max])
    assert common_denominator(values, 3) == 0


RATIOS_AND_OTHERS = st.one_of(
    st.builds(lambda k, d: k / d, st.integers(-50, 50), st.integers(1, 60)), st.floats(-1e6, 1e6), st.just(np.inf)
)


@given(st.lists(st.lists(RATIOS_AND_OTHERS, max_size=6), min_size=2, max_size=5))
def test_the_mean_of_a_group_does_not_depend_on_the_others(groups: list[list[float]]) -> None:
    sizes = np.array([len(group) for group in groups])
    together = exact_means(np.concatenate([*groups, []]), np.repeat(np.arange(len(groups)), sizes), sizes)
    for number, group in enumerate(groups):
        alone = exact_means(np.array(group), np.zeros(len(group), np.int64), np.array([len(group)]))
        assert alone.tobytes() == together[number : number + 1].tobytes()
