import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_fleiss

from assay.kernels.votes.agreement import fleiss_kappa, krippendorff_alpha, percent_agreement, vote_counts
from assay.kernels.votes.cohen import cohen_kappa, disagreement_weights, mean_pair_kappa, shared_votes
from tests.oracles import agreement as plain

N_UNITS, N_ANNOTATORS, N_CATEGORIES = 6, 5, 4
VALUES = np.array([0.0, 1.0, 2.5, 4.0])
SCALES = ("nominal", "ordinal", "interval", "ratio")

cells = st.lists(st.tuples(st.integers(0, N_UNITS - 1), st.integers(0, N_ANNOTATORS - 1)), unique=True, max_size=24)
votes = cells.flatmap(
    lambda places: st.lists(st.integers(0, N_CATEGORIES - 1), min_size=len(places), max_size=len(places)).map(
        lambda answers: [(u, a, c) for (u, a), c in zip(places, answers, strict=True)]
    )
)


def counted(table, copies=None):
    units, annotators, categories = np.array(table, dtype=np.int64).reshape(-1, 3).T
    copies = np.ones(N_ANNOTATORS, np.int64) if copies is None else copies
    return vote_counts(units, annotators, categories, (N_UNITS, N_CATEGORIES), copies)


def once(n=N_UNITS):
    return np.ones((1, n), np.int64)


@settings(max_examples=400, deadline=None)
@given(votes)
def test_equal_to_the_definition(table):
    counts, self_pairs = counted(table)
    close = {"rel": 1e-12, "abs": 1e-12, "nan_ok": True}
    assert percent_agreement(counts, self_pairs, once())[0] == pytest.approx(plain.percent_agreement(table), **close)
    assert fleiss_kappa(counts, self_pairs, once())[0] == pytest.approx(plain.fleiss_kappa(table), **close)
    for scale in SCALES:
        ours = krippendorff_alpha(counts, self_pairs, once(), VALUES, scale)[0]
        assert ours == pytest.approx(plain.krippendorff_alpha(table, VALUES, scale), **close), scale


@settings(max_examples=150, deadline=None)
@given(votes, st.lists(st.integers(0, 3), min_size=N_UNITS, max_size=N_UNITS))
def test_a_weight_is_a_repeated_unit(table, times):
    repeated = [
        (unit * 10 + copy, annotator, category) for unit, annotator, category in table for copy in range(times[unit])
    ]
    counts, self_pairs = counted(table)
    weights = np.array([times], np.int64)
    close = {"rel": 1e-12, "abs": 1e-12, "nan_ok": True}
    assert fleiss_kappa(counts, self_pairs, weights)[0] == pytest.approx(plain.fleiss_kappa(repeated), **close)
    for scale in SCALES:
        assert krippendorff_alpha(counts, self_pairs, weights, VALUES, scale)[0] == pytest.approx(
            plain.krippendorff_alpha(repeated, VALUES, scale), **close
        )


def test_copies_of_an_annotator_do_not_agree_with_themselves():
    table = [(unit, annotator, (unit + annotator) % 2) for unit in range(4) for annotator in range(2)]
    drawn_twice = counted(table, np.array([2, 1, 0, 0, 0]))
    assert percent_agreement(*drawn_twice, once())[0] == 0.0
    alone = counted(table, np.array([3, 0, 0, 0, 0]))
    assert np.isnan(percent_agreement(*alone, once())[0])


def test_random_tables_against_krippendorff_and_statsmodels():
    rng = np.random.default_rng(1)
    for _ in range(2000):
        n_annotators, n_units, n_categories = rng.integers(2, 6), rng.integers(2, 15), rng.integers(2, 6)
        answers = rng.integers(0, n_categories, (n_annotators, n_units))
        present = rng.random(answers.shape) < 0.8
        values = np.sort(rng.choice(np.arange(1, 20), n_categories, replace=False)).astype(float)
        data = np.where(present, values[answers], np.nan)
        annotators, units = np.nonzero(present)
        counts, self_pairs = vote_counts(
            units, annotators, answers[present], (n_units, n_categories), np.ones(n_annotators, np.int64)
        )
        for scale in SCALES:
            ours = krippendorff_alpha(counts, self_pairs, once(n_units), values, scale)[0]
            if np.isnan(ours):
                continue
            theirs = krippendorff.alpha(data, level_of_measurement=scale)
            assert ours == pytest.approx(theirs, rel=1e-9, abs=1e-9)
        full, _ = vote_counts(
            *(index.ravel() for index in np.indices(answers.shape)[::-1]),
            answers.ravel(),
            (n_units, n_categories),
            np.ones(n_annotators, np.int64),
        )
        if (full.sum(axis=0) > 0).sum() > 1:
            ours = fleiss_kappa(full, full.sum(axis=1), once(n_units))[0]
            assert ours == pytest.approx(statsmodels_fleiss(full), rel=1e-9, abs=1e-9)


def test_fleiss_example_of_1971():
    """Fleiss (1971), table 1: 30 patients, 6 psychiatrists, kappa .430."""
    rows = """
    0 0 0 6 0|0 3 0 0 3|0 1 4 0 1|0 0 0 0 6|0 3 0 3 0|2 0 4 0 0|0 0 4 0 2|2 0 3 1 0|2 0 0 4 0|0 0 0 0 6
    |1 0 0 5 0|1 1 0 4 0|0 3 3 0 0|1 0 0 5 0|0 2 0 3 1|0 0 5 0 1|3 0 0 1 2|5 1 0 0 0|0 2 0 4 0|1 0 2 0 3
    |0 0 0 0 6|0 1 0 5 0|0 2 0 1 3|2 0 0 4 0|1 0 0 4 1|0 5 0 1 0|4 0 0 0 2|0 2 0 4 0|1 0 5 0 0|0 0 0 0 6"""
    counts = np.array([[int(x) for x in row.split()] for row in rows.split("|")])
    assert fleiss_kappa(counts, counts.sum(axis=1), once(30))[0] == pytest.approx(0.430, abs=5e-4)


def test_cohen_against_scikit_learn():
    rng = np.random.default_rng(2)
    for _ in range(500):
        size, n = rng.integers(2, 6), rng.integers(5, 40)
        left, right = rng.integers(0, size, (2, n))
        if len(set(left) | set(right)) < 2:
            continue
        confusion = np.zeros((size, size))
        np.add.at(confusion, (left, right), 1)
        for weighting in ("none", "linear", "quadratic"):
            cost = disagreement_weights(np.arange(size, dtype=float), weighting)
            theirs = cohen_kappa_score(
                left, right, labels=range(size), weights=None if weighting == "none" else weighting
            )
            assert cohen_kappa(confusion, cost) == pytest.approx(theirs, rel=1e-9, abs=1e-9)


@settings(max_examples=200, deadline=None)
@given(votes, st.integers(1, 3))
def test_mean_over_pairs_of_annotators(table, min_shared):
    units, annotators, categories = np.array(table, dtype=np.int64).reshape(-1, 3).T
    shared, offsets = shared_votes(units, annotators, categories, N_ANNOTATORS)
    cost = disagreement_weights(VALUES, "linear")
    ours = mean_pair_kappa(shared, offsets, once(), once(N_ANNOTATORS), cost, min_shared)[0]
    theirs = plain.mean_pair_kappa(table, lambda a, b: abs(VALUES[a] - VALUES[b]), min_shared)
    assert ours == pytest.approx(theirs, rel=1e-12, abs=1e-12, nan_ok=True)


def test_one_category_and_no_pairs_are_undefined():
    one_category = np.array([[3, 0], [3, 0]])
    assert np.isnan(fleiss_kappa(one_category, one_category.sum(axis=1), once(2))[0])
    assert np.isnan(krippendorff_alpha(one_category, one_category.sum(axis=1), once(2), np.arange(2.0), "nominal")[0])
    assert percent_agreement(one_category, one_category.sum(axis=1), once(2))[0] == 1.0
    alone = np.array([[1, 0], [0, 1]])
    assert np.isnan(percent_agreement(alone, alone.sum(axis=1), once(2))[0])
