"""What the theory of HUSE promises, in worlds where the optimal error L* is known.

Tolerances are stated with each test. At 2n = 40,000 the standard deviation of HUSE is below .008 and that of HUSE-Q,
whose one-dimensional votes hang together more, below .015 (measured over 20 draws).
"""

import numpy as np
import pytest

from assay.analyses.huse.uncertainty import item_intervals
from assay.evaluators.huse.measure import Measured, Rules, measure
from assay.evaluators.huse.problem import problem_from_arrays
from tests.analyses.huse.worlds import WORLDS, World

LARGE = 20_000


def large(world: World, k: int = 16, seed: int = 0) -> Measured:
    return measure(world.exact_problem(np.random.default_rng(seed), LARGE), Rules(k))


@pytest.mark.parametrize("name", WORLDS)
def test_judgment_alone_errs_most_and_nothing_errs_less_than_the_optimum(name: str) -> None:
    """L(hj) >= L(huse) >= L*, within .04 = two and a half deviations of HUSE-Q, and .02 of HUSE."""
    world = WORLDS[name]
    found = large(world).values
    assert found["huse_q"] >= found["huse"] - 0.04
    assert found["huse"] >= world.twice_optimal_error() - 0.02


@pytest.mark.slow
@pytest.mark.parametrize("name", WORLDS)
def test_both_features_reach_the_optimum_as_k_grows(name: str) -> None:
    """log p_model and log p_ref suffice (proposition 1 of the paper): with k = 200 HUSE is within .04 of 2 L*."""
    world = WORLDS[name]
    found = measure(world.exact_problem(np.random.default_rng(0), LARGE // 2), Rules(200)).values
    assert found["huse"] == pytest.approx(world.twice_optimal_error(), abs=0.04)


def test_identical_distributions_give_one_and_disjoint_ones_zero() -> None:
    same = large(WORLDS["the same"]).values
    assert same["huse"] == pytest.approx(1, abs=0.03) and same["huse_d"] == pytest.approx(1, abs=0.05)
    apart = measure(World((40, 0), 1.0).exact_problem(np.random.default_rng(0), 500), Rules()).values
    assert apart["huse"] == 0 and apart["huse_q"] == 0 and apart["huse_d"] == 1


def test_huse_d_above_one_is_shown_as_it_is() -> None:
    """With few ratings all equal ones vote, nearly the best vote there is; a log-probability that tells nothing
    leaves 16 of them to chance. So HUSE > HUSE-Q and HUSE-D > 1: a sign that diversity shows no defect."""
    rng = np.random.default_rng(1)
    human = np.arange(4000) < 2000
    quality = np.rint(rng.normal(size=4000) + human)
    found = measure(problem_from_arrays(rng.normal(size=4000), quality, human), Rules()).values
    assert found["huse_d"] == 1 + found["huse"] - found["huse_q"] > 1.02


@pytest.mark.parametrize("name", WORLDS)
@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0])
def test_judgments_that_are_nearly_right_cost_little(name: str, epsilon: float) -> None:
    """If |judgment - log p_ref| <= e then L(huse) - L* <= (1 - exp(-e)) (1 + TV) / 2, with TV = 1 - 2 L*.

    A vote by judgment - log p_model can only go wrong where |log p_ref / p_model| <= e, where the densities differ by
    at most 1 - exp(-e) of the larger; half the integral of the larger is (1 + TV) / 2. Tolerance .04 on 2 L: the vote
    of the k nearest has an error of its own (at most .07 in these worlds with e = 0 and k = 16, less with k = 100).
    """
    world = WORLDS[name]
    rng = np.random.default_rng(2)
    texts, human = world.draw(rng, LARGE // 2)
    judged = world.log_ref(texts) + rng.uniform(-epsilon, epsilon, len(texts))
    found = measure(problem_from_arrays(world.log_model(texts), judged, human), Rules(100)).values["huse"]
    optimum = world.twice_optimal_error()
    variation = 1 - optimum
    assert found - optimum <= (1 - np.exp(-epsilon)) * (1 + variation) + 0.04
    assert 1 - found <= variation + 0.02  # HUSE never claims more distance than the total variation


@pytest.mark.slow
@pytest.mark.parametrize(("n", "n_worlds", "n_expected"), [(100, 200, 600), (1000, 80, 150)])
@pytest.mark.parametrize("name", ["shifted", "collapsed"])
def test_intervals_cover_the_expected_huse(name: str, n: int, n_worlds: int, n_expected: int) -> None:
    """Nominal 95%; between 90% and 98% wanted. Counted over `n_worlds` draws, so +-3 standard errors are allowed:
    .046 for 200 draws, .073 for 80. Fewer random splits (15) than by default keep it short."""
    world, rules = WORLDS[name], Rules()
    rng = np.random.default_rng(11)
    expected = np.mean([measure(world.problem(rng, n), rules).values["huse"] for _ in range(n_expected)])
    hits = 0
    for seed in range(n_worlds):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("assay.analyses.huse.uncertainty.MOST_SPLITS", 15)
            interval = item_intervals(measure(world.problem(rng, n), rules), seed)["huse"]
        hits += interval.low <= expected <= interval.high
    allowed = 3 * np.sqrt(0.95 * 0.05 / n_worlds)
    assert 0.90 - allowed <= hits / n_worlds <= min(0.98 + allowed, 1.0)
    assert hits / n_worlds >= 0.88


@pytest.mark.slow
@pytest.mark.parametrize("name", WORLDS)
def test_a_fifth_of_careless_annotators_moves_huse_little(name: str) -> None:
    """The paper's 20% of annotators at random, on the same texts: on average over 150 draws of 2n = 200 HUSE moves by
    less than .03 and HUSE-Q by less than .08; both means have standard errors below .01."""
    shifts = []
    for seed in range(150):
        careful, careless = (
            measure(WORLDS[name].problem(np.random.default_rng(seed), 100, careless=share), Rules()).values
            for share in (0.0, 0.2)
        )
        shifts.append([careless[measured] - careful[measured] for measured in ("huse", "huse_q")])
    moved = np.abs(np.mean(shifts, axis=0))
    assert moved[0] < 0.03 and moved[1] < 0.08
