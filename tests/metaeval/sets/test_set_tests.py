"""conTest, decTest, rankings and nuggets on made sets whose answer is known."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from assay.errors import AssayError, DataError
from assay.kernels.statistics.shares import share_interval
from assay.kernels.statistics.threshold import accuracy_bounds
from assay.metaeval.questions.contrast import Contrast, contrast
from assay.metaeval.questions.correlation import Correlation, correlate
from assay.metaeval.questions.inquiry import Inquiry
from assay.metaeval.questions.question import Question, Resampling
from assay.metaeval.questions.sample import Sample
from assay.metaeval.sets.contest import best_thresholds, contest, two_classes
from assay.metaeval.sets.dectest import dectest, stability_of_ratings, stability_of_sets
from assay.metaeval.sets.nuggets import nuggets
from assay.metaeval.sets.ranking_pairs import comparable_pairs, ordered_pairs
from assay.metaeval.sets.set_study import CONTEXTS, cases_of, study_of_sets
from assay.records import Dataset
from assay.run import score
from assay.scores import Column, ScoreTable
from assay.text.strings import Strings
from tests.oracles.diversity import best_threshold

NO_RESAMPLES = Resampling(0)


def study(
    target: np.ndarray,
    contexts: np.ndarray,
    how: Resampling = NO_RESAMPLES,
    workers: int = 1,
    **columns: np.ndarray | Column,
) -> Inquiry:
    """Metrics of sets against a target; every item is a context."""
    scores = {n: c if isinstance(c, Column) else Column.of(n, c) for n, c in columns.items()}
    names = Strings.of([f"s{i}" for i in range(len(target))])
    items = Strings.of([f"c{context}" for context in contexts])
    table = ScoreTable("set", names, items, names, {**scores, "target": Column.of("target", target)})
    sample = Sample.of(table)
    sample = replace(sample, context=np.arange(sample.n_items))
    question = Question("target", tuple(scores), ("spearman",), ("set",), resampling=how.with_factors(CONTEXTS))
    return Inquiry(table, question, sample, workers=workers)


def rho_of(values: np.ndarray, target: np.ndarray, contexts: np.ndarray, how: Resampling | None = None) -> Correlation:
    return correlate(study(target, contexts, how or Resampling(), metric=values))[0]


def differences(target: np.ndarray, contexts: np.ndarray, **columns: np.ndarray) -> list[Contrast]:
    return contrast(study(target, contexts, Resampling(), **columns))[0]


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def test_contest_is_spearman_and_the_best_threshold(rng: np.random.Generator) -> None:
    label = np.repeat([0.0, 1.0], 40)
    metric = np.round(label + rng.normal(size=80), 1)
    result = contest(study(label, np.arange(80), Resampling(), metric=metric))
    rho, best = result.correlations[0], result.thresholds[0]
    assert rho.value == pytest.approx(stats.spearmanr(metric, label)[0], abs=1e-12)
    assert (best.oca, best.threshold) == best_threshold(metric.tolist(), (label == 1).tolist())
    assert rho.low < rho.value < rho.high
    assert best.low < best.oca <= best.high
    assert (best.n, best.n_missing) == (rho.n, rho.n_missing) == (80, 0)


def test_direction_is_data(rng: np.random.Generator) -> None:
    label = np.repeat([0.0, 1.0], 30)
    values = label + rng.normal(size=60)
    similarity = Column.of("similarity", -values, higher_is_better=False)
    result = contest(study(label, np.arange(60), Resampling(), metric=values, similarity=similarity))
    for up, down in (result.correlations, result.thresholds):
        assert (up.low, up.high) == (down.low, down.high)
    up, down = result.thresholds
    assert (up.oca, up.threshold) == (down.oca, -down.threshold)
    assert result.contrasts[0].difference == 0


def test_gaps_are_left_out_and_counted(rng: np.random.Generator) -> None:
    label = np.repeat([0.0, 1.0], 30)
    values = label + rng.normal(size=60)
    values[[3, 40]] = np.nan
    result = contest(study(label, np.arange(60), metric=values))
    for row in (result.correlations[0], result.thresholds[0]):
        assert (row.n, row.n_missing) == (58, 2)
        assert np.isnan(row.low)


def test_repeated_contexts_widen_the_interval(rng: np.random.Generator) -> None:
    clusters = np.repeat(np.arange(25), 8)
    target = rng.normal(size=25)[clusters] + 0.1 * rng.normal(size=200)
    metric = 0.5 * target + rng.normal(size=25)[clusters] + 0.1 * rng.normal(size=200)
    grouped, single = rho_of(metric, target, clusters), rho_of(metric, target, np.arange(200))
    assert grouped.high - grouped.low > 1.5 * (single.high - single.low)


def test_a_better_metric_is_found_better(rng: np.random.Generator) -> None:
    target = rng.normal(size=300)
    good, poor = target + rng.normal(size=300), target + 4 * rng.normal(size=300)
    first, same, last = differences(target, np.arange(300), good=good, poor=poor, good2=good + 1e-9)
    assert first.difference > 0 and first.low > 0 and first.p_value < 0.01 and first.p_adjusted < 0.05
    assert same.difference == pytest.approx(0, abs=1e-3)
    assert last.difference < 0


def test_results_do_not_depend_on_workers(rng: np.random.Generator) -> None:
    label = np.repeat([0.0, 1.0], 50)
    columns = {"a": label + rng.normal(size=100), "b": rng.normal(size=100)}
    one, two = (contest(study(label, np.arange(100), Resampling(300, seed=5), n, **columns)) for n in (1, 2))
    assert one == two


def test_a_metric_that_knows_nothing_has_an_interval_around_one_half(rng: np.random.Generator) -> None:
    """Resamples of OCA lie above one half, all of them; the interval of the best accuracy does not."""
    label = np.tile([0.0, 1.0], 250)
    best = best_thresholds(study(label, np.arange(500) // 2, Resampling(), noise=rng.normal(size=500)))[0]
    assert best.oca > 0.51
    assert best.low <= 0.5 < best.corrected + 0.02 and best.corrected < best.oca <= best.high


def test_an_accuracy_of_one_on_few_sets_is_not_certain(rng: np.random.Generator) -> None:
    label = np.tile([0.0, 1.0], 15)
    result = contest(study(label, np.arange(30) // 2, Resampling(), metric=label + 0.01 * rng.normal(size=30)))
    rho, best = result.correlations[0], result.thresholds[0]
    assert (best.oca, best.high) == (1, 1) and 0.7 < best.low < 0.97
    assert rho.low < 0.8 < rho.value == rho.high and rho.p_value < 0.05


def test_a_perfect_metric_differs_from_a_poor_one(rng: np.random.Generator) -> None:
    """Without any context rho is at its ceiling; the difference has an interval all the same."""
    label = np.tile([0.0, 1.0], 40)
    perfect, poor = label + 0.01 * rng.normal(size=80), rng.normal(size=80)
    (pair,) = differences(label, np.arange(80) // 2, perfect=perfect, poor=poor)
    assert 0 < pair.low < pair.difference < pair.high and pair.p_value < 0.05


def test_a_ceiling_widens_the_interval_below_it(rng: np.random.Generator) -> None:
    """Against two classes rho ends at .87: near there, the interval reaches further down than Fisher's alone."""
    label = np.tile([0.0, 1.0], 100)
    sets = study(label, np.arange(200) // 2, Resampling(), metric=label + 0.25 * rng.normal(size=200))
    cases = cases_of(sets, sets.candidates[0])
    jackknifed = sets.jackknifed(cases, sets.statistics[0])
    assert jackknifed.ceilings == pytest.approx(np.sqrt(3) / 2, abs=1e-4)
    (low,), (high,) = jackknifed.intervals(0.95)
    (fisher_low,), (fisher_high,) = replace(jackknifed, ceilings=None).intervals(0.95)
    assert low < fisher_low - 0.003 and high >= fisher_high


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
    # Sets without a label add contexts that nothing rests on.
    label, values = np.append(label, [np.nan] * 4), np.append(values, rng.normal(size=4))
    contexts = np.append(np.arange(40) // 10, np.arange(4, 8))
    few = study(label, contexts, Resampling(), a=values, b=-values)
    result = contest(few)
    for row in (*result.correlations, *result.thresholds, *ordered_pairs(few)):
        assert np.isnan([row.low, row.high]).all()
        assert row.reason == "no interval: 4 contexts are too few to draw from, 5 are needed"
    assert np.isnan([row.p_value for row in (*result.correlations, *result.contrasts)]).all()
    assert "4 contexts" in result.contrasts[0].reason


def test_p_and_interval_answer_one_question(rng: np.random.Generator) -> None:
    """p is below .05 where the interval does not hold 0, and there alone."""
    seen = set()
    for strength in np.linspace(0, 0.5, 40):
        clusters = np.repeat(np.arange(12), 4)
        target = rng.normal(size=48)
        left, right = strength * target + rng.normal(size=48), rng.normal(size=48)
        one = rho_of(left, target, clusters)
        pair = differences(target, clusters, left=left, right=right)[0]
        for found in (one, pair):
            assert (found.p_value < 0.05) == (not found.low <= 0 <= found.high)
            seen.add(found.p_value < 0.05)
    assert seen == {True, False}


def test_a_correction_for_many_metrics_can_fire(rng: np.random.Generator) -> None:
    """25 metrics, 300 comparisons: what is clear stays clear after Holm's correction."""
    target = rng.normal(size=400)
    columns = {f"m{n}": target + (1 + n % 2 * 6) * rng.normal(size=400) for n in range(25)}
    pairs = differences(target, np.arange(400) // 2, **columns)
    apart = [pair for pair in pairs if (int(pair.left[1:]) + int(pair.right[1:])) % 2]
    assert len(pairs) == 300 and all(pair.p_adjusted < 0.05 for pair in apart)


def test_a_metric_never_differs_from_itself(rng: np.random.Generator) -> None:
    values, target = rng.normal(size=60), rng.normal(size=60)
    (pair,) = differences(target, np.arange(60), a=values, b=2 * values)
    assert (pair.difference, pair.low, pair.high, pair.p_value) == (0, 0, 0, 1)


def test_very_many_contexts_are_left_out_in_groups(rng: np.random.Generator) -> None:
    target = rng.normal(size=5000)
    values = target + rng.normal(size=5000)
    grouped = rho_of(values, target, np.arange(5000))
    width = grouped.high - grouped.low
    expected = 2 * 1.96 * (1 - np.tanh(np.arctanh(stats.spearmanr(values, target)[0])) ** 2) * 1.03 / np.sqrt(5000)
    assert width == pytest.approx(expected, rel=0.15)


def test_a_share_is_wilsons_where_units_are_apart() -> None:
    correct = np.repeat([1.0, 0.0], [80, 20])
    low, high, _ = share_interval(correct, np.arange(100), 100, 0.95)
    wilson = stats.binomtest(80, 100).proportion_ci(method="wilson")
    assert (low, high) == pytest.approx((wilson.low, wilson.high), abs=0.004)


def test_dectest_draws_subsets(rng: np.random.Generator) -> None:
    temperature = np.round(rng.uniform(0.2, 1.2, 500), 2)
    metric = temperature + 0.2 * rng.normal(size=500)
    sets = study(temperature, np.arange(500), metric=metric)
    result = dectest(sets, subset=100, repeats=50)
    rho, row = result.correlations[0].value, result.subsets[0]
    assert rho == pytest.approx(stats.spearmanr(metric, temperature)[0], abs=1e-12)
    assert row.rho_mean == pytest.approx(rho, abs=0.02)
    assert 0.005 < row.rho_sd < 0.1
    assert row.pearson_mean == pytest.approx(stats.pearsonr(metric, temperature)[0], abs=0.02)
    assert dectest(sets, subset=100, repeats=50).subsets == result.subsets
    everything = dectest(sets, subset=900).subsets[0]
    assert everything.rho_mean == pytest.approx(rho, abs=1e-12)
    assert everything.rho_sd == pytest.approx(0, abs=1e-12)


def test_a_constant_metric_has_no_correlation() -> None:
    result = dectest(study(np.arange(30.0), np.arange(30), Resampling(), metric=np.ones(30)), subset=10)
    rho, row = result.correlations[0], result.subsets[0]
    assert np.isnan([rho.value, rho.low, row.rho_mean, row.rho_sd, row.pearson_mean]).all()
    assert rho.reason and row.reason


def test_curves_settle(rng: np.random.Generator) -> None:
    target = rng.normal(size=400)
    sets = study(target, np.arange(400), metric=target + rng.normal(size=400))
    curve = stability_of_sets(sets, [10, 50, 200, 9999], repeats=60)[0]
    assert curve.sizes == (10, 50, 200)
    assert curve.sd[0] > curve.sd[1] > curve.sd[2]
    ratings = [value + rng.normal(size=8) for value in target[:100]]
    human = stability_of_ratings("abs_hds", ratings, target[:100], [1, 4, 8, 20], repeats=20)
    assert human.sizes == (1, 4, 8)
    assert human.mean[0] < human.mean[1] < human.mean[2]


def test_ranking_ties_are_misses() -> None:
    target, clusters = np.array([0.0, 1, 0, 1, 0, 1]), np.array([0, 0, 1, 1, 2, 2])
    row = ordered_pairs(study(target, clusters, metric=np.array([1.0, 2, 5, 5, 9, 8])))[0]
    assert row.n == 3
    assert row.accuracy == pytest.approx(1 / 3)  # one right, one tie, one wrong
    assert row.rho == pytest.approx(stats.spearmanr([1, 0, -1, -1, 0, 1], [1, 1, 1, -1, -1, -1])[0])


def test_sets_of_different_contexts_are_paired_at_random(rng: np.random.Generator) -> None:
    target = rng.normal(size=50)
    left, right = comparable_pairs(target, np.arange(50), rng)
    assert len(left) == 50
    assert (left != right).all()
    assert ordered_pairs(study(target, np.arange(50), metric=target))[0].accuracy == 1


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


def set_values(name: str, **settings: object) -> list[float]:
    call = f"set_value({name!r}{''.join(f', {key}={value!r}' for key, value in settings.items())})"
    return score(made(), [call], unit="set")[call].values.tolist()


def test_values_of_sets() -> None:
    assert set_values("temperature") == [0.5, 1.5, 2.5, 3.5]
    assert set_values("top_k", log10=True) == [0, 1, 2, 3]
    assert set_values("mood", high="glad") == [1, 1, 0, 0]
    assert set_values("label_value", high="0") == [1, 1, 0, 0]
    assert set_values("system", high="b") == [0, 0, 0, 1]


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("temprature", {}, "Did you mean 'temperature'"),
        ("mixed", {}, "outputs of set 's0' differ"),
        ("mood", {}, "glad, sad"),
        ("mood", {"high": "angry"}, "--high"),
        ("label_value", {"high": "glad"}, "holds numbers"),
        ("label_value", {"log10": True}, "no logarithm"),
    ],
)
def test_wrong_targets(name: str, settings: dict[str, object], message: str) -> None:
    with pytest.raises(DataError, match=message):
        set_values(name, **settings)


def test_a_scale_is_no_label() -> None:
    with pytest.raises(DataError, match="has 4"):
        two_classes("temperature", Column.of("temperature", set_values("temperature")))
    with pytest.raises(DataError, match="two values"):
        dectest(study(np.ones(5), np.arange(5), metric=np.arange(5.0)))


def test_items_of_one_context_are_one_cluster() -> None:
    """Sets of the same context move together whatever their items are called; items without one are their own."""
    data = Dataset.from_records(
        {"text": f"t{i}", "item": f"i{i}", "set": f"s{i}", "context": ["a", "a", "b", ""][i % 4]} for i in range(8)
    )
    table = score(data, ["length"], unit="set")
    sample = Sample.of(table, dataset=data)
    assert sample.codes("contexts").tolist() == [0, 0, 1, 2, 0, 0, 1, 3]
    assert sample.n_present("contexts", np.array([0, 1, 4])) == 1
    (draw,) = sample.leave_out("contexts", np.arange(8), 0)
    assert draw.items is not None
    assert draw.items.tolist()[0] == [0, 0, 1, 1, 0, 0, 1, 1] and len(draw.items) == 4
    question = Question("length", ("length",), resampling=Resampling(10, CONTEXTS))
    with pytest.raises(AssayError, match="does not hold the contexts"):
        Inquiry(table, question).factors("set")
    with pytest.raises(AssayError, match="contexts alone"):
        sample.check(("contexts", "items"))


def test_a_study_of_sets_asks_about_contexts() -> None:
    data = made()
    table = score(data, ["length", "set_value('temperature')"], unit="set")
    sets = study_of_sets(table, "set_value('temperature')", data, Resampling())
    assert sets.factors("set") == CONTEXTS
    assert [column.name for column in sets.candidates] == ["length"]
