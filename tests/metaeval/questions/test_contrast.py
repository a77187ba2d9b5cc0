from itertools import product
from time import process_time

import numpy as np
import pytest
from scipy import stats

from assay.errors import AssayError
from assay.kernels.statistics.permutation_test import ENOUGH_HITS
from assay.kernels.statistics.resample import map_blocks, swaps
from assay.metaeval.questions.contrast import contrast
from assay.metaeval.questions.correlation import correlate
from assay.metaeval.questions.inquiry import Inquiry
from assay.metaeval.questions.pair_tests import PERM_BOTH, Procedure
from assay.metaeval.questions.question import Question, Resampling
from assay.metaeval.questions.statistics import STATISTICS
from assay.metaeval.questions.swaps import null_differences
from tests.metaeval.score_tables import score_table, table_of


def compare(table, procedure=None, **about):
    about = {"resampling": Resampling(200), **about}
    return contrast(Inquiry(table, Question("human", **about)), procedure or Procedure())


def test_a_pair_is_compared_on_the_units_that_have_all_three_scores():
    table = score_table(30, 4, 3, gaps=0.2, seed=1)
    pairs, _ = compare(table, statistics=("spearman",))
    assert [(pair.left, pair.right) for pair in pairs] == [("m0", "m1"), ("m0", "m2"), ("m1", "m2")]
    for pair in pairs:
        complete, dropped = table.complete(["human", pair.left, pair.right])
        own = correlate(Inquiry(complete, Question("human", (pair.left, pair.right), ("spearman",))))
        assert pair.n == len(complete) == len(table) - dropped
        assert (pair.left_value, pair.right_value) == (own[0].value, own[1].value)
        assert pair.difference == own[0].value - own[1].value
        assert pair.low <= pair.difference <= pair.high


@pytest.mark.parametrize(("level", "grouping"), [("output", "pooled"), ("output", "item"), ("system", "pooled")])
def test_permutation_swaps_standardized_scores_by_cell(level, grouping):
    """Build every swapped column and correlate it, for Pearson and tau-b."""
    table = score_table(10, 5, 2, seed=3)
    question = Question(
        "human",
        levels=(level,),
        groupings=(grouping,),
        statistics=("pearson", "kendall"),
        resampling=Resampling(30),
    )
    pairs, _ = contrast(Inquiry(table, question), Procedure("permutation", PERM_BOTH, alpha=0.6))
    z = {}
    for name in ("m0", "m1"):
        values = table[name].values
        z[name] = (values - values.mean()) / values.std()
    # items first, then systems: the cells of PERM-BOTH in the order of items and systems
    masks = np.concatenate(map_blocks(lambda block: swaps(block.rng(1, 0), block.size, 50), 64, 0))
    for pair in pairs:
        hits, n = 0, 0
        while n < 30 or (hits < ENOUGH_HITS and n < 20 / 0.6):
            swapped = {
                "human": table["human"].values,
                "m0": np.where(masks[n], z["m1"], z["m0"]),
                "m1": np.where(masks[n], z["m0"], z["m1"]),
            }
            again = table_of(swapped, table.item.to_list(), table.system.to_list())
            own = correlate(
                Inquiry(again, Question("human", (), (pair.statistic,), (level,), (grouping,), Resampling(0)))
            )
            hits += abs(own[0].value - own[1].value) >= abs(pair.difference) - 1e-9
            n += 1
        assert pair.permutations == n
        assert pair.p_value == (hits / n if hits >= ENOUGH_HITS and 30 < n < 20 / 0.6 else (hits + 1) / (n + 1))


@pytest.mark.parametrize("statistic", list(STATISTICS))
@pytest.mark.parametrize(
    ("level", "grouping"), [("output", "pooled"), ("output", "item"), ("output", "system"), ("system", "pooled")]
)
def test_no_swap_is_what_was_observed_and_a_full_swap_its_negative(statistic, level, grouping):
    study = Inquiry(score_table(9, 5, 3, seed=4), Question("human", (), (statistic,), (level,), (grouping,)))
    found = study.statistics[0]
    cases = study.cases(study.candidates, study.complete(study.candidates, level, grouping), found, level, grouping)
    values = cases.values(found)
    masks = np.stack([np.zeros(45, np.int32), np.ones(45, np.int32)])
    null = null_differences(cases, found, [(0, 1), (2, 1)])(masks)
    observed = np.array([values[0] - values[1], values[2] - values[1]])
    np.testing.assert_allclose(null, [observed, -observed], atol=1e-9)


@pytest.mark.parametrize("statistic", ["pearson", "spearman", "kendall"])
def test_few_systems_are_swapped_in_every_way_and_ranked_again(statistic):
    table = score_table(6, 7, 2, seed=5)
    systems = table.by_system()
    x = {name: systems[name].values for name in ("human", "m0", "m1")}
    for name in ("m0", "m1"):
        x[name] = stats.rankdata(x[name]) if statistic == "spearman" else stats.zscore(x[name])
    peer = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}[statistic]
    differences = []
    for mask in product([False, True], repeat=7):
        left, right = np.where(mask, x["m1"], x["m0"]), np.where(mask, x["m0"], x["m1"])
        differences.append(peer(left, x["human"])[0] - peer(right, x["human"])[0])
    expected = np.mean(np.abs(differences) >= abs(differences[0]) - 1e-9)
    pairs, _ = compare(systems, Procedure("permutation"), statistics=(statistic,))
    assert pairs[0].permutations == 64
    assert pairs[0].p_value == pytest.approx(expected)


def test_what_is_swapped_by_default_are_the_cases():
    table = score_table(6, 5, 2)
    pairs, _ = compare(table, Procedure("permutation"), levels=("output", "system"), statistics=("pearson",))
    assert [(pair.level, pair.swapped) for pair in pairs] == [("output", ("items",)), ("system", ("systems",))]
    assert [pair.permutations for pair in pairs] == [32, 16]


def test_clusters_part_good_from_bad_and_corrections_bite():
    table = score_table(200, 4, 4, seed=2)
    pairs, clusters = compare(table, statistics=("pearson",), levels=("output",))
    assert clusters[0].clusters[0][0] == "m0"
    assert sum(map(len, clusters[0].clusters)) == 4
    assert len(clusters[0].clusters) > 1
    assert all(pair.p_adjusted >= pair.p_value for pair in pairs)


def test_equal_evaluators_do_not_differ():
    table = score_table(20, 4, 1)
    x = table["m0"].values
    columns = {"human": table["human"].values, "a": x, "b": 3 * x + 7}
    same = table_of(columns, table.item.to_list(), table.system.to_list())
    for test in ("permutation", "bootstrap"):
        pairs, clusters = compare(same, Procedure(test))
        for pair in pairs:
            assert pair.difference == pytest.approx(0, abs=1e-12)
            assert pair.p_value > 0.5
        assert all(len(found.clusters) == 1 for found in clusters)


def test_williams_and_steiger_only_where_they_are_defined():
    pairs, _ = compare(score_table(30, 3, 2), Procedure("williams"), groupings=("pooled", "item"))
    for pair in pairs:
        defined = pair.statistic != "kendall" and pair.grouping == "pooled"
        assert np.isnan(pair.p_value) != defined
        assert bool(pair.reason) != defined
    steiger, _ = compare(score_table(30, 3, 2), Procedure("steiger"), statistics=("pearson",))
    assert steiger[0].p_value == pytest.approx(pairs[0].p_value, abs=0.02)


def test_auto_is_the_test_that_belongs_to_the_interval():
    table = score_table(10, 4, 2)
    for interval, test in (("auto", "t"), ("t", "t"), ("percentile", "bootstrap"), ("bca", "bootstrap")):
        pairs, _ = compare(table, statistics=("pearson",), resampling=Resampling(50, interval=interval))
        assert {(pair.test, pair.swapped) for pair in pairs} == {(test, ())}
    pairs, _ = compare(table, Procedure(swapped=("systems",)), statistics=("pearson",))
    assert pairs[0].test == "permutation"


@pytest.mark.parametrize("seed", range(15))
def test_p_and_interval_never_disagree(seed):
    table = score_table(12, 6, 4, seed=seed)
    pairs, _ = compare(table, levels=("output", "system"), groupings=("pooled", "item"))
    assert not all(np.isnan(pair.p_value) for pair in pairs)
    for pair in pairs:
        if not np.isnan(pair.p_value):
            assert pair.low <= pair.difference <= pair.high
            assert (pair.p_value < 0.05) == (pair.low > 0 or pair.high < 0)


def test_many_evaluators_can_be_told_apart():
    """25 evaluators whose rho falls from .7 to 0, on 2,460 outputs: by default, with the default correction."""
    rng = np.random.default_rng(0)
    item, system = (code.ravel() for code in np.indices((205, 12)))
    quality = rng.normal(size=2460)
    columns = {"human": quality + 0.3 * rng.normal(size=2460)}
    for j, rho in enumerate(np.linspace(0.7, 0.0, 25)):
        columns[f"m{j}"] = rho * quality + np.sqrt(1 - rho**2) * rng.normal(size=2460)
    table = table_of(columns, [f"i{i}" for i in item], [f"s{s}" for s in system])
    before = process_time()
    _, clusters = contrast(Inquiry(table, Question("human", levels=("output",))))
    assert process_time() - before < 30
    assert [len(found.clusters) > 5 for found in clusters] == [True, True, True]


def test_unknown_tests_and_corrections():
    with pytest.raises(AssayError, match="unknown test 'anova'"):
        Procedure("anova")
    with pytest.raises(AssayError, match="unknown correction 'bonferroni'"):
        Procedure(correction="bonferroni")


def test_one_evaluator_alone_has_no_pairs():
    pairs, clusters = compare(score_table(10, 3, 1), statistics=("pearson",))
    assert pairs == []
    assert clusters[0].clusters == (("m0",),)


def test_five_systems_are_too_few_to_tell_evaluators_apart():
    for n_systems in (5, 6):
        pairs, _ = compare(score_table(10, n_systems, 2, seed=1), levels=("system",), statistics=("pearson",))
        if n_systems == 5:
            assert np.isnan([pairs[0].low, pairs[0].high, pairs[0].p_value]).all()
            assert pairs[0].reason == "no interval: 5 systems are too few, 6 are needed"
        else:
            assert pairs[0].low < pairs[0].high
            assert pairs[0].p_value >= 2**-5  # the rarest of the ways to swap six
