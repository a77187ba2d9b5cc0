from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.kernels.statistics.permutation_test import (
    ENOUGH_HITS,
    MOST_ENUMERATED,
    PermutationBudget,
    Splits,
    Swaps,
    permutation_tests,
)
from assay.kernels.statistics.significance import holm


def mean_differences(differences):
    """Means of paired differences (n, m) when some of the n pairs are swapped."""

    def null(rows, open_tests):
        return ((1 - 2 * rows) @ differences[:, open_tests]) / len(differences)

    return null


def paired(differences, budget=None, seed=0, **about):
    swaps = Swaps(len(differences))
    observed = differences.mean(axis=0)
    return permutation_tests(
        observed, mean_differences(differences), swaps, budget or PermutationBudget(), seed, **about
    )


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=9))
def test_few_swaps_are_enumerated(values):
    differences = np.array(values, float)[:, None]
    tested = paired(differences)
    signs = np.array(list(product([1, -1], repeat=len(values))))
    expected = np.mean(np.abs(signs @ differences[:, 0]) >= abs(differences.sum()) - 1e-9)
    assert tested.exact
    assert tested.p_values[0] == pytest.approx(expected)
    assert tested.permutations[0] == 2 ** (len(values) - 1)


@given(st.integers(1, 7), st.data())
def test_few_splits_are_enumerated(n, data):
    k = data.draw(st.integers(0, n))
    rows = Splits(n, k).all()
    assert rows.shape == (Splits(n, k).count, n)
    assert len(np.unique(rows, axis=0)) == len(rows)
    assert (rows.sum(axis=1) == k).all()


@pytest.mark.parametrize("scale", [1e-30, 1.0, 1e30])
@pytest.mark.parametrize("n", [10, 40])
def test_the_scale_of_the_scores_does_not_matter(scale, n):
    differences = np.random.default_rng(1).normal(1, 1, (n, 3))
    assert (paired(differences * scale).p_values == paired(differences).p_values).all()


def test_a_large_difference_survives_any_correction():
    differences = np.random.default_rng(0).normal(3, 1, (40, 1)) + np.zeros(66)
    tested = paired(differences, PermutationBudget(1000, n_tests=66))
    assert not tested.exact
    assert (holm(tested.p_values) < 0.01).all()
    assert (tested.permutations >= 66 / 0.05).all()


def test_clear_cases_stop_early():
    rng = np.random.default_rng(1)
    differences = rng.normal([0.0, 0.1, 1.2, 3.0], 1.0, (30, 4))
    differences -= differences.mean(axis=0) - [0.0, 0.1, 0.6, 3.0]
    tested = paired(differences, PermutationBudget(200, n_tests=300))
    assert list(tested.permutations[:2]) == [200, 200]
    assert 200 < tested.permutations[2] < 120_000 == tested.permutations[3]
    assert tested.p_values[2] == ENOUGH_HITS / tested.permutations[2]
    assert tested.p_values[3] == 1 / 120_001


def test_p_depends_only_on_its_hypothesis():
    """Not on the other hypotheses, its position among them, or the workers."""
    differences = np.random.default_rng(2).normal(np.linspace(0, 1, 6), 1, (25, 6))
    budget = PermutationBudget(100, n_tests=15)
    together = paired(differences, budget)
    for other in (paired(differences, budget, workers=3), paired(differences, budget, workers=8)):
        np.testing.assert_array_equal(together.p_values, other.p_values)
        np.testing.assert_array_equal(together.permutations, other.permutations)
    turned = paired(differences[:, ::-1], budget)
    np.testing.assert_array_equal(together.p_values, turned.p_values[::-1])
    for j in range(6):
        alone = paired(differences[:, j : j + 1], budget)
        assert (alone.p_values[0], alone.permutations[0]) == (together.p_values[j], together.permutations[j])
    assert not np.array_equal(together.p_values, paired(differences, budget, seed=1).p_values)


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 400), st.integers(1, 20), st.integers(0, 100))
def test_p_values_follow_the_stopping_rule(fewest, n_tests, seed):
    """Draw the same permutations one by one and apply the stopping rule by hand."""
    differences = np.random.default_rng(seed).normal(0.4, 1, (20, 1))
    budget = PermutationBudget(fewest, n_tests)
    rows = []

    def null(drawn, open_tests):
        rows.append(drawn)
        return mean_differences(differences)(drawn, open_tests)

    tested = permutation_tests(differences.mean(axis=0), null, Swaps(20), budget, seed)
    values = np.abs(mean_differences(differences)(np.concatenate(rows), [0])[:, 0])
    hits = np.cumsum(values >= abs(differences.mean()) - 1e-9)
    n = fewest
    while n < budget.most and hits[n - 1] < ENOUGH_HITS:
        n += 1
    expected = hits[n - 1] / n if n > fewest and hits[n - 1] >= ENOUGH_HITS else (hits[n - 1] + 1) / (n + 1)
    assert (tested.p_values[0], tested.permutations[0]) == (expected, n)


def test_undefined_permutations_are_left_out():
    differences = np.random.default_rng(3).normal(2, 1, (30, 2))

    def null(rows, open_tests):
        values = mean_differences(differences)(rows, open_tests)
        values[::2] = np.nan
        values[:, open_tests == 1] = np.nan
        return values

    tested = permutation_tests(differences.mean(axis=0), null, Swaps(30), PermutationBudget(100), 0)
    assert tested.permutations[0] == 224  # half of the seven blocks of 64 that 400 permutations take
    assert tested.p_values[0] == 1 / 225
    assert np.isnan(tested.p_values[1])
    undefined = permutation_tests(np.array([np.nan]), null, Swaps(30), PermutationBudget(100), 0)
    assert np.isnan(undefined.p_values[0])


@pytest.mark.parametrize("n_cells", [15, 16])
def test_where_enumeration_ends(n_cells):
    assert (Swaps(n_cells).count <= MOST_ENUMERATED) == (n_cells == 15) == paired(np.ones((n_cells, 1))).exact


@pytest.mark.slow
def test_p_is_valid_under_the_stopping_rule():
    """Under the null hypothesis, P(p <= a) <= a, even for small a."""
    rng = np.random.default_rng(4)
    n_studies = 40_000
    p_values = np.concatenate(
        [
            paired(rng.normal(size=(20, 100)), PermutationBudget(50, 40), seed).p_values
            for seed in range(n_studies // 100)
        ]
    )
    for a in (0.001, 0.005, 0.01, 0.05, 0.2, 0.5):
        error = np.sqrt(a * (1 - a) / n_studies)
        assert np.mean(p_values <= a) <= a + 4 * error
