"""Curves over studies: ten simulated checkpoints, and what cannot be joined."""

import json
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from assay import AssayError, track
from assay.analyses.track import export_track
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


class FakeRun:
    """A run of a tracker that keeps what it is given."""

    def __init__(self) -> None:
        self.steps: list[tuple[int, dict[str, float]]] = []
        self.finished = False

    def log(self, metrics: dict[str, float], step: int) -> None:
        self.steps.append((step, metrics))

    def finish(self) -> None:
        self.finished = True

    def __enter__(self) -> "FakeRun":
        return self

    def __exit__(self, *error: object) -> None:
        self.finished = True


@pytest.mark.parametrize("tracker", ["wandb", "mlflow"])
def test_curves_go_to_an_installed_tracker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tracker: str) -> None:
    run, module = FakeRun(), ModuleType(tracker)
    about: dict[str, object] = {}
    if tracker == "wandb":
        monkeypatch.delenv("WANDB_MODE", raising=False)
        module.init = lambda **given: about.update(given) or run  # type: ignore[attr-defined]
    else:
        module.set_experiment = lambda name: about.update(project=name)  # type: ignore[attr-defined]
        module.start_run = lambda run_name: about.update(name=run_name) or run  # type: ignore[attr-defined]
        module.log_params = lambda given: None  # type: ignore[attr-defined]
        module.log_metrics = run.log  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, tracker, module)
    call = "human(criterion='x')"
    studies = [study(tmp_path / name, {"a": at}, evaluator=call) for at, name in enumerate(("one", "two"))]
    assert export_track(track(studies), tracker, "mine") == 3
    assert about["project"] == "mine" and about["name"] == "Over time" and run.finished
    assert about.get("mode", "offline") == "offline"
    name = "human_criterion__x__/a"
    assert run.steps == [(at, {name: at, f"{name}/low": at - 1, f"{name}/high": at + 1}) for at in (0, 1)]


def test_a_tracker_that_is_missing_or_fails_is_said_plainly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    part = track([study(tmp_path / name, {"a": 1.0}) for name in ("one", "two")])
    monkeypatch.setitem(sys.modules, "wandb", None)
    with pytest.raises(AssayError, match="wandb is not installed"):
        export_track(part, "wandb")
    monkeypatch.setitem(sys.modules, "mlflow", ModuleType("mlflow"))
    with pytest.raises(AssayError, match="mlflow did not take the curves"):
        export_track(part, "mlflow")
