import numpy as np
import pytest
from scipy.stats import binom, nct, ttest_1samp
from statsmodels.stats.contingency_tables import mcnemar

from assay.errors import AssayError, DataError
from assay.kernels.statistics.paired_power import dependent_correlations_power, discordant_power, sign_test_power
from assay.kernels.statistics.power import two_proportions_n
from assay.kernels.statistics.significance import steiger, williams
from assay.metaeval.planning.paired_power import plan_paired_proportions, plan_two_correlations, plan_win_rate
from assay.metaeval.planning.pilot import Simulation, judged_systems, plan_from_scores, plan_from_votes
from assay.metaeval.planning.pilot_effect import pilot_effect
from assay.metaeval.planning.power import Effort, plan_correlation, plan_proportions, plan_width
from assay.metaeval.votes.votes import votes_of
from assay.scores import Column, ScoreTable
from assay.text.strings import Strings
from tests.metaeval import judged


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
        (lambda: plan_two_correlations(0.5, 0.5, 0.7), "difference of 0"),
        (lambda: plan_two_correlations(0.9, -0.9, 0.9), "no three variables"),
        (lambda: plan_two_correlations(0.5, 0.4, 0.7, n=3), "4 units or more"),
        (lambda: plan_paired_proportions(0.8, 0.7, discordant=0.05), "differ on 0.1 to 0.5"),
        (lambda: plan_paired_proportions(0.8, 0.8), "difference of 0"),
        (lambda: plan_win_rate(0.4, ties=0.2), "as many wins as losses"),
        (lambda: plan_win_rate(0.9, ties=0.2), "1 together at most"),
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
    assert plan.details["power_low"] > 0.7 and plan.details["n_if_the_pilot_is_right"] <= plan.n
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
    with pytest.raises(AssayError, match="does not establish a difference"):
        plan_from_scores(flat, "score", ("a", "b"), simulation=small)


def test_the_formula_is_the_kernel():
    expected = two_proportions_n(0.6, 0.5, design="superiority", margin=0, alpha=0.05, sides=2, power=0.8)
    assert plan_proportions("superiority", 0.6, p_reference=0.5).n_exact == expected


def test_a_small_pilot_plans_for_the_smallest_difference_that_it_does_not_exclude():
    """20 items show a difference of about one standard deviation: the interval of the effect is what n is for."""
    table = paired_table(np.random.default_rng(5), 20, 1.4, 1.0)
    plan = plan_from_scores(table, "score", ("a", "b"), simulation=Simulation(n_studies=100))
    sure, hoped = plan.n, plan.details["n_if_the_pilot_is_right"]
    assert sure > 2 * hoped
    given = plan_from_scores(table, "score", ("a", "b"), simulation=Simulation(n_studies=100), n=hoped)
    assert given.details["power_low"] < 0.5 < 0.7 < given.power <= given.details["power_high"]
    low, high = given.details["difference_low"], given.details["difference_high"]
    assert 0 < low < given.details["difference"] < high


def test_a_pilot_that_does_not_exclude_equal_systems_plans_only_for_a_difference_that_is_named():
    table = paired_table(np.random.default_rng(8), 20, 0.0, 1.0)
    with pytest.raises(AssayError, match=r"reaches 0.*--effect"):
        plan_from_scores(table, "score", ("a", "b"))
    given = plan_from_scores(table, "score", ("a", "b"), simulation=Simulation(n_studies=50), n=100)
    assert given.details["power_low"] == 0.05
    # Differences of a standard deviation of about sqrt(2), 1.97 of it at most with 20 items: (2.80 * that / .5)^2.
    named = plan_from_scores(table, "score", ("a", "b"), effect=0.5)
    assert named.power > named.details["power_low"] == pytest.approx(0.8, abs=0.01)
    larger = plan_from_scores(paired_table(np.random.default_rng(8), 4000, 0.0, 1.0), "score", ("a", "b"), effect=0.5)
    assert larger.n == pytest.approx(2 * (2.8016 / 0.5) ** 2, rel=0.1)
    assert named.n > larger.n
    with pytest.raises(AssayError, match="above 0"):
        plan_from_scores(table, "score", ("a", "b"), effect=0.0)


def test_the_effects_that_a_pilot_does_not_exclude():
    """The bounds of the noncentral t: at the least effect T is as large as seen one time in forty."""
    rng = np.random.default_rng(9)
    left = rng.normal(0.8, 1, (15, 1))
    found = pilot_effect(left, np.zeros((15, 1)), None, 0.95)
    seen = float(left.mean() / (left.std(ddof=1) / np.sqrt(15)))
    assert nct.sf(seen, 14, found.least * seen) == pytest.approx(0.025, abs=1e-6)
    assert nct.cdf(seen, 14, found.most * seen) == pytest.approx(0.025, abs=1e-6)
    low, high = ttest_1samp(left[:, 0], 0.0).confidence_interval(0.95)
    assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))
    # A difference of ratios of sums, as additive evaluators have: the jackknife is that of the whole.
    sums = np.column_stack([left[:, 0], np.ones(15)])
    ratio = pilot_effect(sums, np.column_stack([np.zeros(15), np.ones(15)]), lambda s: s[:, 0] / s[:, 1], 0.95)
    assert (ratio.difference, ratio.low) == (pytest.approx(found.difference), pytest.approx(found.low))


def test_power_of_two_correlations_is_that_of_simulated_studies():
    """Steiger's and Williams' tests of two metrics with one target, 120 units, normal scores."""
    r_a, r_b, r_ab, n = 0.6, 0.4, 0.5, 120
    planned = dependent_correlations_power(r_a, r_b, r_ab, n, alpha=0.05, sides=2)
    root = np.linalg.cholesky(np.array([[1, r_a, r_b], [r_a, 1, r_ab], [r_b, r_ab, 1]]))
    rng = np.random.default_rng(10)
    found = {steiger: 0, williams: 0}
    for _ in range(1500):
        r = np.corrcoef(root @ rng.normal(size=(3, n)))
        for test in found:
            found[test] += test(r[0, 1], r[0, 2], r[1, 2], n) < 0.05
    for hits in found.values():
        assert hits / 1500 == pytest.approx(planned, abs=0.035)
    plan = plan_two_correlations(r_a, r_b, r_ab)
    assert plan.power >= 0.8 > plan_two_correlations(r_a, r_b, r_ab, n=plan.n - 1).power
    # The more alike two metrics are, the easier they are told apart.
    assert plan_two_correlations(0.6, 0.4, 0.8).n < plan.n


def test_power_of_paired_proportions_is_that_of_simulated_studies():
    """McNemar's test of statsmodels, with and without counting out, on 100 pairs: 30% won, 13% lost."""
    rng = np.random.default_rng(11)
    drawn = rng.multinomial(100, [0.30, 0.13, 0.57], 1500)
    exact, approximate = (
        np.mean([mcnemar([[0, a], [b, 0]], exact=how, correction=False).pvalue <= 0.05 for a, b, _ in drawn])
        for how in (True, False)
    )
    assert discordant_power(0.30, 0.13, 100, alpha=0.05, sides=2) == pytest.approx(approximate, abs=0.035)
    assert sign_test_power(0.30, 0.13, 100, alpha=0.05, sides=2) == pytest.approx(exact, abs=0.03)
    assert sign_test_power(0.7, 0.3, 30, alpha=0.05, sides=1) == pytest.approx(
        binom.sf(binom.isf(0.05, 30, 0.5), 30, 0.7), abs=1e-12
    )


def test_win_rates_and_paired_proportions_are_one_test():
    """45% wins and 25% losses: the formula of Connor (1987) by hand."""
    expected = ((1.959964 * np.sqrt(0.7) + 0.841621 * np.sqrt(0.7 - 0.04)) / 0.2) ** 2
    plan = plan_win_rate(0.45, ties=0.30)
    assert plan.n_exact == pytest.approx(expected, rel=1e-6)
    assert plan.power >= 0.8 and plan.details["power_of_the_exact_test"] == pytest.approx(0.8, abs=0.04)
    assert plan_paired_proportions(0.7, 0.5, discordant=0.7).n_exact == pytest.approx(expected, rel=1e-6)
    # By default both systems answer independently: p (1 - q) + q (1 - p) of the pairs differ.
    assert plan_paired_proportions(0.7, 0.5).assumptions["discordant"] == pytest.approx(0.5)
    assert plan_paired_proportions(0.7, 0.5).n < plan.n
