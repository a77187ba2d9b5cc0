"""Human diversity scores from judgments, their intervals and their cost."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from assay.cli import cli
from assay.errors import DataError, EvaluatorError
from assay.meta.human_diversity import human_diversity, set_ratings
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
        found = human_diversity(judged, criterion, price=0.1, n_resamples=200)
        values = score(judged, [name], unit="set")[name].values
        assert found.asked_about == asked
        assert [row.value for row in found.sets] == values[~np.isnan(values)].tolist()
        assert found.cost_per_set == pytest.approx(0.1 * found.judgments_per_set)
    first = human_diversity(judged, "diversity").sets[0]
    assert (first.low, first.high) == (4, 5)
    assert np.isnan(human_diversity(judged, "diversity").sets[1].low)  # one annotator has no interval
    assert [ratings.tolist() for ratings in set_ratings(judged, "diversity")] == [[4, 5], [1]]


def test_what_was_not_asked(judged: Dataset) -> None:
    with pytest.raises(DataError, match="diversity"):
        human_diversity(judged, "divrsity")
    with pytest.raises(EvaluatorError, match="pairs of sets"):
        score(judged, ["rnk_hds(criterion='x')"], unit="set")


def test_command(tmp_path: Path) -> None:
    path = tmp_path / "judged.jsonl"
    path.write_text("\n".join(map(json.dumps, records())))
    arguments = ["hds", str(path), "--criterion", "diversity", "--criterion", "similarity", "--price", "0.05"]
    done = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert "pairs of outputs" in done.stdout
    found = json.loads(CliRunner().invoke(cli, [*arguments, "--json"], catch_exceptions=False).stdout)
    assert found["scores"][0]["sets"][0]["value"] == 4.5
