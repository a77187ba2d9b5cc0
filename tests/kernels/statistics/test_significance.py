import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from assay.kernels.statistics import significance
from tests.oracles.rank_statistics import williams_t


@pytest.mark.parametrize(("ours", "name"), [(significance.holm, "holm"), (significance.benjamini_hochberg, "fdr_bh")])
def test_corrections_equal_statsmodels(ours, name):
    rng = np.random.default_rng(0)
    for case in range(12):  # statsmodels' Holm takes a second
        p_values = rng.random(rng.integers(1, 30)) ** rng.integers(1, 4)
        if case % 3 == 0:
            p_values = np.round(p_values, 1)
        np.testing.assert_allclose(ours(p_values), multipletests(p_values, method=name)[1], atol=1e-9)


def test_missing_p_values_are_not_counted():
    np.testing.assert_allclose(significance.holm(np.array([0.01, np.nan, 0.04])), [0.02, np.nan, 0.04])


def test_bootstrap_p_is_two_sided():
    assert significance.bootstrap_p(np.array([1.0] * 98 + [-1.0])) == 2 * 2 / 100
    assert significance.bootstrap_p(np.zeros(9)) == 1.0


@pytest.mark.parametrize(("r_a", "r_b", "r_ab", "n"), [(0.5, 0.32, 0.65, 50), (0.8, 0.72, 0.89, 26)])
def test_williams_is_students_t_with_n_minus_3(r_a, r_b, r_ab, n):
    expected = 2 * stats.t.sf(abs(williams_t(r_a, r_b, r_ab, n)), n - 3)
    assert significance.williams(r_a, r_b, r_ab, n) == pytest.approx(expected, abs=1e-9)


def test_dependent_correlations_are_undefined_for_too_few_units_or_equal_columns():
    assert np.isnan(significance.williams(0.5, 0.4, 0.3, 3))
    assert np.isnan(significance.steiger(1.0, 0.4, 0.4, 30))
    assert np.isnan(significance.williams(0.5, 0.5, 1.0, 30))


@pytest.mark.parametrize("test", [significance.williams, significance.steiger])
def test_dependent_correlation_tests_hold_their_level(test):
    """Two columns equally correlated with the target: 5% of 4,000 samples are significant."""
    rng = np.random.default_rng(1)
    n = 60
    common = rng.normal(size=(4000, n))
    y = common + rng.normal(size=(4000, n))
    a, b = (common + rng.normal(size=(4000, n)) for _ in range(2))

    def correlate(u, v):
        u, v = (w - w.mean(axis=1, keepdims=True) for w in (u, v))
        return (u * v).sum(axis=1) / np.sqrt((u * u).sum(axis=1) * (v * v).sum(axis=1))

    triples = zip(correlate(a, y), correlate(b, y), correlate(a, b), strict=True)
    p_values = np.array([test(*r, n) for r in triples])
    assert np.mean(p_values < 0.05) == pytest.approx(0.05, abs=0.012)
    assert np.mean(p_values < 0.5) == pytest.approx(0.5, abs=0.03)


def test_clusters_end_at_the_first_difference_from_any_member():
    different = np.zeros((5, 5), bool)
    for i, j in [(0, 2), (2, 4), (0, 4), (1, 4)]:
        different[i, j] = different[j, i] = True
    assert significance.clusters([0, 1, 2, 3, 4], different) == [[0, 1], [2, 3], [4]]
    assert significance.clusters([], different) == []
