import numpy as np
import pytest
from scipy.stats import spearmanr

from assay.kernels.statistics.grouped import grouped_means, grouped_spearman


@pytest.mark.parametrize("most", [12, 40], ids=["walked", "counted"])
@pytest.mark.parametrize("seed", range(10))
def test_equal_to_scipy_on_repeated_rows(seed, most):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, most, 5)
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    units = np.concatenate([rng.choice(40, size, replace=False) for size in sizes])
    x, y = rng.integers(0, 4, (2, len(units))).astype(float)
    weights = rng.integers(0, 3, (20, 40))
    means = grouped_means(offsets, units, np.where(x == 3, np.nan, x))(weights)
    rho = grouped_spearman(offsets, units, x, y)(weights)
    for b in range(20):
        for group in range(5):
            rows = np.arange(offsets[group], offsets[group + 1])
            repeated = np.repeat(rows, weights[b, units[rows]])
            a, c = x[repeated], y[repeated]
            defined = len(set(a)) > 1 and len(set(c)) > 1
            expected = spearmanr(a, c)[0] if defined else np.nan
            assert rho[b, group] == pytest.approx(expected, abs=1e-12, nan_ok=True)
            kept = a[a < 3]
            assert means[b, group] == pytest.approx(kept.mean() if len(kept) else np.nan, nan_ok=True)


@pytest.mark.parametrize("n_values", [5, 1000], ids=["counted", "walked"])
def test_rho_of_more_rows_than_64_bits_can_rank(n_values):
    x = np.random.default_rng(1).integers(0, n_values, 1000).astype(float)
    weights = np.full((1, 1000), 5000)
    for y, expected in ((x, 1.0), (-x, -1.0)):
        rho = grouped_spearman(np.array([0, 1000]), np.arange(1000), x, y)(weights)
        assert rho[0, 0] == pytest.approx(expected, abs=1e-9)
