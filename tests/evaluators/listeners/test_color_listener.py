"""Neural listeners learn a small language of colors; training is deterministic and can be resumed."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay import Dataset, EvaluatorError, score
from assay.backends.listener_training import network_of, weights_of
from assay.io.checkpoints import Checkpoint
from assay.listening import beliefs_of, share_of_hits
from assay.progress import reporting
from tests.evaluators.listeners.games import games

torch = pytest.importorskip("torch")


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))


@pytest.mark.parametrize("call", ["listener(epochs=6)", "listener(epochs=10, kind='pragmatic')"])
def test_it_learns_what_the_words_mean(call: str, tmp_path: Path) -> None:
    learned = assay.fit(call, games(600), tmp_path / "model")
    table = score(games(100, seed=1), [learned])
    (column,) = table.columns.values()
    share, n = share_of_hits(column)
    assert n == 100 and share > 0.9
    beliefs = beliefs_of(column)
    assert beliefs.heard.values.reshape(-1, 3).sum(axis=1) == pytest.approx(np.ones(100))
    assert column.values == pytest.approx((beliefs.heard.values * beliefs.meant.values).reshape(-1, 3).sum(axis=1))


def test_a_saved_model_answers_with_another_score(tmp_path: Path) -> None:
    assay.fit("listener(epochs=1)", games(60), tmp_path / "model")
    calls = [f"listener(model={str(tmp_path / 'model')!r}, score={kind!r})" for kind in ("probability", "surprisal")]
    table = score(games(20, seed=1), calls)
    assert table[calls[1]].values == pytest.approx(-np.log(table[calls[0]].values))
    assert [table[call].higher_is_better for call in calls] == [True, False]
    with pytest.raises(EvaluatorError, match="fitted with kind='literal', not 'pragmatic'"):
        assay.parse(f"listener(model={str(tmp_path / 'model')!r}, kind='pragmatic')")


@pytest.mark.parametrize("kind", ["literal", "pragmatic"])
def test_the_order_of_choices_does_not_matter(kind: str, tmp_path: Path) -> None:
    """Not even for a pragmatic listener, which averages over the orders of the distractors."""
    learned = assay.fit(f"listener(epochs=1, kind={kind!r})", games(60), tmp_path / "model")
    colors = ["hsl(0, 90%, 50%)", "hsl(120, 90%, 50%)", "hsl(240, 90%, 50%)"]
    shuffled = [colors[2], colors[0], colors[1]]
    rows = [{"text": "green one", "item": n, "choices": c, "target": 0} for n, c in enumerate((colors, shuffled))]
    (column,) = score(Dataset.from_records(rows), [learned]).columns.values()
    heard = beliefs_of(column).heard
    assert heard[1] == pytest.approx(heard[0][[2, 0, 1]], abs=1e-12)


@pytest.mark.parametrize("kind", ["literal", "pragmatic"])
def test_the_other_utterances_do_not_change_a_bit(kind: str, tmp_path: Path) -> None:
    learned = assay.fit(f"listener(epochs=1, kind={kind!r})", games(60), tmp_path / "model")
    data = games(37, seed=1)
    together, *alone = (
        next(iter(score(one, [learned]).columns.values())).values.tolist()
        for one in (data, *(data.select(np.arange(37) == row) for row in range(0, 37, 4)))
    )
    assert [value for one in alone for value in one] == together[::4]


def test_numbers_of_choices_may_differ(tmp_path: Path) -> None:
    learned = assay.fit("listener(epochs=1, kind='pragmatic')", games(60, n_choices=4), tmp_path / "model")
    for n_choices in (2, 5):
        (column,) = score(games(4, seed=2, n_choices=n_choices), [learned]).columns.values()
        assert column.n == 4


def test_it_can_learn_from_clicks(tmp_path: Path) -> None:
    learned = assay.fit("listener(epochs=4, learns='clicks')", games(300), tmp_path / "model")
    (column,) = score(games(60, seed=1), [learned]).columns.values()
    assert share_of_hits(column)[0] > 0.6


class Stop(Exception):
    pass


@pytest.mark.parametrize("kind", ["literal", "pragmatic"])
def test_a_training_that_was_interrupted_is_resumed_to_the_same_bits(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call, data, reports = f"listener(epochs=3, kind={kind!r})", games(70), []

    def interrupt(done: int, total: int) -> None:
        reports.append((done, total))
        if done == 8:
            raise Stop

    with pytest.raises(Stop), reporting(interrupt):
        assay.fit(call, data, tmp_path / "resumed")
    assert not (tmp_path / "resumed").exists()
    assert reports[-1] == (8, 9)
    with reporting(lambda done, total: reports.append((done, total))):
        assay.fit(call, data, tmp_path / "resumed")
    assert reports[8:] == [(7, 9), (8, 9), (9, 9)]
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "other"))
    assay.fit(call, data, tmp_path / "whole")
    for name in ("state.npz", "manifest.json"):
        assert (tmp_path / "resumed" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    assert not list(tmp_path.rglob("training/*.npz"))


def test_a_training_set_may_share_words_but_not_games(tmp_path: Path) -> None:
    train, data = games(60), games(20, seed=1)
    learned = assay.fit("listener(epochs=1)", train, tmp_path / "model")
    assert not any("was fitted on" in note for note in score(data, [learned]).notes)
    assert any("was fitted on the games of 60 of the 60 outputs" in note for note in score(train, [learned]).notes)
    (direct,) = score(data, ["listener(epochs=1)"], train=train).columns.values()
    assert np.array_equal(direct.values, score(data, [learned])[repr(learned)].values)


def test_another_seed_gives_another_model(tmp_path: Path) -> None:
    first, second = (assay.fit("listener(epochs=1)", games(40), tmp_path / str(n), seed=n) for n in (0, 1))
    assert first != second


def test_without_a_place_to_write_there_is_no_checkpoint(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "file"))
    checkpoint = Checkpoint("x")
    checkpoint.save(1, {"a": np.zeros(1)})
    assert checkpoint.load() is None


@pytest.mark.parametrize(
    ("choices", "reason"),
    [
        (["hsl(400, 99%, 50%)", "hsl(40, 99%, 50%)"], "its hue, 400, is not from 0 to 360"),
        (["blue", "red"], "'blue' is not a color"),
        ([{"shape": "circle"}, {"shape": "square"}], "is not a color"),
    ],
)
def test_choices_that_are_no_colors_are_gaps(choices: list[Any], reason: str, tmp_path: Path) -> None:
    learned = assay.fit("listener(epochs=1)", games(40), tmp_path / "model")
    data = Dataset.from_records([{"text": "blue one", "choices": choices, "target": 0}])
    (column,) = score(data, [learned]).columns.values()
    assert reason in column.gaps[0]
    with pytest.raises(EvaluatorError, match="learns from utterances about colors with targets, and there are none"):
        assay.fit("listener", data, tmp_path / "none")


def test_a_foreign_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(assay.DataError, match="not the folder of a fitted evaluator"):
        assay.parse(f"listener(model={str(tmp_path)!r})")
    data = Dataset.from_records([{"text": "a b", "human": n == 0, "system": str(n), "quality": n} for n in range(2)])
    assay.fit("neighbors(column='quality', min_neighbors=1)", data, tmp_path / "judge")
    with pytest.raises(EvaluatorError, match="a fitted neighbors, not listener"):
        assay.parse(f"listener(model={str(tmp_path / 'judge')!r})")


def test_weights_of_another_kind_are_refused() -> None:
    from assay.backends.listener_networks import LiteralNetwork

    with pytest.raises(assay.DataError, match="not those of a listener of this kind"):
        network_of("pragmatic", weights_of(LiteralNetwork(5, 4, 0.0)))
