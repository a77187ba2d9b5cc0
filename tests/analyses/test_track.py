"""Curves over studies: ten simulated checkpoints, and what cannot be joined."""

import json
from pathlib import Path

import numpy as np
import pytest

from assay import AssayError, track
from assay.part import Number


def study(folder: Path, scores: dict[str, float], *, evaluator: str = "bleu", signature: str = "bleu()|assay:1") -> str:
    """Write the results of a study as `assay run` does."""
    numbers = [
        Number(
            "score", value, 50, signature, low=value - 1, high=value + 1, about={"system": name, "evaluator": evaluator}
        )
        for name, value in scores.items()
    ]
    health = Number("outputs", 1, 1, "x", about={"system": "a"})
    steps = [
        {"name": "health", "failure": None, "answers": {}, "numbers": [health.to_json(0)]},
        {"name": "scores", "failure": None, "answers": {}, "numbers": [number.to_json(0) for number in numbers]},
    ]
    folder.mkdir()
    (folder / "results.json").write_text(json.dumps({"title": folder.name, "steps": steps}))
    return str(folder)


def test_ten_checkpoints_make_one_curve(tmp_path: Path) -> None:
    learned = 20 * (1 - np.exp(-np.arange(10) / 3))
    studies = [
        study(tmp_path / f"step-{at}", {"people": 30.0, f"checkpoint-{at}": value}) for at, value in enumerate(learned)
    ]
    part = track(studies)
    curve = [number for number in part.numbers if number.about.get("series") == "the changing system"]
    assert [number.value for number in curve] == pytest.approx(learned.tolist())
    assert [number.about["study"] for number in curve] == [f"step-{at}" for at in range(10)]
    assert all(number.low < number.value < number.high for number in curve)
    (picture,) = part.pictures
    assert picture.name == "track-bleu" and "the changing system" in picture.drawing.svg("x")
    assert not part.notes


def test_a_study_without_a_score_is_noted(tmp_path: Path) -> None:
    studies = [
        study(tmp_path / "one", {"a": 1.0}),
        study(tmp_path / "two", {"a": 2.0}, evaluator="chrf"),
        study(tmp_path / "three", {"a": 3.0}),
    ]
    part = track(studies)
    assert [number.about["study"] for number in part.numbers] == ["one", "three"]
    assert part.notes == ("bleu: no score in two.",)


def test_other_settings_are_noted(tmp_path: Path) -> None:
    studies = [
        study(tmp_path / "one", {"a": 1.0}),
        study(tmp_path / "two", {"a": 2.0}, signature="bleu(max_order=2)|assay:2"),
    ]
    assert "may not compare" in track(studies).notes[0]


def test_measures_and_systems_can_be_chosen(tmp_path: Path) -> None:
    studies = [study(tmp_path / name, {"a": 1.0, "b": 2.0}) for name in ("one", "two")]
    assert {number.about["system"] for number in track(studies, systems=["b"]).numbers} == {"b"}
    with pytest.raises(AssayError, match="no two of the studies have 'blue'"):
        track(studies, measures=["blue"])


@pytest.mark.parametrize(
    "content", ["", "{}", "[]", '{"title": 1, "steps": [{"name": "x", "numbers": [1]}]}', "[" * 9000]
)
def test_files_that_are_no_results_are_refused(tmp_path: Path, content: str) -> None:
    good = study(tmp_path / "good", {"a": 1.0})
    (tmp_path / "bad.json").write_text(content)
    with pytest.raises(AssayError, match="results of a study"):
        track([good, tmp_path / "bad.json"])


def test_one_study_or_the_same_twice_is_no_curve(tmp_path: Path) -> None:
    good = study(tmp_path / "good", {"a": 1.0})
    with pytest.raises(AssayError, match="two studies or more"):
        track([good])
    with pytest.raises(AssayError, match="given twice"):
        track([good, good])
    with pytest.raises(AssayError, match="output folder"):
        track([good, tmp_path / "nothing"])
