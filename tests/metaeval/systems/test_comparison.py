from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import mannwhitneyu, permutation_test, ttest_1samp, ttest_ind

from assay.errors import AssayError
from assay.kernels.statistics.resample import BLOCK, blocks, bootstrap_counts
from assay.metaeval.questions.pair_tests import Procedure
from assay.metaeval.questions.question import Resampling
from assay.metaeval.questions.replay import read
from assay.metaeval.questions.sample import BOOTSTRAP, FACTORS
from assay.metaeval.systems import ranks as system_ranks
from assay.metaeval.systems.comparison import compare_systems, rank_systems
from tests.metaeval.score_tables import score_table, table_of


def two_systems(n_items=12, seed=0, per_item=1, shift=0.0):
    rng = np.random.default_rng(seed)
    item, system, _ = (code.ravel() for code in np.indices((n_items, 2, per_item)))
    difficulty = rng.normal(size=n_items)[item] + 0.5 * rng.normal(size=(n_items, 2))[item, system]
    values = difficulty + shift * system + 0.5 * rng.normal(size=len(item))
    return table_of({"m": values}, [f"i{i}" for i in item], ["AB"[s] for s in system])


def test_difference_wins_and_effect_size_by_hand():
    columns = {"m": [1.0, 3.0, 2.0, 2.0, 5.0, 1.0, 9.0]}
    table = table_of(columns, ["a", "b", "c", "a", "b", "c", "d"], ["A"] * 3 + ["B"] * 4)
    found = compare_systems(table, resampling=Resampling(100))[0][0]
    assert (found.left, found.right, found.evaluator, found.n, found.n_missing) == ("A", "B", "m", 3, 1)
    assert found.left_value == 2.0
    assert found.right_value == pytest.approx(8 / 3)
    assert found.difference == pytest.approx(-2 / 3)
    assert (found.win, found.tie, found.loss) == (1, 0, 2)
    assert found.superiority == pytest.approx(1 / 3)
    assert found.effect_size == pytest.approx(np.mean([-1, -2, 1]) / np.std([-1, -2, 1], ddof=1))
    assert found.better == "B"


@pytest.mark.parametrize("shared", [True, False])
def test_rounding_is_no_spread_to_measure_an_effect_by(shared):
    left = np.arange(10) * 0.2 if shared else np.where(np.arange(10) % 2, 0.1 + 0.2 + 0.3, 0.6)
    values = np.concatenate([left, left + 0.1])
    items = [f"i{n % 10 if shared else n}" for n in range(20)]
    found = compare_systems(table_of({"m": values}, items, ["A"] * 10 + ["B"] * 10), resampling=Resampling(100))[0][0]
    assert found.paired is shared and found.difference == pytest.approx(-0.1)
    assert np.ptp(values[:10] - values[10:] if shared else left) > 0 and np.isnan(found.effect_size)


def test_systems_are_not_compared_by_scores_of_matchups():
    with pytest.raises(AssayError, match="assay prefer DATA -e EVALUATOR"):
        compare_systems(replace(two_systems(), kind="matchup"))


def test_lower_is_better_turns_wins_but_not_the_difference():
    table = two_systems(shift=1.0)
    turned = replace(table, columns={"m": replace(table["m"], higher_is_better=False)})
    up, down = (compare_systems(t, resampling=Resampling(50))[0][0] for t in (table, turned))
    assert up.difference == down.difference
    assert (up.win, up.loss) == (down.loss, down.win)
    assert up.better != down.better


@pytest.mark.parametrize("per_item", [1, 3])
def test_bootstrap_and_permutation_move_whole_items(per_item):
    table = two_systems(10, 1, per_item)
    how = Resampling(BLOCK, interval="percentile")
    found = compare_systems(table, resampling=how, procedure=Procedure("permutation"))[0][0]
    values = table["m"].values.reshape(10, 2, per_item)
    block = blocks(BLOCK, 0)[0]
    counts = bootstrap_counts(block.rng(BOOTSTRAP, FACTORS.index("items")), BLOCK, 10)
    drawn = [np.subtract(*values[np.repeat(np.arange(10), row)].mean(axis=(0, 2))) for row in counts]
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(drawn, [0.025, 0.975])))
    hits = 0
    for number in range(2**10):
        mask = (number >> np.arange(10)) & 1
        swapped = np.where(mask[:, None, None] == 1, values[:, ::-1], values)
        hits += abs(np.subtract(*swapped.mean(axis=(0, 2)))) >= abs(found.difference) - 1e-12
    assert found.p_value == hits / 2**10


def test_an_additive_evaluator_is_compared_by_its_statistics():
    """A ratio of sums, as BLEU is: not the mean of the units' ratios."""
    rng = np.random.default_rng(2)
    statistics = rng.integers(1, 9, (20, 2)).astype(float)

    def finish(sums):
        return sums[:, 0] / sums[:, 1]

    table = table_of({"ratio": finish(statistics)}, [f"i{i}" for i in range(10)] * 2, ["A"] * 10 + ["B"] * 10)
    column = replace(table["ratio"], statistics=statistics, finish=finish)
    found = compare_systems(replace(table, columns={"ratio": column}), resampling=Resampling(50))[0][0]
    sums = statistics[:10].sum(axis=0), statistics[10:].sum(axis=0)
    assert found.difference == pytest.approx(sums[0][0] / sums[0][1] - sums[1][0] / sums[1][1])


@pytest.mark.parametrize(("test", "interval"), [("t", "bca"), ("permutation", "percentile"), ("bootstrap", "auto")])
def test_the_bits_do_not_depend_on_workers(test, interval):
    table = score_table(40, 4, 2)
    how = {"resampling": Resampling(300, interval=interval), "procedure": Procedure(test)}
    one = compare_systems(table, **how, workers=1)
    assert compare_systems(table, **how, workers=2) == one
    assert all(pair.low < pair.difference < pair.high for pair in one[0])


def test_clusters_and_corrections_over_all_pairs():
    rng = np.random.default_rng(0)
    item, system = (code.ravel() for code in np.indices((60, 4)))
    values = np.array([0.0, 0.0, 3.0, 6.0])[system] + rng.normal(size=240)
    table = table_of({"m": values}, [f"i{i}" for i in item], [f"s{s}" for s in system])
    pairs, clusters = compare_systems(table, resampling=Resampling(500))
    assert len(pairs) == 6
    assert [set(cluster) for cluster in clusters[0].clusters] == [{"s3"}, {"s2"}, {"s0", "s1"}]
    assert all(pair.p_adjusted >= pair.p_value for pair in pairs)


def test_too_few_shared_items_is_nan_with_a_reason():
    table = table_of({"m": [1.0, 2.0, 3.0]}, ["a", "b", "a"], ["A", "A", "B"])
    found = compare_systems(table)[0][0]
    assert np.isnan(found.difference)
    assert found.reason == "a system has 1 items with a score; 2 of each are needed"
    alone = compare_systems(table_of({"m": [1.0, 2.0]}, ["", ""], ["A", "B"]))[0][0]
    assert np.isnan(alone.difference)
    assert alone.reason == "a system has 1 items with a score; 2 of each are needed"


def test_a_few_shared_items_do_not_hide_the_others():
    """51 items each, one in common: the two are compared by all of them."""
    rng = np.random.default_rng(0)
    items = [f"a{i}" for i in range(50)] + ["both"] + [f"b{i}" for i in range(50)] + ["both"]
    values = np.concatenate([rng.normal(4.5, 1, 51), rng.normal(1.5, 1, 51)])
    found = compare_systems(table_of({"m": values}, items, ["A"] * 51 + ["B"] * 51))[0][0]
    assert (found.paired, found.n, found.n_missing, found.better) == (False, 102, 0, "A")
    assert found.p_value < 0.01


def test_a_ranking_that_its_own_items_contradict_is_not_cut():
    """A has 60 easy items of its own; on the 12 they share B is better."""
    items = [f"own{i}" for i in range(8)] + [f"s{i}" for i in range(12)] * 2
    values = [9.0] * 8 + [1.0] * 12 + [2.0] * 12
    found, clusters = compare_systems(table_of({"m": values}, items, ["A"] * 20 + ["B"] * 12))
    assert (found[0].paired, found[0].better) == (True, "B")
    assert found[0].p_adjusted < 0.05
    assert clusters[0].clusters == (("A", "B"),)


def test_permutations_are_counted_apart_from_resamples():
    table = two_systems(30)
    few, many = (
        compare_systems(
            table,
            resampling=Resampling(resamples, interval="percentile"),
            procedure=Procedure("permutation"),
            permutations=1000,
        )[0][0]
        for resamples in (100, 1000)
    )
    assert few.p_value == many.p_value
    assert (few.low, few.high) != (many.low, many.high)
    assert "permutations=1000" in few.signature


def apart(n=40, m=25, shift=0.8, seed=3):
    """Two systems with items of their own."""
    rng = np.random.default_rng(seed)
    values = np.round(rng.normal(size=n + m), 1) + shift * (np.arange(n + m) >= n)
    return table_of({"m": values}, [f"i{i}" for i in range(n + m)], ["A"] * n + ["B"] * m), values[:n], values[n:]


def test_systems_without_shared_items_are_two_independent_samples():
    table, left, right = apart()
    found = compare_systems(table, resampling=Resampling(5000), procedure=Procedure("permutation"))[0][0]
    assert (found.paired, found.n, found.n_missing, found.n_units) == (False, 65, 0, 65)
    assert found.difference == pytest.approx(left.mean() - right.mean())
    assert found.better == "B"
    u = mannwhitneyu(left, right).statistic
    assert found.superiority == pytest.approx(u / (len(left) * len(right)))
    assert found.win + found.tie + found.loss == len(left) * len(right)
    pooled = ((len(left) - 1) * left.var(ddof=1) + (len(right) - 1) * right.var(ddof=1)) / (len(left) + len(right) - 2)
    assert found.effect_size == pytest.approx((left.mean() - right.mean()) / np.sqrt(pooled))
    peer = permutation_test(
        (left, right), lambda a, b: a.mean() - b.mean(), n_resamples=5000, rng=np.random.default_rng(0)
    )
    assert found.p_value == pytest.approx(peer.pvalue, abs=0.01)
    welch = ttest_ind(left, right, equal_var=False)
    assert (found.low, found.high) == pytest.approx(tuple(welch.confidence_interval()))
    assert compare_systems(table)[0][0].p_value == pytest.approx(welch.pvalue)


def test_an_item_of_several_outputs_stays_together_without_shared_items_too():
    table = apart(6, 5)[0]
    thrice = np.repeat(np.arange(11), 3)
    grown = table.take(thrice)
    one, three = (compare_systems(part, resampling=Resampling(300))[0][0] for part in (table, grown))
    assert (one.difference, one.low, one.high) == pytest.approx((three.difference, three.low, three.high))
    assert one.p_value == pytest.approx(three.p_value)
    assert (one.n, 3 * one.n_units) == (three.n, three.n_units)


@pytest.mark.parametrize("interval", ["percentile", "bca"])
def test_independent_samples_do_not_depend_on_workers(interval):
    table = apart()[0]
    how = Resampling(300, interval=interval)
    assert compare_systems(table, resampling=how) == compare_systems(table, resampling=how, workers=3)


def test_wrong_questions_say_what_to_do():
    table = score_table(4, 3, 1)
    with pytest.raises(AssayError, match="no system 's9'"):
        compare_systems(table, ["s0", "s9"])
    with pytest.raises(AssayError, match="two systems are needed"):
        compare_systems(table, ["s0"])
    with pytest.raises(AssayError, match="by t, permutation, bootstrap, not by williams"):
        compare_systems(table, procedure=Procedure("williams"))
    with pytest.raises(AssayError, match="nothing is left to resample"):
        compare_systems(score_table(4, 3, 1, kind="system"))


def world(n_systems, n_items, gap, seed=0):
    """Systems `gap` standard deviations apart, with effects of items."""
    rng = np.random.default_rng(seed)
    item, system = (code.ravel() for code in np.indices((n_items, n_systems)))
    values = gap * system + rng.normal(size=n_items)[item] + rng.normal(size=len(item))
    return table_of({"m": values}, [f"i{i}" for i in item], [f"s{s}" for s in system])


@pytest.mark.parametrize(("test", "n_items"), [("auto", 3), ("auto", 30), ("permutation", 12), ("permutation", 30)])
def test_twelve_systems_far_apart_are_twelve_clusters(test, n_items):
    found = compare_systems(world(12, n_items, 100), procedure=Procedure(test))[1][0]
    assert len(found.clusters) == 12
    assert [(rank.rank, rank.rank_low, rank.rank_high) for rank in found.ranks] == [(n, n, n) for n in range(1, 13)]


def test_too_few_items_for_a_permutation_test_are_told():
    found, clusters = compare_systems(world(3, 5, 100), procedure=Procedure("permutation"))
    assert len(clusters[0].clusters) == 1
    assert found[0].p_value == 2 / 32
    assert found[0].reason == (
        "a permutation test of 5 items gives no p below 0.062, times 3 pairs: "
        "no difference, however large, is significant at 0.05"
    )
    assert not compare_systems(world(3, 8, 100), procedure=Procedure("permutation"))[0][0].reason


@pytest.mark.parametrize("n_items", [3, 5, 30])
def test_interval_and_p_are_those_of_student_and_agree(n_items):
    for seed in range(20):
        table = two_systems(n_items, seed, shift=0.7)
        found = compare_systems(table)[0][0]
        by_item = -np.subtract(*table["m"].values.reshape(n_items, 2).T[::-1])
        peer = ttest_1samp(by_item, 0)
        assert found.p_value == pytest.approx(peer.pvalue)
        assert (found.low, found.high) == pytest.approx(tuple(peer.confidence_interval()))
        assert (found.p_value < 0.05) == (found.low > 0 or found.high < 0)


def test_two_items_have_a_difference_but_no_interval():
    found = compare_systems(two_systems(2))[0][0]
    assert not np.isnan(found.difference)
    assert np.isnan([found.low, found.high, found.p_value]).all()
    assert found.reason == "2 items are too few for an interval and a t test; 3 are needed"


def test_items_that_all_differ_by_the_same_are_permuted():
    values = [0.1, 0.7, 0.3, 0.5, 0.9, 0.2, 0.8]
    table = table_of({"m": [*values, *(v + 0.1 for v in values)]}, list("abcdefg") * 2, ["A"] * 7 + ["B"] * 7)
    found = compare_systems(table)[0][0]
    assert (found.test, found.p_value, found.permutations) == ("permutation", 2 / 2**7, 2**6)
    assert np.isnan(found.low)
    assert found.reason == "all items differ by the same, so there is no interval"


def test_ratings_of_items_tie_exactly():
    """7/3 + 8/3 and 5/3 + 10/3 are equal, which sums of rounded thirds are not."""
    left, right = [7 / 3, 8 / 3, 4 / 3, 1.0, 1.0, 2.0], [5 / 3, 10 / 3, 4 / 3, 1.0, 1.0, 3.0]
    items = ["a", "a", "b", "b", "c", "d"]
    table = table_of({"m": left + right}, items * 2, ["A"] * 6 + ["B"] * 6)
    found = compare_systems(table)[0][0]
    assert (found.win, found.tie, found.loss) == (0, 3, 1)


def test_many_systems_are_all_tested_and_a_readable_part_is_shown():
    found, clusters = compare_systems(world(70, 10, 1.0))
    (board,) = clusters
    assert (board.n_pairs, board.n_tested, len(found)) == (2415, 2415, 69 + 68)
    assert all(rank.rank_low <= rank.rank <= rank.rank_high for rank in board.ranks)
    assert {pair.n_pairs for pair in found} == {2415}


@pytest.mark.parametrize("shared", [True, False])
def test_all_pairs_at_once_are_the_pairs_one_by_one(shared, monkeypatch):
    table = world(8, 12, 0.7)
    if not shared:
        items = [f"{item}-{system}" for item, system in zip(table.item, table.system, strict=True)]
        table = table_of({"m": table["m"].values}, items, table.system.to_list())
    every, (slowly,) = compare_systems(table)
    monkeypatch.setattr(system_ranks, "MOST_PAIRS", 5)
    pairs, (quickly,) = compare_systems(table)
    assert len(pairs) == 13
    assert quickly == slowly
    known = {frozenset((pair.left, pair.right)): pair.p_adjusted for pair in every}
    for pair in pairs:
        assert pair.p_adjusted == pytest.approx(known[frozenset((pair.left, pair.right))])


def test_a_thousand_systems_end():
    found, (board,) = compare_systems(world(1000, 20, 0.1))
    assert len(found) == 999 + 998
    assert board.n_tested == board.n_pairs == 499_500
    assert board.ranks[500].rank_high - board.ranks[500].rank_low < 200


def test_replay_gives_the_adjusted_p_back():
    table = world(5, 20, 0.4)
    for test in ("t", "permutation"):
        for pair in compare_systems(table, procedure=Procedure(test))[0][:3]:
            again = read(pair.signature).again(table)
            assert again == pair
            assert again.p_adjusted > again.p_value


def test_a_score_that_hangs_on_one_item_has_no_interval():
    """A ratio of sums whose only divisor is one item's."""
    statistics = np.array([[1.0, 2.0], [1.0, 0.0], [2.0, 0.0], [3.0, 0.0]] * 2)

    def finish(sums):
        return np.divide(sums[:, 0], sums[:, 1], out=np.full(len(sums), np.nan), where=sums[:, 1] > 0)

    table = table_of({"ratio": np.arange(8.0)}, list("abcd") * 2, ["A"] * 4 + ["B"] * 4)
    column = replace(table["ratio"], statistics=statistics, finish=finish)
    found, (board,) = compare_systems(replace(table, columns={"ratio": column}))
    assert found[0].difference == 0
    assert np.isnan([found[0].low, found[0].p_value, board.ranks[0].low]).all()
    assert found[0].reason == "a score is undefined when one of the items is left out"


@pytest.mark.parametrize("n_systems", [1, 2])
def test_scores_too_large_to_be_squared_are_refused(n_systems):
    rows = [(f"i{item}", "AB"[system]) for item in range(5) for system in range(n_systems)]
    table = table_of({"m": [(-1.0) ** n * 1e200 for n in range(len(rows))]}, *zip(*rows, strict=True))
    with pytest.raises(AssayError, match=r"the scores of m reach 1e\+200.*Divide"):
        rank_systems(table, ["m"])
