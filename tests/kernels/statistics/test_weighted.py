"""Weighted statistics equal those of the resampled vector."""

from itertools import combinations

import numpy as np
import pytest

from assay.kernels.statistics import correlation, weighted, weighted_rows
from assay.kernels.statistics.permutation import swapped_kendall, swapped_pearson, swapped_spearman
from assay.kernels.statistics.resample import bootstrap_counts, swaps
from assay.kernels.statistics.weighted import rank_scores

FAMILIES = [
    (correlation.pearson, weighted.weighted_pearson, weighted_rows.rows_pearson),
    (correlation.spearman, weighted.weighted_spearman, weighted_rows.rows_spearman),
    (correlation.kendall_b, weighted.weighted_kendall, weighted_rows.rows_kendall),
]
IDS = ["pearson", "spearman", "kendall"]


def example(rng, n, m):
    """Columns with no ties, some ties, many ties, and many zeros."""
    y = rng.integers(0, 6, n) * 1.0
    columns = rng.normal(size=(n, m)) + 0.3 * y[:, None]
    columns[:, 1::4] = np.round(columns[:, 1::4], 1)
    columns[:, 2::4] = np.round(columns[:, 2::4])
    columns[:, 3::4] = np.maximum(columns[:, 3::4], 0)
    return columns, y


@pytest.mark.parametrize(("plain", "by_column", "by_row"), FAMILIES, ids=IDS)
@pytest.mark.parametrize("n", [2, 3, 7, 40, 300])
def test_weighted_statistics_equal_those_of_the_resampled_vector(plain, by_column, by_row, n):
    rng = np.random.default_rng(n)
    for _ in range(10 if n < 100 else 2):
        columns, y = example(rng, n, 8)
        weights = bootstrap_counts(rng, 20, n) * rng.integers(0, 3, n).astype(np.int32)
        values = by_column(columns, y)(weights)
        for b, row in enumerate(weights):
            drawn = np.repeat(np.arange(n), row)
            expected = np.array([plain(columns[drawn, j], y[drawn]) for j in range(8)])
            np.testing.assert_allclose(values[b], expected, atol=1e-9)
        rows = np.stack(
            [by_row(weights, np.tile(columns[:, j], (20, 1)), np.tile(y, (20, 1))) for j in range(8)], axis=1
        )
        np.testing.assert_allclose(rows, values, atol=1e-9)


@pytest.mark.parametrize(("plain", "by_column", "by_row"), FAMILIES, ids=IDS)
def test_columns_do_not_affect_each_other(plain, by_column, by_row):
    rng = np.random.default_rng(3)
    columns, y = example(rng, 200, 7)
    weights = bootstrap_counts(rng, 37, 200)
    together = by_column(columns, y)(weights)
    for j in range(7):
        alone = by_column(columns[:, j : j + 1], y)(weights[:10])
        assert (together[:10, j] == alone[:, 0]).all()


@pytest.mark.parametrize("n_sums", [1, 3, 40])
@pytest.mark.parametrize("n_rows", [1, 16, 37])
def test_sums_within_groups(n_sums, n_rows):
    rng = np.random.default_rng(n_sums)
    statistics = rng.normal(size=(300, n_sums))
    groups = rng.integers(-1, 4, 300)
    weights = bootstrap_counts(rng, n_rows, 300)
    statistics[(weights == 0).all(axis=0)] = np.nan  # these units are never drawn, so their gaps must not matter
    sums = weighted.grouped_sums(weights, statistics, groups, 4)
    for b, row in enumerate(weights):
        drawn = np.repeat(np.arange(300), row)
        for group in range(4):
            expected = statistics[drawn[groups[drawn] == group]].sum(axis=0)
            np.testing.assert_allclose(sums[b, group], expected, atol=1e-9)
    together = weighted.weighted_sums(weights, np.nan_to_num(statistics))
    np.testing.assert_allclose(together, weights @ np.nan_to_num(statistics), atol=1e-9)


def test_pearson_with_a_target_for_each_column():
    rng = np.random.default_rng(11)
    columns, targets = rng.normal(size=(2, 80, 5))
    weights = bootstrap_counts(rng, 20, 80)
    together = weighted.weighted_pearson(columns, targets)(weights)
    for j in range(5):
        alone = weighted.weighted_pearson(columns[:, j : j + 1], targets[:, j])(weights)
        assert (together[:, j] == alone[:, 0]).all()


def test_rows_ignore_gaps():
    x = np.array([[1.0, np.nan, 2.0, 5.0], [1.0, 2.0, 3.0, 4.0]])
    y = np.array([[1.0, 9.0, 3.0, 2.0], [1.0, 2.0, np.nan, 0.0]])
    weights = np.ones((2, 4), np.int32)
    for plain, _, by_row in FAMILIES:
        expected = [
            plain(np.array([1.0, 2, 5]), np.array([1.0, 3, 2])),
            plain(np.array([1.0, 2, 4]), np.array([1.0, 2, 0])),
        ]
        np.testing.assert_allclose(by_row(weights, x, y), expected, atol=1e-12)


@pytest.mark.parametrize(
    ("swapped", "plain"),
    [
        (swapped_pearson, correlation.pearson),
        (swapped_spearman, correlation.spearman),
        (swapped_kendall, correlation.kendall_b),
    ],
)
def test_swapped_differences_equal_those_of_swapped_columns(swapped, plain):
    rng = np.random.default_rng(5)
    columns, y = example(rng, 30, 4)
    masks = swaps(rng, 25, 30)
    pairs = list(combinations(range(4), 2))
    values = swapped(columns, y, pairs)(masks)
    z = (columns - columns.mean(axis=0)) / columns.std(axis=0)
    z = rank_scores(columns) if swapped is swapped_spearman else z
    for pair, (a, b) in enumerate(pairs):
        for row, mask in enumerate(masks):
            first = np.where(mask, z[:, b], z[:, a])
            second = np.where(mask, z[:, a], z[:, b])
            assert values[row, pair] == pytest.approx(plain(first, y) - plain(second, y), abs=1e-9)


@pytest.mark.parametrize(
    ("swapped", "plain"),
    [
        (swapped_pearson, correlation.pearson),
        (swapped_spearman, correlation.spearman),
        (swapped_kendall, correlation.kendall_b),
    ],
)
def test_no_swap_gives_the_observed_difference_and_a_full_swap_its_negative(swapped, plain):
    columns, y = example(np.random.default_rng(6), 50, 2)
    masks = np.stack([np.zeros(50, np.int32), np.ones(50, np.int32)])
    values = swapped(columns, y, [(0, 1)])(masks)[:, 0]
    observed = plain(columns[:, 0], y) - plain(columns[:, 1], y)
    np.testing.assert_allclose(values, [observed, -observed], atol=1e-9)


def test_spearman_of_more_units_than_64_bits_can_rank():
    """A thousand units with total weight five million: the sum of squared ranks exceeds 2^63."""
    x = np.random.default_rng(7).permutation(1000).astype(float)
    weights = np.full((1, 1000), 5000, np.int32)
    columns = np.stack([x, -x, np.roll(x, 1)], axis=1)
    expected = [1.0, -1.0, correlation.spearman(np.roll(x, 1), x)]
    np.testing.assert_allclose(weighted.weighted_spearman(columns, x)(weights)[0], expected, atol=1e-9)
    for column, value in zip(columns.T, expected, strict=True):
        rho = weighted_rows.rows_spearman(weights, column[None].copy(), x[None].copy())
        assert rho[0] == pytest.approx(value, abs=1e-9)
