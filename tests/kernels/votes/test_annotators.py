from math import nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.kernels.votes.annotators import AgainstMean, against_mean, summarize


def plain(votes, annotator, own_vote):
    """(squared errors, pairs of own answer and mean) of one annotator, by definition."""
    errors = []
    for unit, who, value in votes:
        if who != annotator:
            continue
        others = [v for u, w, v in votes if u == unit and (own_vote or w != annotator)]
        if others:
            errors.append((value - sum(others) / len(others)) ** 2)
    return errors


@given(
    st.lists(
        st.tuples(st.integers(0, 4), st.integers(0, 3), st.integers(0, 5)), max_size=20, unique_by=lambda v: v[:2]
    ),
    st.booleans(),
)
def test_errors_follow_the_definition(votes, own_vote):
    unit, annotator, value = (np.array([vote[i] for vote in votes], int) for i in range(3))
    result = against_mean(unit, annotator, value.astype(float), 4, own_vote=own_vote)
    for person in range(4):
        errors = plain(votes, person, own_vote)
        assert result.n[person] == len(errors)
        expected = sum(errors) / len(errors) if errors else nan
        assert result.mse[person] == pytest.approx(expected, nan_ok=True)


def test_a_constant_annotator_has_no_rho():
    unit, annotator = np.array([0, 1, 2, 0, 1, 2]), np.array([0, 0, 0, 1, 1, 1])
    result = against_mean(unit, annotator, np.array([1.0, 2, 3, 5, 5, 5]), 2, own_vote=True)
    assert result.rho[0] == pytest.approx(1)
    assert np.isnan(result.rho[1])
    assert summarize(result, constant_as_zero=True).average_rho == pytest.approx(0.5)
    assert summarize(result, constant_as_zero=False).average_rho == pytest.approx(1)


def test_one_unit_gives_no_rank_correlation():
    result = against_mean(np.array([0, 0]), np.array([0, 1]), np.array([1.0, 3.0]), 2, own_vote=True)
    assert result.mse.tolist() == [1, 1]
    assert np.isnan(summarize(result, constant_as_zero=True).average_rho)


def test_no_annotators():
    nothing = AgainstMean(np.full(2, nan), np.full(2, nan), np.zeros(2, int))
    assert all(np.isnan(summarize(nothing, constant_as_zero=True)))
