import numpy as np
import pytest

from assay.errors import DataError
from assay.kernels.votes.bradley_terry import bradley_terry, influences
from assay.metaeval.votes.pair_judgments import comparisons_of
from assay.metaeval.votes.preference import preferences_of
from assay.metaeval.votes.preference_spread import PreferenceOptions
from assay.records import Dataset
from assay.records.criteria import Criterion
from tests.metaeval import judged

TRUTH = {"good": 0.9, "fair": 0.1, "poor": -1.0}


def preferences(data, criterion, **options):
    return preferences_of(comparisons_of(data, criterion), PreferenceOptions(**options))


def test_recovers_known_strengths_with_both_kinds_of_interval():
    data = judged.preferences(judged.simulated_comparisons(0, TRUTH, 1500))
    for kind in ("information", "clustered", "bootstrap"):
        found = preferences(data, "better", intervals=kind, resamples=200).as_json()
        assert [row["system"] for row in found["systems"]] == ["good", "fair", "poor"]
        for row in found["systems"]:
            assert row["low"] < row["strength"] < row["high"]
            assert row["strength"] == pytest.approx(TRUTH[row["system"]], abs=0.25)
        assert found["tie"] == pytest.approx(0.5, abs=0.12)


def test_a_pair_of_systems_is_its_shares():
    """6 wins, 2 losses, 2 ties: the model has as many parameters as shares, so it gives them back."""
    values = [1] * 6 + [-1] * 2 + [0] * 2
    found = preferences(judged.preferences([("a", "b", v) for v in values]), "better").as_json()
    pair = found["pairs"][0]
    assert (pair["left"], pair["right"]) == ("a", "b")
    assert pair["p_preferred"] == pytest.approx(0.6)
    assert pair["p_tie"] == pytest.approx(0.2)
    assert pair["difference"] == pytest.approx(np.log(3))
    expected = {"rank": 1, "rank_low": 1, "rank_high": 2, "n": 10, "wins": 6, "ties": 2, "losses": 2}
    assert {key: found["systems"][0][key] for key in expected} == expected


def test_answers_may_be_labels_ids_or_systems():
    labeled = [("a", "b", "first"), ("a", "b", "i1-l"), ("a", "b", "b"), ("b", "a", "Right"), ("a", "b", "tie")]
    found = preferences(judged.preferences(labeled), "better").as_json()
    assert {row["system"]: (row["wins"], row["ties"], row["losses"]) for row in found["systems"]} == {
        "a": (3, 1, 1),
        "b": (1, 1, 3),
    }
    with pytest.raises(DataError, match="names neither of the two"):
        preferences(judged.preferences([("a", "b", "perhaps")]), "better")
    with pytest.raises(DataError, match="Code them as 1"):
        preferences(judged.preferences([("a", "b", 1), ("a", "b", 2)]), "better")


def test_where_less_is_better_the_other_unit_is_preferred():
    data = judged.preferences([("a", "b", 1)] * 3 + [("b", "a", "first")])
    for better, wins in (("higher", (3, 1)), ("lower", (1, 3))):
        declared = data.with_criteria({"better": Criterion("better", better=better)})
        rows = preferences(declared, "better").as_json()["systems"]
        assert tuple(row["wins"] for row in sorted(rows, key=lambda row: row["system"])) == wins
    with pytest.raises(DataError, match="declared with better = 'neither', so its answers prefer nothing"):
        preferences(data.with_criteria({"better": Criterion("better", better="neither")}), "better")


def test_undecided_is_a_gap_with_a_reason_and_prior_wins_mend_it():
    data = judged.preferences([("a", "b", 1)] * 3)
    found = preferences(data, "better").as_json()
    assert found["systems"][0]["strength"] is None and found["systems"][0]["wins"] == 3
    assert "'a' won every comparison" in found["reason"]
    mended = preferences(data, "better", prior_wins=0.5).as_json()
    assert mended["systems"][0]["strength"] > 0 and "reason" not in mended


def test_there_must_be_comparisons_between_systems():
    with pytest.raises(DataError, match="one system"):
        preferences(judged.preferences([("a", "a", 1)]), "better")
    with pytest.raises(DataError, match="no judgments of 'quality' compare"):
        preferences(judged.dataset([("u0", "a", 1)]), "quality")


@pytest.mark.slow
def test_intervals_of_the_information_matrix_cover():
    covered = total = 0
    for seed in range(200):
        found = preferences(judged.preferences(judged.simulated_comparisons(seed, TRUTH, 150)), "better").as_json()
        for row in found["systems"]:
            covered += row["low"] <= TRUTH[row["system"]] <= row["high"]
            total += 1
    assert 0.92 <= covered / total <= 0.975


def comparisons(rng, n_annotators, n_items, strengths, taste=0.0, clustered=True):
    """Each annotator compares two systems on each item, and has a taste of their own for each system."""
    liked = taste * rng.normal(size=(n_annotators, len(strengths)))
    records = []
    for item in range(n_items):
        records += [
            {"id": f"{item}-{s}", "item": str(item), "system": f"s{s}", "text": "x", "judgments": []}
            for s in range(len(strengths))
        ]
        for who in range(n_annotators):
            left, right = rng.choice(len(strengths), 2, replace=False)
            gap = strengths[left] - strengths[right] + liked[who, left] - liked[who, right]
            value = 1 if rng.random() < 1 / (1 + np.exp(-gap)) else -1
            annotator = f"a{who}" if clustered else f"a{who}-{item}"
            judgment = {"annotator": annotator, "criterion": "better", "value": value, "other": f"{item}-{right}"}
            records[-len(strengths) + left]["judgments"].append(judgment)
    return Dataset.from_records(records)


@pytest.mark.parametrize("kind", ["clustered", "bootstrap"])
def test_intervals_and_p_of_pairs_allow_for_the_taste_of_annotators(kind):
    """Six annotators who disagree about equal systems: as if independent, they seem to know better."""
    found, naive = (
        preferences(
            comparisons(np.random.default_rng(1), 6, 60, np.zeros(3), taste=1.5),
            "better",
            intervals=how,
            resamples=100,
        ).as_json()
        for how in (kind, "information")
    )
    assert sorted(found["over"]) == ["annotators", "items"]
    assert min(pair["p_value"] for pair in naive["pairs"]) < 0.001
    for pair, other in zip(found["pairs"], naive["pairs"], strict=True):
        assert pair["difference"] == other["difference"]
        assert pair["p_value"] > 0.05 and pair["low"] < 0 < pair["high"]
        assert pair["high"] - pair["low"] > 1.2 * (other["high"] - other["low"])
        assert pair["p_adjusted"] >= pair["p_value"]


def test_an_interval_and_its_p_answer_one_question():
    data = comparisons(np.random.default_rng(2), 8, 40, np.array([0.6, 0.2, 0.0, -0.1, -0.6]), taste=0.3)
    for kind in ("clustered", "bootstrap", "information"):
        for pair in preferences(data, "better", intervals=kind, resamples=60).as_json()["pairs"]:
            assert (pair["p_value"] < 0.05) == (pair["low"] > 0 or pair["high"] < 0)


def test_many_systems_far_apart_are_told_apart_after_the_correction():
    """12 systems, 66 pairs: p has no smallest value that the number of resamples sets."""
    strengths = np.linspace(6, -6, 12)
    data = comparisons(np.random.default_rng(3), 10, 600, strengths, taste=0.1)
    for kind in ("clustered", "bootstrap"):
        found = preferences(data, "better", intervals=kind, resamples=40).as_json()
        assert max(pair["p_adjusted"] for pair in found["pairs"]) < 0.05
        assert [(row["rank_low"], row["rank_high"]) for row in found["systems"]] == [(k, k) for k in range(1, 13)]


def test_two_annotators_give_no_interval_but_a_reason():
    data = comparisons(np.random.default_rng(4), 2, 60, np.zeros(3))
    found = preferences(data, "better").as_json()
    assert "2 annotators" in found["no_interval"] and "--resample items" in found["no_interval"]
    assert found["systems"][0]["low"] is None and found["pairs"][0]["p_value"] is None
    assert found["systems"][0]["rank"] == 1 and found["systems"][0]["rank_low"] is None
    of_these = preferences(data, "better", over=("items",)).as_json()
    assert of_these["pairs"][0]["low"] < of_these["pairs"][0]["high"]


def test_judgments_without_clusters_are_independent():
    data = judged.preferences(judged.simulated_comparisons(5, TRUTH, 90))
    assert preferences(data, "better").as_json()["over"] == ["annotators"]
    alone = comparisons(np.random.default_rng(5), 1, 80, np.zeros(3), clustered=False)
    found, naive = (preferences(alone, "better", intervals=how).as_json() for how in ("clustered", "information"))
    assert found["over"] == [] and found["pairs"] == naive["pairs"]


def test_influences_are_what_is_missing_without_a_cluster():
    """To the first order: 60 clusters, each left out and fitted again."""
    data = comparisons(np.random.default_rng(6), 4, 60, np.array([0.4, 0.0, -0.4]))
    found = comparisons_of(data, "better")
    fitted = bradley_terry(*found.counts(np.ones(len(found.outcome))))
    moved = influences(found.left, found.right, found.outcome, found.item, fitted)
    for item in range(0, 60, 7):
        without = bradley_terry(*found.counts((found.item != item).astype(float)))
        np.testing.assert_allclose(fitted.strengths - without.strengths, moved[item], atol=0.01)
    np.testing.assert_allclose(moved.sum(axis=0), 0, atol=1e-9)
