"""Distributions over choices."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import softmax as scipy_softmax
from scipy.stats import entropy as scipy_entropy

from assay.kernels.ragged import Ragged, running_offsets
from assay.kernels.statistics.beliefs import cross_entropy, entropy, hits, row_sums, softmax

ROWS = st.lists(st.lists(st.floats(-30, 30), max_size=4), max_size=5)


def ragged(rows: list[list[float]]) -> Ragged:
    lengths = np.array([len(row) for row in rows], np.int64)
    return Ragged(np.array([value for row in rows for value in row], np.float64), running_offsets(lengths))


@given(ROWS)
def test_softmax_and_entropy_are_those_of_scipy(rows: list[list[float]]) -> None:
    beliefs = softmax(ragged(rows))
    uncertainty = entropy(beliefs)
    for row, scores in enumerate(rows):
        if scores:
            assert beliefs[row] == pytest.approx(scipy_softmax(scores), abs=1e-12)
            assert uncertainty[row] == pytest.approx(scipy_entropy(scipy_softmax(scores)), abs=1e-9)
        else:
            assert uncertainty[row] == 0.0


def test_softmax_of_nothing_possible_is_uniform() -> None:
    assert softmax(ragged([[-np.inf, -np.inf], [0.0, -np.inf]])).values.tolist() == [0.5, 0.5, 1.0, 0.0]


def test_temperature_flattens() -> None:
    scores = ragged([[2.0, 0.0]])
    assert softmax(scores, 2.0).values == pytest.approx(softmax(ragged([[1.0, 0.0]])).values)


@given(ROWS)
def test_no_distribution_explains_another_better_than_itself(rows: list[list[float]]) -> None:
    meant = softmax(ragged(rows))
    other = softmax(ragged([row[::-1] for row in rows]))
    assert np.all(cross_entropy(meant, other) >= entropy(meant) - 1e-9)
    assert row_sums(meant) == pytest.approx([1.0 if row else 0.0 for row in rows])


def test_hits_share_ties() -> None:
    meant = ragged([[1, 0, 0], [1, 0, 0], [0, 0, 1], [0.5, 0.5, 0]])
    heard = ragged([[0.4, 0.4, 0.2], [0.2, 0.6, 0.2], [0.1, 0.1, 0.8], [0.5, 0.25, 0.25]])
    assert hits(meant, heard).tolist() == [0.5, 0.0, 1.0, 1.0]
