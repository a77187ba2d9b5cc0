"""conTest, decTest, rankings and nuggets on made sets whose answer is known."""

import numpy as np
import pytest
from scipy import stats

from assay.errors import DataError
from assay.kernels.statistics.threshold import accuracy_bounds
from assay.metaeval.questions.question import Resampling
from assay.metaeval.sets.clustered import (
    clustered_interval,
    correlation_interval,
    differences,
    share_interval,
    spearman_rows,
)
from assay.metaeval.sets.contest import contest
from assay.metaeval.sets.dectest import dectest, ratings_curve, sets_curve
from assay.metaeval.sets.nuggets import nuggets
from assay.metaeval.sets.ranking_pairs import comparable_pairs, rank_pairs
from assay.metaeval.sets.set_targets import context_clusters, positive_log10, set_values, two_classes
from assay.records import Dataset
from assay.scores import Column, ScoreTable
from assay.text.strings import Strings
from tests.oracles.diversity import best_threshold


def table(**columns: np.ndarray | Column) -> ScoreTable:
    made = {n: c if isinstance(c, Column) else Column.of(n, c) for n, c in columns.items()}
    n = len(next(iter(made.values())))
    names = Strings.of([f"s{i}" for i in range(n)])
    return ScoreTable("set", names, names, names, made)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def test_contest_is_spearman_and_the_best_threshold(rng: np.random.Generator) -> None:
    label = np.repeat([0.0, 1.0], 40)
    metric = np.round(label + rng.normal(size=80), 1)
    row = contest(table(metric=metric), label, np.arange(80)).results[0]
    assert row.rho == pytest.approx(stats.spearmanr(metric, label)[0], abs=1e-12)
    assert row.pearson == pytest.approx(stats.pearsonr(metric, label)[0], abs=1e-12)
    assert (row.oca, row.threshold) == best_threshold(metric.tolist(), (label == 1).tolist())
    assert row.low < row.rho < row.high
    assert row.oca_low < row.oca <= row.oca_high
    assert (row.n, row.n_missing) == (80, 0)


def test_direction_is_data(rng: np.random.Generator) -> None:
    label = np.repeat([0.0, 1.0], 30)
    values = label + rng.normal(size=60)
    similarity = Column.of("similarity", -values, higher_is_better=False)
    result = contest(table(metric=values, similarity=similarity), label, np.arange(60))
    up, down = result.results
    assert (up.rho, up.oca, up.low, up.high) == (down.rho, down.oca, down.low, down.high)
    assert up.threshold == -down.threshold
    assert result.comparisons[0].difference == 0


def test_gaps_are_left_out_and_counted(rng: np.random.Generator) -> None:
    label = np.repeat([0.0, 1.0], 30)
    values = label + rng.normal(size=60)
    values[[3, 40]] = np.nan
    row = contest(table(metric=values), label, np.arange(60), how=Resampling(0)).results[0]
    assert (row.n, row.n_missing) == (58, 2)
    assert np.isnan(row.low)


def test_repeated_contexts_widen_the_interval(rng: np.random.Generator) -> None:
    clusters = np.repeat(np.arange(25), 8)
    target = rng.normal(size=25)[clusters] + 0.1 * rng.normal(size=200)
    metric = 0.5 * target + rng.normal(size=25)[clusters] + 0.1 * rng.normal(size=200)
    how = Resampling(500)
    grouped = clustered_interval(spearman_rows, metric, target, clusters, how)
    single = clustered_interval(spearman_rows, metric, target, np.arange(200), how)
    assert grouped.high - grouped.low > 1.5 * (single.high - single.low)


def test_a_better_metric_is_found_better(rng: np.random.Generator) -> None:
    target = rng.normal(size=300)
    good, poor = target + rng.normal(size=300), target + 4 * rng.normal(size=300)
    found = differences(["good", "poor", "good2"], [good, poor, good + 1e-9], target, np.arange(300), Resampling(400))
    first, same, last = found
    assert first.difference > 0 and first.low > 0 and first.p_value < 0.01 and first.p_holm < 0.05
    assert same.difference == pytest.approx(0, abs=1e-3)
    assert last.difference < 0


def test_results_do_not_depend_on_workers(rng: np.random.Generator) -> None:
    label = np.repeat([0.0, 1.0], 50)
    scores = table(a=label + rng.normal(size=100), b=rng.normal(size=100))
    one = contest(scores, label, np.arange(100), how=Resampling(300, seed=5))
    two = contest(scores, label, np.arange(100), how=Resampling(300, seed=5), workers=2)
    assert one == two


def test_a_metric_that_knows_nothing_has_an_interval_around_one_half(rng: np.random.Generator) -> None:
    """Resamples of OCA lie above one half, all of them; the interval of the best accuracy does not."""
    label = np.tile([0.0, 1.0], 250)
    row = contest(table(noise=rng.normal(size=500)), label, np.arange(500) // 2).results[0]
    assert row.oca > 0.51
    assert row.oca_low <= 0.5 < row.oca_corrected + 0.02 and row.oca_corrected < row.oca <= row.oca_high


def test_an_accuracy_of_one_on_few_sets_is_not_certain(rng: np.random.Generator) -> None:
    label = np.tile([0.0, 1.0], 15)
    row = contest(table(metric=label + 0.01 * rng.normal(size=30)), label, np.arange(30) // 2).results[0]
    assert (row.oca, row.oca_high) == (1, 1) and 0.7 < row.oca_low < 0.97
    assert row.low < 0.8 < row.rho == row.high and row.p_value < 0.05


def test_bounds_do_not_depend_on_the_order(rng: np.random.Generator) -> None:
    scores, labels, groups = rng.normal(size=300), rng.random(300) < 0.5, np.arange(300) // 3
    shuffled = rng.permutation(300)
    one, two = (
        accuracy_bounds(scores[rows], labels[rows], groups[rows], 100, 0.95, 500, np.random.default_rng(0))
        for rows in (np.arange(300), shuffled)
    )
    np.testing.assert_allclose(one, two, atol=1e-12)


def test_fewer_than_five_contexts_have_no_interval_but_a_reason(rng: np.random.Generator) -> None:
    label, values = np.tile([0.0, 1.0], 20), rng.normal(size=40)
    found = contest(table(a=values, b=-values), label, np.arange(40) // 10)
    for row in found.results:
        assert np.isnan([row.low, row.high, row.p_value, row.oca_low, row.oca_high]).all()
        assert row.reason == "too few contexts for an interval (4 < 5)"
    assert np.isnan(found.comparisons[0].p_value) and "4 < 5" in found.comparisons[0].reason
    assert np.isnan(rank_pairs(table(a=values), label, np.arange(40) // 10)[0].low)


def test_p_and_interval_answer_one_question(rng: np.random.Generator) -> None:
    """p is below .05 where the interval does not hold 0, and there alone."""
    seen = set()
    for strength in np.linspace(0, 0.5, 40):
        clusters = np.repeat(np.arange(12), 4)
        target = rng.normal(size=48)
        left, right = strength * target + rng.normal(size=48), rng.normal(size=48)
        one = correlation_interval(left, target, clusters, Resampling())
        pair = differences(["left", "right"], [left, right], target, clusters, Resampling())[0]
        for found in (one, pair):
            assert (found.p_value < 0.05) == (not found.low <= 0 <= found.high)
            seen.add(found.p_value < 0.05)
    assert seen == {True, False}


def test_a_correction_for_many_metrics_can_fire(rng: np.random.Generator) -> None:
    """25 metrics, 300 comparisons: what is clear stays clear after Holm's correction."""
    target = rng.normal(size=400)
    columns = [target + (1 + number % 2 * 6) * rng.normal(size=400) for number in range(25)]
    found = differences([str(n) for n in range(25)], columns, target, np.arange(400) // 2, Resampling())
    apart = [one for one in found if (int(one.left) + int(one.right)) % 2]
    assert len(found) == 300 and all(one.p_holm < 0.05 for one in apart)


def test_a_metric_against_itself_has_no_interval_of_width_0(rng: np.random.Generator) -> None:
    values, target = rng.normal(size=60), rng.normal(size=60)
    one = differences(["a", "b"], [values, 2 * values], target, np.arange(60), Resampling())[0]
    assert one.difference == 0 and np.isnan([one.low, one.p_value]).all() and "the same" in one.reason


def test_very_many_contexts_are_left_out_in_groups(rng: np.random.Generator) -> None:
    target = rng.normal(size=5000)
    values = target + rng.normal(size=5000)
    grouped = correlation_interval(values, target, np.arange(5000), Resampling())
    width = grouped.high - grouped.low
    expected = 2 * 1.96 * (1 - np.tanh(np.arctanh(stats.spearmanr(values, target)[0])) ** 2) * 1.03 / np.sqrt(5000)
    assert width == pytest.approx(expected, rel=0.15)


def test_a_share_is_wilsons_where_units_are_apart() -> None:
    correct = np.repeat([1.0, 0.0], [80, 20])
    found = share_interval(correct, np.arange(100), Resampling())
    wilson = stats.binomtest(80, 100).proportion_ci(method="wilson")
    assert (found.low, found.high) == pytest.approx((wilson.low, wilson.high), abs=0.004)


def test_dectest_draws_subsets(rng: np.random.Generator) -> None:
    temperature = np.round(rng.uniform(0.2, 1.2, 500), 2)
    metric = temperature + 0.2 * rng.normal(size=500)
    result = dectest(table(metric=metric), temperature, np.arange(500), subset=100, repeats=50, how=Resampling(0))
    row = result.results[0]
    assert row.rho == pytest.approx(stats.spearmanr(metric, temperature)[0], abs=1e-12)
    assert row.rho_mean == pytest.approx(row.rho, abs=0.02)
    assert 0.005 < row.rho_sd < 0.1
    assert row.pearson == pytest.approx(stats.pearsonr(metric, temperature)[0], abs=0.02)
    again = dectest(table(metric=metric), temperature, np.arange(500), subset=100, repeats=50, how=Resampling(0))
    assert again == result
    everything = dectest(table(metric=metric), temperature, np.arange(500), subset=900, how=Resampling(0)).results[0]
    assert everything.rho_mean == pytest.approx(row.rho, abs=1e-12)
    assert everything.rho_sd == pytest.approx(0, abs=1e-12)


def test_a_constant_metric_has_no_correlation() -> None:
    row = dectest(table(metric=np.ones(30)), np.arange(30.0), np.arange(30), subset=10).results[0]
    assert np.isnan([row.rho, row.rho_mean, row.rho_sd, row.pearson, row.low]).all()


def test_curves_settle(rng: np.random.Generator) -> None:
    target = rng.normal(size=400)
    curve = sets_curve(table(metric=target + rng.normal(size=400)), target, [10, 50, 200, 9999], repeats=60)[0]
    assert curve.sizes == (10, 50, 200)
    assert curve.sd[0] > curve.sd[1] > curve.sd[2]
    ratings = [value + rng.normal(size=8) for value in target[:100]]
    human = ratings_curve("abs_hds", ratings, target[:100], [1, 4, 8, 20], repeats=20)
    assert human.sizes == (1, 4, 8)
    assert human.mean[0] < human.mean[1] < human.mean[2]


def test_ranking_ties_are_misses() -> None:
    target, clusters = np.array([0.0, 1, 0, 1, 0, 1]), np.array([0, 0, 1, 1, 2, 2])
    row = rank_pairs(table(metric=np.array([1.0, 2, 5, 5, 9, 8])), target, clusters, how=Resampling(0))[0]
    assert row.n_pairs == 3
    assert row.accuracy == pytest.approx(1 / 3)  # one right, one tie, one wrong
    assert row.rho == pytest.approx(stats.spearmanr([1, 0, -1, -1, 0, 1], [1, 1, 1, -1, -1, -1])[0])


def test_sets_of_different_contexts_are_paired_at_random(rng: np.random.Generator) -> None:
    target = rng.normal(size=50)
    left, right = comparable_pairs(target, np.arange(50), rng)
    assert len(left) == 50
    assert (left != right).all()
    assert rank_pairs(table(metric=target), target, np.arange(50))[0].accuracy == 1


def test_nuggets_forget_the_form(rng: np.random.Generator) -> None:
    label = (rng.random(2000) < 0.5).astype(float)
    form = label + rng.normal(size=2000)
    found = nuggets(form, label)
    assert found.rho_before > 0.3
    assert abs(found.rho_after) < 0.05
    assert label[found.rows].mean() == 0.5
    assert (np.diff(found.rows) > 0).all()
    np.testing.assert_array_equal(nuggets(form, label).rows, found.rows)
    assert not np.array_equal(nuggets(form, label, seed=1).rows, found.rows)


def test_nuggets_leave_gaps_out() -> None:
    form, label = np.array([1.0, np.nan, 1, 1]), np.array([0.0, 1, 1, np.nan])
    assert nuggets(form, label).rows.tolist() == [0, 2]
    with pytest.raises(DataError, match="two kinds"):
        nuggets(form, np.zeros(4))


def made() -> Dataset:
    return Dataset.from_records(
        {
            "text": f"t{i}",
            "context": f"c{i // 4}",
            "set": f"s{i // 2}",
            "system": "a" if i < 6 else "b",
            "params": {"temperature": 0.5 + (i // 2), "top_k": 10 ** (i // 2), "mixed": i},
            "set_columns": {"mood": "glad" if i < 4 else "sad", "label_value": float(i // 4)},
        }
        for i in range(8)
    )


def test_values_of_sets() -> None:
    data = made()
    assert set_values(data, "temperature").tolist() == [0.5, 1.5, 2.5, 3.5]
    assert positive_log10("top_k", set_values(data, "top_k")).tolist() == [0, 1, 2, 3]
    assert set_values(data, "mood", high="glad").tolist() == [1, 1, 0, 0]
    assert set_values(data, "label_value", high="0").tolist() == [1, 1, 0, 0]
    assert set_values(data, "system", high="b").tolist() == [0, 0, 0, 1]
    assert context_clusters(data).tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize(
    ("name", "high", "message"),
    [
        ("temprature", None, "Did you mean 'temperature'"),
        ("mixed", None, "outputs of set 's0' differ"),
        ("mood", None, "glad, sad"),
        ("mood", "angry", "--high"),
        ("label_value", "glad", "holds numbers"),
    ],
)
def test_wrong_targets(name: str, high: str | None, message: str) -> None:
    with pytest.raises(DataError, match=message):
        set_values(made(), name, high=high)


def test_a_scale_is_no_label() -> None:
    with pytest.raises(DataError, match="has 4"):
        two_classes("temperature", set_values(made(), "temperature"))
    with pytest.raises(DataError, match="no logarithm"):
        positive_log10("x", np.array([0.0, 1]))
    with pytest.raises(DataError, match="two values"):
        dectest(table(metric=np.arange(5.0)), np.ones(5), np.arange(5))
