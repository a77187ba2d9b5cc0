"""Diversity kernels against reference implementations."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.kernels.overlap import diversity
from assay.kernels.overlap.ngrams import count_ngrams, ngram_ids
from assay.kernels.pairs.set_pairs import mean_of_pairs, pairs_within
from assay.kernels.points import dispersion
from assay.kernels.ragged import running_offsets
from assay.kernels.statistics.threshold import best_threshold
from tests.oracles import diversity as oracle

texts = st.lists(st.integers(0, 4), max_size=9)
collections = st.lists(st.lists(texts, min_size=0, max_size=4), min_size=1, max_size=5)


def packed(sets: list[list[list[int]]]) -> dict[str, np.ndarray]:
    flat = [text for texts in sets for text in texts]
    return {
        "tokens": np.array([token for text in flat for token in text], np.int32),
        "offsets": running_offsets(np.array([len(text) for text in flat], np.int64)),
        "members": np.arange(len(flat)),
        "set_offsets": running_offsets(np.array([len(texts) for texts in sets], np.int64)),
    }


@given(collections, st.integers(1, 3))
def test_ngram_kernels(sets: list[list[list[int]]], n: int) -> None:
    data = packed(sets)
    grams, sizes = ngram_ids(data["tokens"], data["offsets"], n)
    where = (data["offsets"], data["members"], data["set_offsets"])
    ratios = diversity.distinct_ratio(grams[n - 1], int(sizes[n - 1]), *where)
    np.testing.assert_array_equal(ratios, [oracle.distinct_ratio(s, n) for s in sets])
    entropies = diversity.ngram_entropy(grams[n - 1], int(sizes[n - 1]), *where)
    np.testing.assert_allclose(entropies, [oracle.ngram_entropy(s, n) for s in sets], atol=1e-12)
    counted = count_ngrams(grams[n - 1], data["offsets"])
    cosines = diversity.mean_count_cosine(*counted, int(sizes[n - 1]), *where[1:])
    np.testing.assert_allclose(cosines, [oracle.mean_count_cosine(s, n) for s in sets], atol=2e-12)


@given(collections, st.sampled_from([0.5, 0.72, 0.9]))
def test_lexical_diversity(sets: list[list[list[int]]], threshold: float) -> None:
    data = packed(sets)
    values = diversity.lexical_diversity(
        data["tokens"], 5, data["offsets"], data["members"], data["set_offsets"], threshold
    )
    np.testing.assert_allclose(values, [oracle.lexical_diversity(s, threshold) for s in sets], rtol=1e-12)


@given(st.lists(texts, min_size=2, max_size=5))
def test_edit_distances(some: list[list[int]]) -> None:
    data = packed([some])
    left, right, _ = pairs_within(data["members"], data["set_offsets"], 100, np.random.default_rng(0))
    result = diversity.edit_distances(data["tokens"], data["offsets"], left, right)
    expected = [oracle.edit_distance(some[i], some[j]) for i, j in zip(left, right, strict=True)]
    np.testing.assert_array_equal(result, expected)


def cosines_of(sets: list[list[list[int]]]) -> np.ndarray:
    data = packed(sets)
    grams, sizes = ngram_ids(data["tokens"], data["offsets"], 1)
    counted = count_ngrams(grams[0], data["offsets"])
    return diversity.mean_count_cosine(*counted, int(sizes[0]), data["members"], data["set_offsets"])


def test_mean_cosines_do_not_depend_on_order_or_numbers() -> None:
    """A thousand sets, since a sum in another order differs in the 12th decimal of about one in a thousand."""
    rng = np.random.default_rng(0)
    sets = [[rng.integers(0, 30, 12).tolist() for _ in range(rng.integers(2, 12))] for _ in range(1_000)]
    renumbered = rng.permutation(30)
    others = [[renumbered[some[i]].tolist() for i in rng.permutation(len(some))] for some in sets]
    np.testing.assert_array_equal(cosines_of(sets), cosines_of(others))


def test_mean_cosine_of_a_large_set() -> None:
    rng = np.random.default_rng(0)
    texts = [rng.zipf(1.3, 9).clip(max=5_000).tolist() for _ in range(20_000)]
    vectors = np.zeros((len(texts), 5_001))
    for row, text in enumerate(texts):
        np.add.at(vectors[row], text, 1.0)
    total = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).sum(axis=0)
    expected = (total @ total - len(texts)) / (len(texts) * (len(texts) - 1))
    assert cosines_of([texts])[0] == pytest.approx(expected, abs=2e-12)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 7])
def test_all_pairs(n: int) -> None:
    rng = np.random.default_rng(0)
    left, right, offsets = pairs_within(np.arange(n) + 10, np.array([0, n]), 1000, rng)
    expected = {(i + 10, j + 10) for i in range(n) for j in range(i + 1, n)}
    assert set(zip(left.tolist(), right.tolist(), strict=True)) == expected
    assert offsets.tolist() == [0, len(expected)]


def test_excess_pairs_are_sampled_without_replacement() -> None:
    offsets = np.array([0, 3, 10_003, 10_005])
    left, right, pairs = pairs_within(np.arange(10_005), offsets, 50_000, np.random.default_rng(1))
    assert pairs.tolist() == [0, 3, 50_003, 50_004]
    middle = slice(3, 50_003)
    assert (left[middle] < right[middle]).all()
    assert left[middle].min() >= 3
    assert right[middle].max() < 10_003
    assert len(set(zip(left.tolist(), right.tolist(), strict=True))) == 50_004
    # The mean of the smaller index of a random pair of n is about n / 3.
    assert left[middle].mean() == pytest.approx(10_000 / 3, rel=0.02)


def test_sampled_pairs_do_not_depend_on_other_sets() -> None:
    members, offsets = np.arange(90), np.array([0, 40, 90])
    left, right, pairs = pairs_within(members, offsets, 30, np.random.default_rng(0))
    alone = pairs_within(members, offsets[1:], 30, np.random.default_rng(0))
    assert left[pairs[1] :].tolist() == alone[0].tolist()
    assert right[pairs[1] :].tolist() == alone[1].tolist()


@given(st.integers(2, 40), st.integers(1, 60), st.integers(0, 5))
def test_sampled_pairs_are_valid(n: int, most: int, seed: int) -> None:
    left, right, _ = pairs_within(np.arange(n), np.array([0, n]), most, np.random.default_rng(seed))
    assert len(left) == min(most, n * (n - 1) // 2)
    assert ((0 <= left) & (left < right) & (right < n)).all()
    assert len(set(zip(left.tolist(), right.tolist(), strict=True))) == len(left)


def test_mean_of_pairs() -> None:
    means = mean_of_pairs(np.array([1.0, 3.0, np.nan, 4.0]), np.array([0, 2, 2, 4]))
    np.testing.assert_array_equal(means, [2.0, np.nan, np.nan])


@given(st.lists(st.tuples(st.integers(-3, 3).map(float), st.booleans()), min_size=1, max_size=12))
def test_best_threshold(rows: list[tuple[float, bool]]) -> None:
    scores, labels = zip(*rows, strict=True)
    result = best_threshold(np.array(scores), np.array(labels))
    assert result == oracle.best_threshold(scores, labels)


def test_best_threshold_without_scores() -> None:
    assert np.isnan(best_threshold(np.zeros(0), np.zeros(0, bool))).all()


vectors = st.integers(2, 8).flatmap(
    lambda n: st.lists(st.lists(st.integers(-3, 3), min_size=3, max_size=3).filter(any), min_size=n, max_size=n)
)


@given(vectors)
def test_vector_measures(rows: list[list[int]]) -> None:
    points = np.array(rows, np.float64)
    assert dispersion.mean_pair_cosine(points) == pytest.approx(oracle.mean_pair_cosine(rows), abs=1e-11)
    assert dispersion.vendi(points) == pytest.approx(oracle.vendi(points), rel=1e-9)


def test_vendi_counts_distinct_texts() -> None:
    assert dispersion.vendi(np.eye(4)) == pytest.approx(4)
    assert dispersion.vendi(np.ones((5, 3))) == pytest.approx(1)
    assert dispersion.vendi(np.repeat(np.eye(3), 10, axis=0)) == pytest.approx(3)


def test_identical_vectors() -> None:
    same = np.ones((5, 4))
    assert dispersion.mean_pair_cosine(same) == 1
    assert dispersion.volume(same) == 0
    assert np.isnan(dispersion.homogeneity(same))
    assert dispersion.inertia(same, 2) == pytest.approx(0, abs=1e-12)


def test_too_few_vectors() -> None:
    one = np.ones((1, 4))
    for measure in (dispersion.mean_pair_cosine, dispersion.volume, dispersion.homogeneity):
        assert np.isnan(measure(one))
    assert np.isnan(dispersion.inertia(np.eye(3)[:2], 2))


def test_volume_is_the_geometric_mean_of_deviations() -> None:
    points = np.array([[0.0, 0.0], [2.0, 8.0]])
    assert dispersion.volume(points) == pytest.approx(2.0)  # deviations 1 and 4
    unused = np.column_stack([points, [7.0, 7.0]])
    assert dispersion.volume(unused) == pytest.approx(2.0)


def test_homogeneity_is_one_when_all_distances_are_equal() -> None:
    assert dispersion.homogeneity(np.eye(6)) == pytest.approx(1)
    uneven = np.array([[0.0, 0, 0], [0.1, 0, 0], [0, 0.1, 0], [9, 9, 9]])
    assert dispersion.homogeneity(uneven) < 0.8


def test_inertia_finds_two_clusters() -> None:
    points = np.array([[0.0, 0], [0, 1], [10, 0], [10, 1], [10, 0.5]])
    expected = (0.25 + 0.25 + 0.25 + 0.25 + 0) / 5
    assert dispersion.inertia(points, 2) == pytest.approx(expected)


def test_the_context_direction_is_removed() -> None:
    vectors, context = np.array([[1.0, 1, 0], [2, 0, 0], [0, 0, 3]]), np.array([5.0, 0, 0])
    left = dispersion.without_direction(vectors, context)
    np.testing.assert_allclose(left, [[0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 1, 0]])
    np.testing.assert_allclose(dispersion.without_direction(np.array([[0.0, 2]]), np.zeros(2)), [[0, 1, 0]])


def test_short_residuals_are_downweighted() -> None:
    context = np.array([1.0, 0, 0])
    vectors = np.array([[0.6, 0.8, 0], [1, 0, 0], [np.sqrt(1 - 0.09), 0, 0.3]])
    left = dispersion.without_direction(vectors, context, 0.5)
    # Residual 0.8 counts in full; residual 0 leaves only the extra axis; residual 0.3 counts 0.6.
    np.testing.assert_allclose(left, [[0, 1, 0, 0], [0, 0, 0, 1], [0, 0, 0.6, 0.8]], atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(left, axis=1), 1)
    assert dispersion.mean_pair_cosine(dispersion.without_direction(vectors[[1, 1]], context, 0.5)) == 1
    assert not dispersion.without_direction(np.zeros((1, 3)), context, 0.5).any()
