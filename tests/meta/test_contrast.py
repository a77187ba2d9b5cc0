import numpy as np
import pytest

from assay.errors import AssayError
from assay.kernels.resample import blocks, map_blocks
from assay.meta.contrast import Procedure, contrast
from assay.meta.correlation import Study, correlate
from assay.meta.question import Question, Resampling
from assay.meta.sample import swap_cells
from assay.meta.statistics import STATISTICS
from assay.meta.swaps import null_differences
from tests.meta.score_tables import score_table, table_of


def compare(table, procedure=None, **about):
    about = {"resampling": Resampling(200), **about}
    return contrast(Study(table, Question("human", **about)), procedure or Procedure())


def test_a_pair_is_compared_on_the_units_that_have_all_three_scores():
    table = score_table(30, 4, 3, gaps=0.2, seed=1)
    pairs, _ = compare(table, statistics=("spearman",))
    assert [(pair.left, pair.right) for pair in pairs] == [("m0", "m1"), ("m0", "m2"), ("m1", "m2")]
    for pair in pairs:
        complete, dropped = table.complete(["human", pair.left, pair.right])
        own = correlate(Study(complete, Question("human", (pair.left, pair.right), ("spearman",))))
        assert pair.n == len(complete) == len(table) - dropped
        assert (pair.left_value, pair.right_value) == (own[0].value, own[1].value)
        assert pair.difference == own[0].value - own[1].value
        assert pair.low <= pair.difference <= pair.high


@pytest.mark.parametrize(("level", "grouping"), [("output", "pooled"), ("output", "item"), ("system", "pooled")])
def test_permutation_swaps_standardised_scores_by_cell(level, grouping):
    """Build every swapped column and correlate it, for Pearson and tau-b."""
    table = score_table(10, 5, 2, seed=3)
    study = Study(
        table,
        Question(
            "human",
            levels=(level,),
            groupings=(grouping,),
            statistics=("pearson", "kendall"),
            resampling=Resampling(30),
        ),
    )
    pairs, _ = contrast(study, Procedure("permutation"))
    z = {}
    for name in ("m0", "m1"):
        values = table[name].values
        z[name] = (values - values.mean()) / values.std()
    cells = study.sample.cells(("items", "systems"))
    masks = np.concatenate(map_blocks(lambda block: swap_cells(block, cells, np.arange(50)), 30, 0))
    for pair in pairs:
        hits = 0
        for mask in masks:
            swapped = {
                "human": table["human"].values,
                "m0": np.where(mask, z["m1"], z["m0"]),
                "m1": np.where(mask, z["m0"], z["m1"]),
            }
            again = table_of(swapped, table.item.to_list(), table.system.to_list())
            own = correlate(
                Study(again, Question("human", (), (pair.statistic,), (level,), (grouping,), Resampling(0)))
            )
            hits += abs(own[0].value - own[1].value) >= abs(pair.difference) - 1e-9
        assert pair.p_value == (hits + 1) / 31


@pytest.mark.parametrize("statistic", list(STATISTICS))
@pytest.mark.parametrize(
    ("level", "grouping"), [("output", "pooled"), ("output", "item"), ("output", "system"), ("system", "pooled")]
)
def test_no_swap_is_what_was_observed_and_a_full_swap_its_negative(statistic, level, grouping):
    study = Study(score_table(9, 5, 3, seed=4), Question("human", (), (statistic,), (level,), (grouping,)))
    found = study.statistics[0]
    cases = study.cases(study.candidates, study.complete(study.candidates, level, grouping), found, level, grouping)
    values = cases.values(found)
    masks = np.stack([np.zeros(45, np.int32), np.ones(45, np.int32)])
    null = null_differences(cases, found, [(0, 1), (2, 1)])(masks)
    observed = np.array([values[0] - values[1], values[2] - values[1]])
    np.testing.assert_allclose(null, [observed, -observed], atol=1e-9)


def test_swaps_are_constant_over_what_is_swapped():
    study = Study(score_table(6, 3, 2, outputs_per_item=2), Question("human"))
    sample = study.sample
    for factors, n_cells in ((("systems",), 3), (("items",), 6), (("items", "systems"), 18), (("units",), 36)):
        cells = sample.cells(factors)
        masks = swap_cells(blocks(64, 0)[0], cells, np.arange(36))
        assert len(np.unique(masks, axis=1).T) == n_cells


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


def test_auto_permutes_where_it_is_cheap_and_says_so():
    pairs, _ = compare(score_table(10, 4, 2), levels=("output", "system"), groupings=("pooled", "item"))
    found = {(pair.statistic, pair.level, pair.grouping): (pair.test, pair.swapped) for pair in pairs}
    assert found["spearman", "output", "pooled"] == ("permutation", ("items", "systems"))
    assert found["kendall", "system", "pooled"] == ("permutation", ("items", "systems"))
    assert found["kendall", "output", "pooled"] == found["pearson", "output", "item"] == ("bootstrap", ())


def test_unknown_tests_and_corrections():
    with pytest.raises(AssayError, match="no test 'anova'"):
        Procedure("anova")
    with pytest.raises(AssayError, match="no correction 'bonferroni'"):
        Procedure(correction="bonferroni")


def test_one_evaluator_alone_has_no_pairs():
    pairs, clusters = compare(score_table(10, 3, 1), statistics=("pearson",))
    assert pairs == []
    assert clusters[0].clusters == (("m0",),)


@pytest.mark.slow
def test_permutation_keeps_its_level_at_output_and_system_level():
    """Two evaluators that are equally good by construction: 5% of 400 tables are called different."""
    hits = {"output": 0, "system": 0}
    for seed in range(400):
        table = _equally_good(seed)
        pairs, _ = compare(table, statistics=("pearson",), levels=("output", "system"), resampling=Resampling(199))
        for pair in pairs:
            hits[pair.level] += pair.p_value <= 0.05
    print({level: n / 400 for level, n in hits.items()})
    assert 0.02 < hits["output"] / 400 < 0.08
    assert hits["system"] / 400 < 0.08


def _equally_good(seed):
    rng = np.random.default_rng(seed)
    item, system = (code.ravel() for code in np.indices((40, 8)))
    quality = rng.normal(size=8)[system] + rng.normal(size=40)[item] + rng.normal(size=320)
    columns = {name: quality + rng.normal(size=320) for name in ("human", "a", "b")}
    return table_of(columns, [f"i{i}" for i in item], [f"s{s}" for s in system])
