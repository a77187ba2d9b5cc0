"""Distribution metrics against mauve-text, definitions, and worlds with known answers."""

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics.pairwise import rbf_kernel

from assay import Dataset, load, score
from assay.kernels.points.clusters import cluster_labels
from assay.kernels.points.dispersion import unit
from assay.kernels.points.distributions import frontier_area, share_in_support, squared_mmd
from assay.sample import PATH

counts = st.lists(st.integers(0, 30), min_size=6, max_size=6).filter(lambda values: sum(values) > 0)


@settings(max_examples=30)
@given(counts, counts)
def test_the_frontier_is_that_of_mauve_text(left: list[int], right: list[int]) -> None:
    pytest.importorskip("mauve", reason="mauve-text is not installed")
    peer = sys.modules["mauve.compute_mauve"]  # the package shows a function of that name
    p, q = np.array(left) / sum(left), np.array(right) / sum(right)
    x, y = peer.get_divergence_curve_for_multinomials(p, q, np.linspace(1e-6, 1 - 1e-6, 25), 5).T
    expected = 0.5 * (
        peer.compute_area_under_curve(np.sort(x), y[np.argsort(x)])
        + peer.compute_area_under_curve(np.sort(y), x[np.argsort(y)])
    )
    assert frontier_area(p, q, 5.0) == pytest.approx(expected, abs=1e-9)


def two_clouds(shift: float, n: int = 400, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    left, right = rng.normal(size=(2, n, 8))
    left[:, 0] += 3
    right[:, 0] += 3
    right[:, 1] += shift
    return left, right


def mauve_of(left: np.ndarray, right: np.ndarray) -> float:
    n = len(left) // 10
    labels = cluster_labels(unit(np.concatenate([left, right])), n, 0)
    p, q = (np.bincount(side, minlength=n) / len(side) for side in np.split(labels, 2))
    return frontier_area(p, q, 5.0)


def test_whole_scores_are_near_those_of_mauve_text() -> None:
    mauve = pytest.importorskip("mauve", reason="mauve-text is not installed")
    for shift in (0.0, 1.0, 3.0):
        left, right = two_clouds(shift)
        peer = mauve.compute_mauve(p_features=left, q_features=right, verbose=False).mauve
        assert mauve_of(left, right) == pytest.approx(peer, abs=0.06)  # other k-means, other starts


def test_mmd_is_the_unbiased_estimate() -> None:
    left, right = two_clouds(1.0, 60)
    gamma = 1 / (2 * 2.0**2)
    a, b, between = rbf_kernel(left, gamma=gamma), rbf_kernel(right, gamma=gamma), rbf_kernel(left, right, gamma=gamma)
    off = ~np.eye(60, dtype=bool)
    assert squared_mmd(left, right, 2.0) == pytest.approx(a[off].mean() + b[off].mean() - 2 * between.mean(), abs=1e-12)


def test_mmd_of_equal_distributions_is_zero_on_average() -> None:
    values = [squared_mmd(*two_clouds(0.0, 40, seed), None) for seed in range(200)]
    assert abs(np.mean(values)) < 3 * np.std(values) / np.sqrt(len(values))


def test_support_of_a_collapsed_sample() -> None:
    rng = np.random.default_rng(0)
    everywhere, somewhere = rng.uniform(size=(300, 2)), 0.5 + 0.01 * rng.uniform(size=(300, 2))
    assert share_in_support(somewhere, everywhere, 3) > 0.95  # precise
    assert share_in_support(everywhere, somewhere, 3) < 0.05  # without recall
    assert share_in_support(everywhere, everywhere, 3) == 1.0


@pytest.mark.slow
def test_the_sample_shows_what_the_metrics_are_for() -> None:
    names = ["mauve", "mmd", "support_precision", "support_recall"]
    table = score(load(str(PATH)), names, unit="system")
    values = {name: dict(zip(table.unit, table[name].values.tolist(), strict=True)) for name in names}
    assert np.isnan(values["mauve"]["people"]) and "compared with" in table["mauve"].gaps.reasons[1]
    assert values["support_recall"]["collapsed"] < values["support_recall"]["ngram-t1.0"]
    assert values["mmd"]["ngram-t0.5"] > 0


def test_few_texts_are_a_gap() -> None:
    rows = [{"text": f"text {n}", "system": "a" if n % 2 else "people", "human": n % 2 == 0} for n in range(12)]
    table = score(Dataset.from_records(rows), ["mauve"])
    assert np.isnan(table["mauve"].values).all()
    assert any("fewer than 10 texts" in reason for reason in table["mauve"].gaps.reasons)
