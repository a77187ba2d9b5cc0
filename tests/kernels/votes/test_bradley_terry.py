import choix
import evalica
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from assay.kernels.votes.bradley_terry import bradley_terry, undecided
from tests.oracles.bradley_terry import misfit


def counts_of(n_systems, high=4):
    return st.lists(st.integers(0, high), min_size=n_systems**2, max_size=n_systems**2).map(
        lambda cells: np.array(cells, float).reshape(n_systems, n_systems) * (1 - np.eye(n_systems))
    )


@settings(max_examples=300, deadline=None)
@given(counts_of(4), counts_of(4, 2), st.booleans())
def test_solves_davidsons_likelihood_equations(wins, ties, with_ties):
    ties = (ties + ties.T) * with_ties
    assume(not undecided(wins, ties))
    ours = bradley_terry(wins, ties)
    assert misfit(wins.tolist(), ties.tolist(), ours.strengths, ours.tie) < 1e-9
    assert ours.strengths.sum() == pytest.approx(0.0, abs=1e-9)


def test_without_ties_equal_to_choix_and_evalica():
    rng = np.random.default_rng(4)
    for _ in range(50):
        n_systems = int(rng.integers(2, 8))
        truth = rng.normal(size=n_systems)
        left, right = rng.integers(0, n_systems, (2, 300))
        left, right = left[left != right], right[left != right]
        left_wins = rng.random(len(left)) < 1 / (1 + np.exp(truth[right] - truth[left]))
        winner, loser = np.where(left_wins, left, right), np.where(left_wins, right, left)
        wins = np.zeros((n_systems, n_systems))
        np.add.at(wins, (winner, loser), 1)
        nobody = np.zeros_like(wins)
        if undecided(wins, nobody):
            continue
        ours = bradley_terry(wins, nobody).strengths
        pairs = list(zip(winner.tolist(), loser.tolist(), strict=True))
        np.testing.assert_allclose(ours, choix.opt_pairwise(n_systems, pairs, alpha=0.0, tol=1e-12), atol=1e-6)
        scores = evalica.bradley_terry(
            [f"s{i}" for i in left],
            [f"s{i}" for i in right],
            [evalica.Winner.X if won else evalica.Winner.Y for won in left_wins],
            tolerance=1e-14,
            limit=100_000,
        ).scores
        theirs = np.log([scores[f"s{i}"] for i in range(n_systems)])
        np.testing.assert_allclose(ours, theirs - theirs.mean(), atol=1e-6)


def test_covariance_is_the_inverse_of_the_curvature():
    """The information matrix against second differences of the log-likelihood, ties included."""
    rng = np.random.default_rng(7)
    wins = rng.integers(2, 12, (3, 3)) * (1.0 - np.eye(3))
    ties = np.array([[0, 3, 2], [3, 0, 5], [2, 5, 0.0]])
    fitted = bradley_terry(wins, ties)

    def minus_log_likelihood(free):
        s, log_tie = np.array([free[0], free[1], -free[0] - free[1]]), free[2]
        total = 0.0
        for i in range(3):
            for j in range(i):
                middle = log_tie + (s[i] + s[j]) / 2
                scale = np.log(np.exp(s[i]) + np.exp(s[j]) + np.exp(middle))
                total += wins[i, j] * (s[i] - scale) + wins[j, i] * (s[j] - scale)
                total += ties[i, j] * (middle - scale)
        return -total

    at = np.array([fitted.strengths[0], fitted.strengths[1], np.log(fitted.tie)])
    step, eye = 1e-4, np.eye(3)
    curvature = np.array(
        [
            [
                sum(
                    a * b * minus_log_likelihood(at + step * (a * eye[i] + b * eye[j]))
                    for a in (1, -1)
                    for b in (1, -1)
                )
                / (4 * step**2)
                for j in range(3)
            ]
            for i in range(3)
        ]
    )
    np.testing.assert_allclose(fitted.covariance[:2, :2], np.linalg.inv(curvature)[:2, :2], rtol=1e-5)
    np.testing.assert_allclose(fitted.covariance.sum(axis=1), 0, atol=1e-12)


@pytest.mark.parametrize(
    "wins",
    [
        [[0, 3], [0, 0]],  # undefeated
        [[0, 2, 0, 0], [2, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]],  # two disconnected groups
        [[0, 0], [0, 0]],  # no comparisons
        [[0]],
    ],
)
def test_unidentified_strengths_are_nan_unless_there_is_a_prior(wins):
    wins = np.array(wins, float)
    nobody = np.zeros_like(wins)
    assert undecided(wins, nobody)
    assert np.isnan(bradley_terry(wins, nobody).strengths).all()
    if len(wins) > 1:
        assert np.isfinite(bradley_terry(wins, nobody, prior_wins=0.1).strengths).all()


def test_a_tie_can_identify_the_strengths():
    """0 beat 1, 1 beat 2 and 0 tied with 2: without the tie the strengths would diverge."""
    wins, ties = np.zeros((3, 3)), np.zeros((3, 3))
    wins[0, 1] = wins[1, 2] = 1
    assert undecided(wins, ties)
    ties[0, 2] = ties[2, 0] = 1
    fitted = bradley_terry(wins, ties)
    assert misfit(wins.tolist(), ties.tolist(), fitted.strengths, fitted.tie) < 1e-9


def test_wins_and_ties_without_a_loss_do_not_identify_the_strengths():
    wins, ties = np.array([[0, 3.0], [0, 0]]), np.array([[0, 1.0], [1, 0]])
    assert undecided(wins, ties)
    added = wins + 0.5 * (1 - np.eye(2))
    with_prior = bradley_terry(wins, ties, prior_wins=0.5).strengths
    assert with_prior == pytest.approx(bradley_terry(added, ties).strengths)
    assert with_prior[0] > 0
