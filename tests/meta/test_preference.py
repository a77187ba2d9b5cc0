import numpy as np
import pytest

from assay.errors import DataError
from assay.meta.preference import preferences
from tests.meta import judged

TRUTH = {"good": 0.9, "fair": 0.1, "poor": -1.0}


def test_recovers_known_strengths_with_both_kinds_of_interval():
    data = judged.preferences(judged.simulated_comparisons(0, TRUTH, 1500))
    for kind in ("information", "bootstrap"):
        found = preferences(data, "better", intervals=kind, n_resamples=200).as_json()
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
    assert found["systems"][0] | {"strength": 0, "low": 0, "high": 0} == {
        "system": "a", "rank": 1, "strength": 0, "low": 0, "high": 0, "n": 10, "wins": 6, "ties": 2, "losses": 2,
    }  # fmt: skip


def test_answers_may_be_labels_ids_or_systems():
    labelled = [("a", "b", "first"), ("a", "b", "i1-l"), ("a", "b", "b"), ("b", "a", "Right"), ("a", "b", "tie")]
    found = preferences(judged.preferences(labelled), "better").as_json()
    assert {row["system"]: (row["wins"], row["ties"], row["losses"]) for row in found["systems"]} == {
        "a": (3, 1, 1),
        "b": (1, 1, 3),
    }
    with pytest.raises(DataError, match="names neither of the two"):
        preferences(judged.preferences([("a", "b", "perhaps")]), "better")
    with pytest.raises(DataError, match="Code them as 1"):
        preferences(judged.preferences([("a", "b", 1), ("a", "b", 2)]), "better")


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
