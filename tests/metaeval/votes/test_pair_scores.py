"""An evaluator in the place of annotators: its preferences are comparisons of systems like theirs."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import assay
from assay import Dataset
from assay.cli import cli
from assay.errors import AssayError, EvaluatorError
from assay.metaeval.votes.pair_judgments import comparisons_of
from assay.metaeval.votes.pair_scores import comparisons_from, preferring_unit
from assay.metaeval.votes.preference import preferences_of
from assay.registry import parse


def judged(seed: int = 0) -> Dataset:
    """Thirty items, three systems; annotators compare all of them and rate some lower than others, with ties."""
    rng = np.random.default_rng(seed)
    rows = []
    for item in range(30):
        ratings = rng.integers(0, 4, 3) + np.array([0, 1, 0])
        for k, system in enumerate("abc"):
            rivals = [(other, int(ratings[k] - ratings[other])) for other in range(k)]
            judgments = [
                {"annotator": f"w{item}{k}{other}", "criterion": "better", "other": f"{item}-{other}", "value": value}
                for other, value in rivals
            ]
            rated = {"annotator": "w", "criterion": "rating", "value": int(ratings[k])}
            row = {"id": f"{item}-{k}", "item": f"i{item}", "system": system, "text": "t", "quality": float(ratings[k])}
            rows.append({**row, "judgments": [*judgments, rated]})
    return Dataset.from_records(rows)


def ranked(data: Dataset, evaluator: str) -> dict[str, object]:
    unit = preferring_unit(data, parse(evaluator))
    comparisons = comparisons_from(data, assay.score(data, [evaluator], unit=unit), evaluator)
    return preferences_of(comparisons).as_json()


@pytest.mark.parametrize("evaluator", ["human('better')", "human('rating')", "column('quality')"])
def test_the_same_preferences_give_the_same_ranking(evaluator: str) -> None:
    """Whether they are judgments, mean preferences of matchups, or scores of single outputs."""
    data = judged()
    people = preferences_of(comparisons_of(data, "better")).as_json()
    ranking = ranked(data, evaluator)
    assert ranking["n"] == 90 and ranking["n_missing"] == ranking["n_left_out"] == 0
    assert ranking["over"] == ["items"]
    for one, two in zip(people["systems"], ranking["systems"], strict=True):  # type: ignore[call-overload]
        assert one["strength"] == pytest.approx(two["strength"], abs=1e-9)
        assert (one["system"], one["wins"], one["ties"]) == (two["system"], two["wins"], two["ties"])


def test_low_scores_win_where_low_is_good() -> None:
    rows = [
        {"item": str(k), "system": s, "text": t, "references": ["one two three"]}
        for k in range(4)
        for s, t in (("good", "one two three"), ("bad", "four" if k else "one two three"))
    ]
    (best, _) = ranked(Dataset.from_records(rows), "ter")["systems"]  # type: ignore[misc]
    assert (best["system"], best["wins"], best["ties"]) == ("good", 3, 1)


def test_what_has_no_direction_prefers_nothing() -> None:
    with pytest.raises(EvaluatorError, match="prefers nothing"):
        ranked(judged(), "length")


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path))
    path = tmp_path / "data.jsonl"
    assay.save(judged(), path)
    shown = CliRunner().invoke(cli, ["prefer", str(path), "-e", "human('rating')", "--json"], catch_exceptions=False)
    result = json.loads(shown.stdout)
    assert result["numbers"][0]["system"] == "b" and result["methods"][1].startswith("human(criterion='rating'")
    with pytest.raises(AssayError, match="whose preferences"):
        CliRunner().invoke(
            cli,
            ["prefer", str(path), "-e", "chrf", "--criterion", "better"],
            catch_exceptions=False,
            standalone_mode=False,
        )


def test_without_a_criterion_the_only_one_is_taken() -> None:
    def votes(*criteria: str) -> Dataset:
        rows = [{"id": f"{s}{n}", "item": str(n), "system": s, "text": f"{s} {n}"} for n in range(4) for s in "ab"]
        for n, row in enumerate(rows[::2]):
            row["judgments"] = [{"annotator": "p", "criterion": c, "value": 1, "other": f"b{n}"} for c in criteria]
        return Dataset.from_records(rows)

    assert assay.prefer(votes("better")).tables == assay.prefer(votes("better"), "better").tables
    with pytest.raises(AssayError, match=r"whose preferences\?.* Criteria that compare units: better, funnier\."):
        assay.prefer(votes("better", "funnier"))
    with pytest.raises(
        AssayError, match=r"whose preferences\? Give --criterion NAME for annotators, or -e NAME for an"
    ):
        assay.prefer(votes())
