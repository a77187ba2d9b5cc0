"""The study of colors: its candidates, both readings of a click, its cautions, and listeners that learn the game."""

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import assay
from assay.cli import cli
from assay.io import load
from assay.kernels.ragged import Ragged
from assay.kernels.statistics.correlation import kendall_b, pearson, spearman
from assay.listening import Beliefs, share_of_hits
from assay.reproduce.color_calibration import calibration_error, tempered_by_halves
from assay.reproduce.color_games import candidate_games, contradicted_contexts, derived_condition
from assay.reproduce.communication import (
    candidates,
    click_grades,
    clicks_by_triple,
    clicks_on_target,
    unfiltered_clicks,
    with_itself,
)


def test_the_condition_follows_from_the_colors() -> None:
    red, near_red, green, blue = (f"hsl({hue}, 90%, 50%)" for hue in (0, 5, 120, 240))
    assert derived_condition([red, green, blue], 0) == "far"
    assert derived_condition([red, near_red, blue], 0) == "split"
    assert derived_condition([red, near_red, "hsl(355, 90%, 50%)"], 0) == "close"
    assert derived_condition([blue, red, near_red], 0) == "distractors close"


def test_candidates_and_both_readings_of_a_click(data: Path) -> None:
    """Newman et al. 2020: the candidates, and .7015 per click, or .7218 where only a click on the target counts."""
    dataset = load("data:colors/utterances")
    groups = candidates(dataset)
    games = candidate_games(dataset, groups)
    assert np.bincount(games.grade.astype(int)).tolist() == [0, 1912, 1343, 1909]
    assert len(np.unique(games.triple)) == 180
    clicks, grades = click_grades(groups)
    measured = [abs(statistic(clicks, grades)) for statistic in (pearson, spearman, kendall_b)]
    assert measured == pytest.approx([0.7015, 0.7015, 0.6614], abs=1e-4)
    assert abs(pearson(*clicks_on_target(dataset, groups))) == pytest.approx(0.7218, abs=1e-4)
    assert len(clicks_by_triple(groups)) == len(clicks) == 12_735
    calls = ["human_listener", "human_listener(reading='not described')"]
    table = assay.score(games.games, calls)
    misleading = games.grade == 3
    assert np.all(table[calls[0]].values[misleading] <= table[calls[1]].values[misleading])
    assert np.array_equal(table[calls[0]].values[~misleading], table[calls[1]].values[~misleading])


@pytest.mark.slow
def test_the_cautions(data: Path) -> None:
    dataset = load("data:colors/utterances")
    groups = candidates(dataset)
    assert abs(pearson(*with_itself(groups))) == pytest.approx(0.755, abs=5e-4)
    assert abs(pearson(*unfiltered_clicks(dataset, groups))) == pytest.approx(0.4778, abs=1e-4)
    assert contradicted_contexts(dataset) == (170, 176, 360)


def test_a_temperature_undoes_overconfidence() -> None:
    """Beliefs that are too sure by a temperature of 2 are made less sure; each half learns from the other."""
    rng = np.random.default_rng(0)
    logits = rng.normal(size=(4000, 3))
    true, sure = (np.exp(t * logits) / np.exp(t * logits).sum(1, keepdims=True) for t in (1, 2))
    target = (rng.random((4000, 1)) > true.cumsum(axis=1)).sum(axis=1)
    offsets = np.arange(0, 12_001, 3)
    beliefs = Beliefs(Ragged(np.eye(3)[target].ravel(), offsets), Ragged(sure.ravel(), offsets))
    tempered, temperature = tempered_by_halves(beliefs, np.arange(4000) % 2 == 0)
    assert temperature == pytest.approx(2.0, rel=0.1)
    right = (sure.argmax(1) == target).astype(float)
    assert calibration_error(tempered, right) < 0.03 < calibration_error(beliefs.heard, right)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "share", "r"), [("literal", 0.835, 0.71), ("pragmatic", 0.84, 0.72)])
def test_a_listener_learns_the_game(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, share: float, r: float
) -> None:
    """Trained on `train`, it finds the targets of `dev`, and grades the utterances."""
    pytest.importorskip("torch")
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    listener = assay.fit(f"listener(kind={kind!r})", load("data:colors/train"), tmp_path / kind)
    (column,) = assay.score(load("data:colors/dev"), [listener]).columns.values()
    assert share_of_hits(column)[0] >= share
    dataset = load("data:colors/utterances")
    games = candidate_games(dataset, candidates(dataset))
    (column,) = assay.score(games.games, [listener]).columns.values()
    assert abs(pearson(column.values, games.grade)) >= r


def test_colors_stand_alone() -> None:
    done = CliRunner().invoke(cli, ["reproduce", "colors", "huse"])
    assert done.exit_code == 2 and "colors is a study of its own" in done.output
    done = CliRunner().invoke(cli, ["reproduce", "huse", "--listeners", "x"])
    assert done.exit_code == 2 and "--listeners and --figures are for colors" in done.output
