import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import EvaluatorError
from assay.evaluators.neighbors.held_out import HeldOut
from assay.evaluators.neighbors.rule import Rule, count_neighbors, stack_estimates
from assay.kernels.pairs.sparse_rows import from_dense

SIMILARITY = np.array([[0.9, 0.1, 0.5], [0.2, 0.2, 0.2], [0.0, 0.0, 0.0], [0.9, 0.9, 0.9]])
QUALITY = np.array([0.2, 0.4, 0.9])


def estimates(rule, similarity=SIMILARITY, empty=None):
    n = len(similarity)
    counted = count_neighbors(
        from_dense(similarity, 0.0),
        QUALITY,
        rule,
        n_train=np.full(n, 3),
        empty=np.zeros(n, bool) if empty is None else empty,
    )
    return counted.estimates(rule)


def test_mean_of_neighbors_or_the_reason_for_abstaining():
    found = estimates(Rule(0.2, 1, 0.67), empty=np.array([False, False, True, False]))
    assert found.values[0] == pytest.approx((0.2 + 0.9) / 2)
    assert np.isnan(found.values[1:]).all()
    assert [found.gaps[row] for row in range(4)] == [
        "",
        "too many neighbors (3 > 2.01)",
        "empty text",
        "too many neighbors (3 > 2.01)",
    ]
    assert found.coverage == 0.25
    assert found.n_neighbors.tolist() == [2, 3, 0, 3]


def test_similar_neighbors_count_more():
    found = estimates(Rule(0.2, 1, 0.67, "similarity"))
    assert found.values[0] == pytest.approx((0.9 * 0.2 + 0.5 * 0.9) / (0.9 + 0.5))


def test_too_few_is_said_with_both_numbers():
    assert estimates(Rule(0.2, 3, 1.0)).gaps[0] == "too few neighbors (2 < 3)"


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ((1.5,), "tau must be between 0 and 1. Got 1.5"),
        ((-0.1,), "tau must be between 0 and 1"),
        ((0.1, 0), "min_neighbors must be at least 1"),
        ((0.1, 5, 0), "max_fraction must be above 0"),
        ((0.1, 5, 1.0, "similar"), "Did you mean 'similarity'"),
        ((0.1, 5, 1.2), "max_fraction must be above 0 and at most 1"),
    ],
)
def test_bad_thresholds_are_refused(rule, words):
    with pytest.raises(EvaluatorError, match=words):
        Rule(*rule)


codes = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.booleans()), min_size=1, max_size=12)


@given(codes)
def test_held_out_texts_are_neither_used_nor_counted(texts):
    first, second = (np.array([text[i] for text in texts]) for i in range(2))
    bank = np.array([text[2] for text in texts])
    n = len(texts)
    held = HeldOut((first, second), bank)
    everything = from_dense(np.ones((n, n)), 0.5)
    kept = held.kept(everything).reshape(n, n)
    for i in range(n):
        expected = [bank[j] and first[i] != first[j] and second[i] != second[j] for j in range(n)]
        assert kept[i].tolist() == expected
        assert held.n_train()[i] == sum(expected)


def test_no_blocks_are_no_estimates():
    assert len(stack_estimates([])) == 0
