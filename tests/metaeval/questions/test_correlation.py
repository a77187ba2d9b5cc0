import numpy as np
import pytest
from scipy import stats

from assay.errors import AssayError
from assay.kernels.statistics import correlation as plain
from assay.metaeval.questions.correlation import correlate
from assay.metaeval.questions.inquiry import Inquiry
from assay.metaeval.questions.question import Question, Resampling
from assay.metaeval.questions.sample import Sample, unit_weights
from tests.metaeval.score_tables import score_table, table_of

PEERS = {
    "pearson": lambda x, y: stats.pearsonr(x, y)[0],
    "spearman": lambda x, y: stats.spearmanr(x, y)[0],
    "kendall": lambda x, y: stats.kendalltau(x, y)[0],
}
NONE = Resampling(resamples=0)


def ask(table, **about):
    about = {"resampling": NONE, **about}
    return correlate(Inquiry(table, Question("human", **about)))


@pytest.mark.parametrize("seed", range(20))
def test_output_and_system_level_equal_scipy_on_complete_cases(seed):
    table = score_table(15 + seed, 4 + seed % 5, 4, seed=seed, gaps=0.02 * seed)
    systems = np.array(table.system.to_list())
    y = table["human"].values
    found = ask(table, levels=("output", "system"))
    assert len(found) == 4 * 3 * 2
    for answer in found:
        x = table[answer.candidate].values
        both = ~np.isnan(x) & ~np.isnan(y)
        if answer.level == "output":
            points = x[both], y[both]
        else:
            names = [name for name in dict.fromkeys(systems) if both[systems == name].any()]
            points = tuple(np.array([v[both & (systems == name)].mean() for name in names]) for v in (x, y))
        assert answer.value == pytest.approx(PEERS[answer.statistic](*points), abs=1e-9)
        assert answer.n == len(points[0])
        assert answer.n_missing == (len(table) if answer.level == "output" else len(set(systems))) - answer.n
        assert answer.coverage == answer.n / (answer.n + answer.n_missing)


@pytest.mark.parametrize("grouping", ["item", "system"])
def test_a_grouping_is_the_mean_over_its_groups(grouping):
    table = score_table(12, 6, 2, seed=3, gaps=0.1)
    groups = np.array((table.item if grouping == "item" else table.system).to_list())
    y = table["human"].values
    for answer in ask(table, groupings=(grouping,)):
        x = table[answer.candidate].values
        both = ~np.isnan(x) & ~np.isnan(y)
        values = []
        for name in dict.fromkeys(groups):
            mine = both & (groups == name)
            if len(set(x[mine])) > 1 and len(set(y[mine])) > 1:
                values.append(PEERS[answer.statistic](x[mine], y[mine]))
        assert answer.value == pytest.approx(np.mean(values), abs=1e-9)


def test_errors_and_tie_calibrated_accuracy():
    table = score_table(10, 4, 1, seed=1)
    x, y = table["m0"].values, table["human"].values
    statistics = ("mse", "mae", "accuracy", "kendall_c", "pairwise_accuracy")
    found = {answer.statistic: answer for answer in ask(table, statistics=statistics)}
    assert found["mse"].value == pytest.approx(np.mean((x - y) ** 2))
    assert found["mae"].value == pytest.approx(np.mean(np.abs(x - y)))
    assert found["accuracy"].value == 0.0
    assert found["kendall_c"].value == pytest.approx(stats.kendalltau(x, y, variant="c")[0], abs=1e-9)
    assert found["pairwise_accuracy"].value >= plain.pairwise_accuracy(x, y)


def test_direction_turns_the_sign_but_not_an_error():
    columns = {"human": [1.0, 2.0, 3.0, 5.0], "distance": [4.0, 3.0, 2.5, 1.0]}
    table = table_of(columns, list("abcd"), ["s"] * 4, distance={"higher_is_better": False})
    found = {answer.statistic: answer.value for answer in ask(table, statistics=("spearman", "mse"))}
    assert found["spearman"] == 1.0
    assert found["mse"] == pytest.approx(np.mean((np.array(columns["human"]) - columns["distance"]) ** 2))


UNDEFINED = [
    ([1.0, 1.0, 1.0, 1.0], [1.0, 2.0, 3.0, 4.0], "the target human is constant"),
    ([1.0, 2.0, 3.0, 4.0], [2.0, 2.0, 2.0, 2.0], "m is constant"),
    ([1.0, 2.0, np.nan, np.nan], [2.0, 3.0, 4.0, 2.0], "only 2 outputs have both scores; 3 are needed"),
    ([1.0, 2.0, 3.0, 4.0], [np.nan] * 4, "m has no score at all (missing)"),
    ([np.nan] * 4, [1.0, 2.0, 3.0, 4.0], "the target human has no score at all (missing)"),
]


@pytest.mark.parametrize(("human", "m", "reason"), UNDEFINED)
def test_undefined_is_nan_with_a_reason(human, m, reason):
    table = table_of({"human": human, "m": m}, list("abcd"), list("xyxy"))
    for answer in ask(table, resampling=Resampling(50)):
        assert np.isnan([answer.value, answer.low, answer.high]).all()
        assert answer.reason == reason


def test_wrong_questions_say_what_to_do():
    table = score_table(4, 3, 1)
    with pytest.raises(AssayError, match=r"the target 'humna' is not a column of the scores. Did you mean 'human'"):
        correlate(Inquiry(table, Question("humna")))
    with pytest.raises(AssayError, match="the level can be 'output' or 'system', not 'set'"):
        ask(table, levels=("set",))
    with pytest.raises(AssayError, match=r"no statistic 'spearmen'. Did you mean 'spearman'"):
        ask(table, statistics=("spearmen",))
    with pytest.raises(AssayError, match="no grouping"):
        ask(table, groupings=("annotator",))
    with pytest.raises(AssayError, match="annotators cannot be resampled here: a score table"):
        ask(table, resampling=Resampling(10, ("annotators",)))
    with pytest.raises(AssayError, match="a unit is where the two meet"):
        ask(table, resampling=Resampling(10, ("units", "items")))


FACTORS = [("units",), ("items",), ("systems",), ("items", "systems")]


@pytest.mark.parametrize("factors", FACTORS, ids="+".join)
@pytest.mark.parametrize(("level", "grouping"), [("output", "pooled"), ("output", "item"), ("output", "system")])
def test_a_draw_of_units_is_the_statistic_of_the_repeated_rows(factors, level, grouping):
    """Build each resample by repeating rows, a group drawn twice being two groups of the mean."""
    table = score_table(8, 4, 2, seed=2, gaps=0.1)
    study = Inquiry(table, Question("human", levels=(level,), groupings=(grouping,), resampling=Resampling(7, factors)))
    sample = study.sample
    for statistic, _, _ in study.settings():
        for column in study.candidates:
            mask = study.complete([column], level, grouping)
            drawn = study.replicates(study.cases([column], mask, statistic, level, grouping), statistic)[:, 0]
            rows = np.flatnonzero(mask)
            draw = sample.draw(_block(7), factors)
            for b in range(7):
                expected = _by_hand(
                    sample, draw, b, rows, column.values, study.target.values, statistic.plain, grouping
                )
                assert drawn[b] == pytest.approx(expected, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("factors", FACTORS, ids="+".join)
def test_a_draw_at_system_level_pools_anew(factors):
    table = score_table(8, 5, 2, seed=4, gaps=0.1)
    study = Inquiry(table, Question("human", levels=("system",), resampling=Resampling(9, factors)))
    sample = study.sample
    draw = sample.draw(_block(9), factors)
    for statistic, level, grouping in study.settings():
        column = study.candidates[0]
        mask = study.complete([column], level, grouping)
        drawn = study.replicates(study.cases([column], mask, statistic, level, grouping), statistic)[:, 0]
        rows = np.flatnonzero(mask)
        weights = unit_weights(sample, draw, rows, systems=False)
        for b in range(9):
            means = []
            for s in range(5):
                repeated = np.repeat(rows, weights[b] * (sample.system[rows] == s))
                times = 1 if draw.systems is None else draw.systems[b, s]
                if len(repeated):
                    means += [(column.values[repeated].mean(), study.target.values[repeated].mean())] * times
            x, y = np.array(means).T
            # a mean of equal numbers can differ in the last bit from another mean of them
            expected = statistic.plain(np.round(x, 12), np.round(y, 12))
            assert drawn[b] == pytest.approx(expected, abs=1e-9, nan_ok=True)


def _block(size):
    from assay.kernels.statistics.resample import blocks

    return blocks(size, 0)[0]


def _by_hand(sample, draw, b, rows, x, y, statistic, grouping):
    if grouping == "pooled":
        repeated = np.repeat(rows, unit_weights(sample, draw, rows)[b])
        return statistic(x[repeated], y[repeated])
    by_item = grouping == "item"
    weights = unit_weights(sample, draw, rows, items=not by_item, systems=by_item)[b]
    drawn = draw.items if by_item else draw.systems
    groups = sample.item if by_item else sample.system
    values = []
    for group in np.unique(groups[rows]):
        repeated = np.repeat(rows, weights * (groups[rows] == group))
        value = statistic(x[repeated], y[repeated])
        values += [value] * (1 if drawn is None else drawn[b, group])
    return np.nanmean(values) if len(values) and not np.isnan(values).all() else np.nan


def test_the_bits_do_not_depend_on_workers_or_on_company():
    table = score_table(30, 4, 4, seed=5)
    question = Question("human", levels=("output", "system"), resampling=Resampling(200))
    one = correlate(Inquiry(table, question, workers=1))
    assert correlate(Inquiry(table, question, workers=2)) == one
    single = Question("human", ("m2",), ("spearman",), ("output",), resampling=Resampling(200))
    alone = correlate(Inquiry(table, single))
    assert alone[0] in one


def test_another_seed_gives_another_interval():
    table = score_table()
    first, second = (ask(table, resampling=Resampling(100, interval="percentile", seed=seed))[0] for seed in (0, 1))
    assert first.value == second.value
    assert first.low != second.low


def test_bca_of_independent_units_equals_scipys():
    rng = np.random.default_rng(0)
    x = rng.normal(size=60)
    columns = {"human": x + rng.normal(size=60), "m": x}
    table = table_of(columns, [f"i{i}" for i in range(60)], ["s"] * 60)
    ours = ask(table, statistics=("pearson",), resampling=Resampling(4000, interval="bca"))[0]
    peer = stats.bootstrap(
        (columns["m"], columns["human"]),
        lambda a, b: stats.pearsonr(a, b)[0],
        paired=True,
        vectorized=False,
        n_resamples=4000,
        method="BCa",
        rng=np.random.default_rng(1),
    ).confidence_interval
    assert (ours.low, ours.high) == pytest.approx((peer.low, peer.high), abs=0.02)


def test_a_sample_numbers_units_without_an_item_apart():
    table = table_of({"human": [1.0, 2.0, 3.0]}, ["", "a", ""], ["s", "", "s"])
    sample = Sample.of(table)
    assert len(set(sample.item.tolist())) == 3
    assert sample.system.tolist() == [0, -1, 0]


@pytest.mark.parametrize("interval", ["t", "percentile", "bca"])
@pytest.mark.parametrize("n_systems", [3, 4, 5])
def test_few_systems_have_no_interval_but_a_reason(n_systems, interval):
    table = score_table(10, n_systems, 2, seed=1)
    for answer in ask(table, levels=("system",), resampling=Resampling(100, interval=interval)):
        if n_systems < 5:
            assert np.isnan([answer.low, answer.high, answer.p_value]).all()
            assert answer.reason == f"no interval: {n_systems} systems are too few, 5 are needed"
        elif interval == "t":
            assert answer.low < answer.high
            assert answer.reason == ""


def test_a_perfect_order_leaves_room_below_and_a_reversed_one_above():
    values = np.arange(12.0)
    table = table_of({"human": values, "up": values**2, "down": -values}, [f"i{i}" for i in range(12)], ["s"] * 12)
    statistics = ("spearman", "kendall", "pairwise_accuracy_exact")
    for answer in ask(table, statistics=statistics, resampling=Resampling(100)):
        worst, best = (0.0 if "accuracy" in answer.statistic else -1.0), 1.0
        if answer.candidate == "up":
            assert answer.value == answer.high == best
            assert worst < answer.low < best
        else:
            assert answer.value == answer.low == worst
            assert worst < answer.high < best


def test_groups_are_counted_that_gave_a_correlation():
    """Three items: one has equal ratings, one a single output."""
    human = [1.0, 2.0, 3.0, 2.0, 2.0, 2.0, 5.0]
    columns = {"human": human, "m": [3.0, 1.0, 2.0, 1.0, 2.0, 3.0, 1.0]}
    table = table_of(columns, list("aaabbbc"), list("xyzxyzx"))
    counted = {answer.statistic: answer.n_groups for answer in ask(table, groupings=("item",))}
    assert counted == {"pearson": 1, "spearman": 1, "kendall": 1}


def test_clusters_that_are_left_out_are_items_systems_and_their_cells():
    """The variance is that of items and systems, the cells counted once, with Satterthwaite's degrees of freedom."""
    table = score_table(9, 6, 1, seed=3)
    answer = ask(table, statistics=("pearson",), resampling=Resampling(100))[0]
    x, y = table["m0"].values, table["human"].values
    items, systems = (np.array(codes.to_list()) for codes in (table.item, table.system))

    def jackknife(codes):
        members = np.unique(codes)
        z = [np.arctanh(stats.pearsonr(x[codes != member], y[codes != member])[0]) for member in members]
        return (len(z) - 1) / len(z) * np.sum((z - np.mean(z)) ** 2), len(z) - 1

    (of_items, df_items), (of_systems, df_systems) = jackknife(items), jackknife(systems)
    of_cells, _ = jackknife(np.arange(len(x)))
    variance = max(of_items + of_systems - of_cells, of_items, of_systems)
    df = np.clip(variance**2 / (of_items**2 / df_items + of_systems**2 / df_systems), df_systems, df_items)
    reach = stats.t.ppf(0.975, df) * np.sqrt(variance)
    centre = np.arctanh(stats.pearsonr(x, y)[0])
    assert (answer.low, answer.high) == pytest.approx((np.tanh(centre - reach), np.tanh(centre + reach)))
    assert answer.p_value == pytest.approx(2 * stats.t.sf(centre / np.sqrt(variance), df))


def test_many_items_are_left_out_some_at_a_time():
    table = score_table(450, 3, 2, seed=6)
    question = Question("human", levels=("output",), resampling=Resampling(100))
    study = Inquiry(table, question)
    draws = list(study.sample.leave_out("items", np.arange(len(table)), 0))
    left = np.concatenate([draw.items for draw in draws])
    assert len(left) == 200
    assert (left == 0).sum(axis=0).tolist() == [1] * 450
    few = list(study.sample.leave_out("items", np.arange(30), 0))
    assert sum(draw.size for draw in few) == 10
    assert correlate(study) == correlate(Inquiry(table, question, workers=3))


@pytest.mark.parametrize(("n_people", "has_interval"), [(1, False), (5, False), (6, True)])
def test_rho_with_few_systems_of_a_kind_has_a_reason_instead_of_an_interval(n_people, has_interval):
    rng = np.random.default_rng(0)
    system, item = (code.ravel() for code in np.indices((12, 15)))
    written = (system < n_people).astype(float)
    columns = {"m": written + rng.normal(size=len(item)), "people": written}
    table = table_of(columns, [f"i{i}" for i in item], [f"s{s}" for s in system])
    rho, r = correlate(Inquiry(table, Question("people", statistics=("spearman", "pearson"))))
    assert np.isnan(rho.low) != has_interval
    assert ("of one of the two there are" in rho.reason) != has_interval
    assert not np.isnan(r.low)
    over_items = Resampling(100, ("items",))
    (fixed,) = correlate(Inquiry(table, Question("people", statistics=("spearman",), resampling=over_items)))
    assert not np.isnan(fixed.low)
