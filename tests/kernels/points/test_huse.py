"""Votes, ties and errors of HUSE."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.kernels.points.huse import errors, human_share, random_neighbor_errors, spreads, twice_mean
from assay.kernels.points.neighbors import PointNeighbors, leave_one_out


def counted(inner: int, inner_human: int, total: int, human: int) -> PointNeighbors:
    return PointNeighbors(np.ones(1), *(np.array([value]) for value in (inner, inner_human, total, human)))


@pytest.mark.parametrize(
    ("votes", "rule", "human_is_wrong", "model_is_wrong"),
    [
        ((9, 16), "human", 0, 1),
        ((8, 16), "human", 0, 1),
        ((8, 16), "model", 1, 0),
        ((8, 16), "half", 0.5, 0.5),
        ((7, 16), "human", 1, 0),
        ((10, 21), "human", 1, 0),
    ],
)
def test_majority_and_tied_votes(
    votes: tuple[int, int], rule: str, human_is_wrong: float, model_is_wrong: float
) -> None:
    positive, total = np.array([votes[0]] * 2), np.array([votes[1]] * 2)
    result = PointNeighbors(np.ones(2), np.zeros(2, int), np.zeros(2, int), total, positive)
    wrong = errors(result, np.array([True, False]), rule)  # type: ignore[arg-type]
    assert wrong.tolist() == [human_is_wrong, model_is_wrong]


def test_votes_are_weighted_by_inverse_class_size() -> None:
    human = np.array([True, False, False])  # one human output, two of the model
    result = PointNeighbors(np.ones(3), np.zeros(3, int), np.zeros(3, int), np.full(3, 3), np.full(3, 1))
    assert human_share(result, human).tolist() == [0.5] * 3
    assert errors(result, human, "half").tolist() == [0.5] * 3
    assert twice_mean(np.array([1.0, 1.0, 0.0]), human) == 2 * (1 + 0.5) / 2


@given(
    st.integers(0, 10).flatmap(lambda inner: st.tuples(st.just(inner), st.integers(0, inner))),
    st.integers(6, 30).flatmap(lambda border: st.tuples(st.just(border), st.integers(0, border))),
    st.sampled_from(["human", "model", "half"]),
    st.booleans(),
)
def test_random_neighbors_equal_a_simulation(
    inside: tuple[int, int], border: tuple[int, int], rule: str, is_human: bool
) -> None:
    """The exact expectation against 4,000 draws (a difference of .04 is five standard deviations)."""
    result = counted(inside[0], inside[1], inside[0] + border[0], inside[1] + border[1])
    # Two outputs, one per class, so that votes have equal weight.
    both = PointNeighbors(*(np.repeat(column, 2) for column in vars(result).values()))
    labels = np.array([is_human, not is_human])
    k = 16
    exact = random_neighbor_errors(both, labels, k, rule)[0]  # type: ignore[arg-type]
    rng = np.random.default_rng(0)
    drawn = k - inside[0]
    if drawn > border[0]:
        return
    votes = inside[1] + rng.hypergeometric(border[1], border[0] - border[1], drawn, 4000)
    tied = {"human": not is_human, "model": is_human, "half": 0.5}[rule]
    wrong = np.where(2 * votes == k, tied, (2 * votes > k) != is_human)
    assert exact == pytest.approx(wrong.mean(), abs=0.04)


def test_spreads_ignore_constants_and_unmeasured_entries() -> None:
    features = np.array([[1.0, 0.1, -99.0], [3.0, 0.1, 2.0], [1.0, 0.1, 4.0], [3.0, 0.1, 6.0]])
    measured = np.ones(features.shape, bool)
    measured[0, 2] = False
    assert spreads(features, measured).tolist() == [1.0, 1.0, np.array([2.0, 4.0, 6.0]).std()]


def test_separable_classes_have_no_error_and_identical_ones_many() -> None:
    rng = np.random.default_rng(0)
    human = np.arange(400) < 200
    apart = np.where(human[:, None], 0.0, 100.0) + rng.normal(size=(400, 2))
    together = rng.normal(size=(400, 2))
    for points, low, high in ((apart, 0.0, 0.0), (together, 0.8, 1.2)):
        result = leave_one_out(points, human, 16)
        assert low <= twice_mean(errors(result, human), human) <= high
