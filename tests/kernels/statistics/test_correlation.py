from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from assay.kernels.statistics import correlation
from assay.kernels.statistics.rank import average_ranks, centered_ranks
from assay.kernels.statistics.tie_calibration import calibrated_accuracy
from assay.metaeval.questions.statistics import STATISTICS
from tests.oracles import rank_statistics as oracle

vectors = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=25)


@settings(deadline=None)
@given(vectors)
def test_pair_counts_equal_brute_force(pairs):
    x, y = (np.array(v, float) for v in zip(*pairs, strict=True))
    assert tuple(correlation.pair_counts(x, y)) == oracle.pair_counts(x.tolist(), y.tolist())


@settings(deadline=None)
@given(st.lists(st.integers(-3, 3), min_size=1, max_size=30))
def test_ranks_are_exact(values):
    ranks = [float(r) for r in oracle.average_ranks(values)]
    assert average_ranks(np.array(values)).tolist() == ranks
    assert centered_ranks(np.array(values)).sum() == 0


@settings(max_examples=60, deadline=None)
@given(vectors, st.integers(1, 4))
def test_tie_calibration_equals_brute_force(pairs, n_groups):
    x, y = (np.array(v, float) for v in zip(*pairs, strict=True))
    groups = np.arange(len(x)) % n_groups
    if len(x) <= n_groups:
        groups[:] = 0
    accuracy, epsilon = calibrated_accuracy(x * 0.7, y, groups)
    expected = oracle.calibrated_accuracy((x * 0.7).tolist(), y.tolist(), groups.tolist())
    assert accuracy == pytest.approx(expected[0], abs=1e-12)
    assert epsilon == pytest.approx(expected[1], abs=1e-12)


PEERS = [
    (correlation.pearson, lambda x, y: stats.pearsonr(x, y)[0]),
    (correlation.spearman, lambda x, y: stats.spearmanr(x, y)[0]),
    (correlation.kendall_b, lambda x, y: stats.kendalltau(x, y)[0]),
    (correlation.kendall_c, lambda x, y: stats.kendalltau(x, y, variant="c")[0]),
]


@pytest.mark.parametrize(("ours", "peer"), PEERS, ids=lambda f: f.__name__)
def test_equal_to_scipy_on_thousands_of_cases_with_ties(ours, peer):
    rng = np.random.default_rng(7)
    compared = 0
    for case in range(2000):
        n = int(rng.integers(2, 80))
        y = rng.integers(0, rng.integers(2, 7), n) / 5
        x = rng.normal(size=n) + y if case % 3 else rng.integers(0, 4, n) * 1.0
        x = x * 10.0 ** rng.integers(-8, 8) + (1e4 if case % 7 == 0 else 0)
        if correlation.is_constant(x) or correlation.is_constant(y):
            assert np.isnan(ours(x, y))
            continue
        assert ours(x, y) == pytest.approx(peer(x, y), abs=1e-9)
        compared += 1
    assert compared > 1500


@pytest.mark.parametrize("name", ["pearson", "spearman", "kendall_b", "kendall_c"])
@pytest.mark.parametrize("x", [[], [1.0], [2.0, 2.0, 2.0]])
def test_undefined_is_nan(name, x):
    x = np.array(x)
    assert np.isnan(getattr(correlation, name)(x, np.arange(len(x)) * 1.0))


def test_perfect_correlations_stay_within_one():
    x = np.array([0.1, 0.2, 0.3, 0.7]) * 1e150
    assert correlation.pearson(x, x) == pytest.approx(1.0)
    assert correlation.pearson(x, x) <= 1.0
    assert correlation.kendall_b(x, -x) == -1.0


def test_errors_and_accuracy():
    x, y = np.array([1.0, 2.0, 4.0]), np.array([1.0, 3.0, 1.0])
    assert correlation.mean_squared_error(x, y) == pytest.approx(10 / 3)
    assert correlation.mean_absolute_error(x, y) == pytest.approx(4 / 3)
    assert correlation.accuracy(x, y) == pytest.approx(1 / 3)
    assert correlation.pairwise_accuracy(x, y) == pytest.approx(1 / 3)
    assert np.isnan(correlation.mean_squared_error(x[:0], y[:0]))


def test_spearman_above_three_million_units():
    x = np.arange(3_100_000, dtype=float)
    assert correlation.spearman(x, x) == 1.0
    assert correlation.spearman(x, -x) == -1.0
    assert correlation.spearman_matrix(np.stack([x, -x], axis=1)).tolist() == [[1.0, -1.0], [-1.0, 1.0]]


@pytest.mark.parametrize("name", ["pairwise_accuracy", "pairwise_accuracy_exact", "kendall_c"])
def test_a_unit_forms_no_pair_with_its_copy(name):
    """A resample has the accuracy, or tau-c, of its pairs of different units."""
    rng = np.random.default_rng(2)
    statistic = STATISTICS[name]
    x, y = rng.normal(size=12), rng.integers(0, 4, 12) * 1.0
    weights = rng.integers(0, 4, (30, 12)).astype(np.int32)
    reversed_metric = statistic.of_columns(-np.arange(12.0)[:, None], np.arange(12.0))(weights)
    assert (reversed_metric <= (0 if name != "kendall_c" else -1)).all()
    rows = statistic.of_rows(weights, np.tile(x, (30, 1)), np.tile(y, (30, 1)))
    np.testing.assert_array_equal(statistic.of_columns(x[:, None], y)(weights)[:, 0], rows)
    for row, value in zip(weights, rows, strict=True):
        drawn = [(unit, x[unit], y[unit]) for unit in range(12) for _ in range(row[unit])]
        pairs = [(a[1] - b[1], a[2] - b[2]) for a, b in combinations(drawn, 2) if a[0] != b[0]]
        if name == "kendall_c":
            smaller = min(len({one[1] for one in drawn}), len({one[2] for one in drawn}))
            n_pairs = len(pairs) + len(drawn) / 2  # n^2 / 2 where nothing is drawn twice
            expected = sum(np.sign(dx * dy) for dx, dy in pairs) / (n_pairs * (smaller - 1) / smaller)
        else:
            thresholds = {0.0} | ({abs(dx) for dx, _ in pairs} if name == "pairwise_accuracy" else set())
            right = [[np.sign(dx) * (abs(dx) > limit) == np.sign(dy) for dx, dy in pairs] for limit in thresholds]
            expected = max(np.mean(one) for one in right)
        assert value == pytest.approx(expected, abs=1e-12)
