"""Human diversity scores from judgments, their intervals and their cost."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.stats import t, ttest_1samp

from assay.cli import cli
from assay.errors import DataError
from assay.metaeval.sets.human_diversity import human_diversity, set_ratings
from assay.records import Dataset
from assay.run import score


def judgment(annotator: str, criterion: str, value: float, **more: str) -> dict[str, Any]:
    return {"annotator": annotator, "criterion": criterion, "value": value, **more}


def records() -> list[dict[str, Any]]:
    about_set = {
        "s1": [judgment("a", "diversity", 4, unit="set"), judgment("b", "diversity", 5, unit="set")],
        "s2": [judgment("a", "diversity", 1, unit="set"), judgment("b", "form_diversity", 2, unit="set")],
    }
    rows: list[dict[str, Any]] = []
    for name, judgments in about_set.items():
        for i in range(3):
            rows.append({"id": f"{name}{i}", "text": f"text {i}", "item": name, "set": name, "judgments": []})
        rows[-3]["judgments"] = judgments
    rows[0]["judgments"] += [
        judgment("a", "similarity", 1, other="s11"),
        judgment("b", "similarity", 3, other="s11"),
        judgment("a", "similarity", 4, other="s12"),
        judgment("a", "more_diverse", 2, unit="set", other="s2"),
        judgment("b", "more_diverse", 1, unit="set", other="s2"),
    ]
    return rows


@pytest.fixture
def judged() -> Dataset:
    return Dataset.from_records(records())


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("abs_hds", [4.5, 1]),
        ("asp_hds('form')", [np.nan, 2]),
        ("sim_hds", [-(2 + 4) / 2, np.nan]),
        ("rnk_hds", [1.5, -1.5]),
    ],
)
def test_scores(judged: Dataset, name: str, expected: list[float]) -> None:
    np.testing.assert_array_equal(score(judged, [name], unit="set")[name].values, expected)


def test_summaries_agree_with_the_evaluators(judged: Dataset) -> None:
    for criterion, name, asked in [
        ("diversity", "abs_hds", "sets"),
        ("similarity", "sim_hds", "pairs of outputs"),
        ("more_diverse", "rnk_hds", "pairs of sets"),
    ]:
        found = human_diversity(judged, criterion, price=0.1)
        values = score(judged, [name], unit="set")[name].values
        assert found.asked_about == asked
        assert [row.value for row in found.sets] == values[~np.isnan(values)].tolist()
        assert found.cost_per_set == pytest.approx(0.1 * found.judgments_per_set)
    first, second = human_diversity(judged, "diversity").sets
    assert np.isnan(first.low) and first.reason == "2 annotators: an interval needs 3 or more"
    assert np.isnan(second.low) and second.reason.startswith("1 annotator:")
    assert [ratings.tolist() for ratings in set_ratings(judged, "diversity")] == [[4, 5], [1]]


def of_sets(answers: list[list[float]]) -> Dataset:
    """Each set is judged by as many people as it has answers."""
    return Dataset.from_records(
        {
            "id": f"{s}-{k}",
            "text": f"text {k}",
            "item": f"i{s}",
            "set": f"s{s}",
            "judgments": [judgment(f"a{a}", "diversity", value, unit="set") for a, value in enumerate(values)]
            if k == 0
            else [],
        }
        for s, values in enumerate(answers)
        for k in range(2)
    )


def test_intervals_are_students_t_over_annotators() -> None:
    answers = [[1.0, 2.0, 4.0], [2.0, 5.0, 3.0, 3.0, 1.0], [2.0, 2.0, 2.0]]
    found = human_diversity(of_sets(answers), "diversity")
    for row, values in zip(found.sets[:2], answers[:2], strict=True):
        low, high = ttest_1samp(values, 0.0).confidence_interval(0.95)
        assert (row.low, row.high) == (pytest.approx(low), pytest.approx(high))
    assert np.isnan(found.sets[2].low) and "same answers" in found.sets[2].reason
    assert found.mean_width == pytest.approx(np.mean([row.high - row.low for row in found.sets[:2]]))


def similarities(answers: dict[tuple[int, int], dict[str, float]]) -> Dataset:
    """One set of three texts; who found which pair how similar."""
    rows: list[dict[str, Any]] = [
        {"id": f"t{k}", "text": f"text {k}", "item": "i", "set": "s", "judgments": []} for k in range(3)
    ]
    for (left, right), said in answers.items():
        rows[left]["judgments"] += [judgment(a, "similarity", v, other=f"t{right}") for a, v in said.items()]
    return Dataset.from_records(rows)


def test_pairs_are_the_ones_that_a_set_has_and_annotators_are_drawn() -> None:
    """The same people for all pairs: t of their means. Other people for each pair: t within pairs."""
    same = {(0, 1): {"a": 1, "b": 2, "c": 5}, (0, 2): {"a": 2, "b": 2, "c": 3}, (1, 2): {"a": 4, "b": 5, "c": 5}}
    means = -np.array([7 / 3, 9 / 3, 13 / 3])
    row = human_diversity(similarities(same), "similarity").sets[0]
    low, high = ttest_1samp(means, 0.0).confidence_interval(0.95)
    assert (row.low, row.high) == (pytest.approx(low), pytest.approx(high))

    apart = {(0, 1): {"a": 1, "b": 2, "c": 5}, (0, 2): {"d": 2, "e": 2, "f": 3}, (1, 2): {"g": 4, "h": 5, "i": 5}}
    row = human_diversity(similarities(apart), "similarity").sets[0]
    error = np.sqrt(sum(np.var(list(said.values()), ddof=1) / 3 for said in apart.values())) / 3
    assert row.high - row.value == pytest.approx(t.ppf(0.975, 9 - 3) * error)

    alone = {(0, 1): {"a": 1, "b": 2}, (0, 2): {"c": 2}}
    assert "1 of 2 pairs" in human_diversity(similarities(alone), "similarity").sets[0].reason


def test_a_comparison_of_two_sets_is_paid_for_once(judged: Dataset) -> None:
    """Two judgments, two sets, 0.1 each: 0.2 in all."""
    found = human_diversity(judged, "more_diverse", price=0.1)
    assert [row.n_judgments for row in found.sets] == [2, 2]
    assert found.cost_per_set * len(found.sets) == pytest.approx(0.2)


def test_what_was_not_asked(judged: Dataset) -> None:
    with pytest.raises(DataError, match="diversity"):
        human_diversity(judged, "divrsity")
    with pytest.raises(DataError, match="no judgments of 'x'"):
        score(judged, ["rnk_hds(criterion='x')"], unit="set")


def test_command(tmp_path: Path) -> None:
    path = tmp_path / "judged.jsonl"
    path.write_text("\n".join(map(json.dumps, records())))
    arguments = ["hds", str(path), "--criterion", "diversity", "--criterion", "similarity", "--price", "0.05"]
    done = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert "pairs of outputs" in done.stdout
    found = json.loads(CliRunner().invoke(cli, [*arguments, "--json"], catch_exceptions=False).stdout)
    assert found["numbers"][0]["value"] == 4.5 and found["numbers"][0]["set"] == "s1"
