import numpy as np
import pytest

from assay.errors import AssayError, DataError
from assay.kernels.power import two_proportions_n
from assay.meta.pilot import Simulation, judged_systems, plan_from_scores, plan_from_votes
from assay.meta.power import Effort, plan_correlation, plan_proportions, plan_width
from assay.meta.votes import votes_of
from assay.scores import Column, ScoreTable
from assay.text.strings import Strings
from tests.meta import judged


def test_112_texts_and_their_cost():
    plan = plan_proportions("noninferiority", 0.9, margin=0.1, effort=Effort(annotators=5, systems=3, price=0.02))
    assert (plan.n, round(plan.n_exact, 2)) == (112, 111.29)
    assert plan.power >= 0.8
    assert plan.details["n_total"] == 336
    assert plan.effort == {"annotators": 5, "systems": 3, "judgments": 1680, "cost": pytest.approx(33.6)}


def test_the_power_of_a_given_number():
    assert plan_proportions("noninferiority", 0.9, margin=0.1, n=112).power == pytest.approx(0.8022, abs=1e-4)
    assert plan_correlation(0.3, n=85).power == pytest.approx(0.8, abs=0.002)
    assert plan_correlation(0.3).n == 85
    width = plan_width(0.5, width=0.2)
    assert width.n == 219
    assert width.details["high"] - width.details["low"] <= 0.2


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: plan_proportions("superiority", 0.5), "difference of 0"),
        (lambda: plan_proportions("noninferiority", 0.5), "margin above 0"),
        (lambda: plan_proportions("equivalence", 0.8, p_reference=0.5, margin=0.1), "outside the margin"),
        (lambda: plan_proportions("superiority", 1.2, p_reference=0.5), "between 0 and 1"),
        (lambda: plan_correlation(1.0), "between -1 and 1"),
        (lambda: plan_correlation(0.2, r_null=0.2), "difference of 0"),
        (lambda: plan_width(0.2, width=3), "between 0 and 2"),
        (lambda: Effort(annotators=0), "one annotator"),
    ],
)
def test_impossible_plans_are_said_plainly(wrong, message):
    with pytest.raises(AssayError, match=message):
        wrong()


def paired_table(rng, n_items, shift, spread):
    difficulty = rng.normal(size=n_items)
    left = difficulty + shift + spread * rng.normal(size=n_items)
    right = difficulty + spread * rng.normal(size=n_items)
    items = [f"i{k}" for k in range(n_items)]
    return ScoreTable(
        kind="output",
        unit=Strings.of([f"{item}-{side}" for side in "ab" for item in items]),
        item=Strings.of(items * 2),
        system=Strings.of(["a"] * n_items + ["b"] * n_items),
        columns={"score": Column.of("score", np.concatenate([left, right]))},
    )


def test_a_simulated_power_agrees_with_the_paired_z_test():
    """A shift of half a standard deviation of the differences: (z_.975 + z_.8)^2 / .5^2 = 31.4 pairs."""
    table = paired_table(np.random.default_rng(0), 4000, 0.5 * np.sqrt(2), 1.0)
    plan = plan_from_scores(table, "score", ("a", "b"), simulation=Simulation(n_studies=300))
    assert 26 <= plan.n <= 40
    assert plan.details["power_low"] <= plan.power <= plan.details["power_high"]
    given = plan_from_scores(table, "score", ("a", "b"), simulation=Simulation(n_studies=300), n=10)
    assert given.power < 0.6 and given.n == 10


def test_more_annotators_need_fewer_items():
    rng = np.random.default_rng(1)
    votes, systems = [], {}
    for k in range(60):
        for system, mean in (("a", 0.5), ("b", 0.0)):
            unit = f"{k}-{system}"
            systems[unit] = system
            votes += [(unit, f"w{j}", round(mean + 2 * rng.normal(), 3)) for j in range(6)]
    records = judged.dataset(votes, systems=systems)
    # Both outputs answer one item.
    from dataclasses import replace

    votes = votes_of(records, "quality")
    votes = replace(votes, item=np.array([int(name.split("-")[0]) for name in votes.unit_names]))
    simulation = Simulation(n_studies=100, n_permutations=99)
    one, many = (
        plan_from_votes(votes, judged_systems(records, votes), ("a", "b"), annotators=m, simulation=simulation).n
        for m in (1, 10)
    )
    assert many < one / 2


def test_a_pilot_must_hold_the_systems_and_a_difference():
    table = paired_table(np.random.default_rng(2), 50, 0.0, 1.0)
    with pytest.raises(DataError, match="no system 'c'"):
        plan_from_scores(table, "score", ("a", "c"))
    with pytest.raises(DataError, match="share 0 items"):
        plan_from_scores(table.take(np.arange(25, 75)), "score", ("a", "b"))
    small = Simulation(n_studies=20, n_permutations=39, most=64)
    flat = paired_table(np.random.default_rng(3), 50, 0.0, 0.0)
    with pytest.raises(AssayError, match="no difference"):
        plan_from_scores(flat, "score", ("a", "b"), simulation=small)


def test_the_formula_is_the_kernel():
    expected = two_proportions_n(0.6, 0.5, design="superiority", margin=0, alpha=0.05, sides=2, power=0.8)
    assert plan_proportions("superiority", 0.6, p_reference=0.5).n_exact == expected
