"""Forests and boosted trees go on after an interruption or a kill, to the same bits."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from assay.backends.watching import watching
from assay.evaluators.discriminators.learner import Examples, Learner, Settings
from assay.evaluators.discriminators.rf import RandomForest
from assay.evaluators.discriminators.xgboost import PATIENCE, Boosting, _best, _stopped

pytest.importorskip("sklearn")
pytest.importorskip("xgboost")


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))


def examples(n: int, seed: int) -> Examples:
    from scipy.sparse import csr_array

    rng = np.random.default_rng(seed)
    counts = (rng.random((n, 30)) < 0.3) * rng.integers(1, 4, (n, 30)).astype(float)
    human = counts[:, 0] + counts[:, 1] + rng.normal(size=n) > 1.5
    return Examples(csr_array(counts), human, np.ones(n))


FOREST = RandomForest(25)
BOOSTING = Boosting(120)
TRAININGS: dict[str, tuple[Learner, Settings, Examples | None]] = {
    "forest": (FOREST, FOREST.usual, None),
    "boosting": (BOOSTING, BOOSTING.usual, None),
    "boosting that stops": (BOOSTING, {**BOOSTING.usual, "rate": 0.02}, examples(60, 2)),
}


@pytest.mark.parametrize("name", TRAININGS)
def test_an_interrupted_training_goes_on_to_the_same_bits(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    learner, settings, held_back = TRAININGS[name]

    def train(watcher: Callable[[str], None]) -> tuple[dict, Settings]:
        with watching(watcher):
            trained = learner.train(examples(120, 1), settings, held_back, np.random.default_rng(4))
        return {part: value.tobytes() for part, value in trained.model.items()}, trained.settings

    lines: list[str] = []
    whole = train(lines.append)
    assert len(lines) >= 2
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "other"))

    def interrupt(line: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(interrupt)
    rest: list[str] = []
    assert train(rest.append) == whole
    assert rest == lines[1:]  # the first piece was not made again
    again: list[str] = []
    assert train(again.append) == whole and not again


def test_a_forest_grown_in_pieces_is_scikit_learns() -> None:
    from sklearn.ensemble import RandomForestClassifier

    texts = examples(120, 1)
    grown = FOREST.train(texts, {"leaf": 3, "share": 0.3}, None, np.random.default_rng(4)).model
    seed = int(np.random.default_rng(4).integers(1 << 31))
    forest = RandomForestClassifier(25, min_samples_leaf=3, max_features=0.3, random_state=seed)
    forest.fit(texts.rows.astype(np.float32).tocsc(), texts.human, sample_weight=texts.weights)
    sizes = [tree.tree_.node_count for tree in forest.estimators_]
    assert np.diff([*grown["roots"], len(grown["feature"])]).tolist() == sizes
    probability = forest.predict_proba(texts.rows.astype(np.float32))[:, list(forest.classes_).index(True)]
    assert FOREST.margins(grown, texts.rows) == pytest.approx(probability - 0.5, abs=1e-12)


def test_boosting_stops_as_if_it_were_watched_round_by_round() -> None:
    falling = [1.0 - 0.01 * n for n in range(30)]
    assert not _stopped(falling) and _best(falling) == 29
    waited = [*falling, *[1.0] * PATIENCE]
    assert not _stopped(waited[:-1]) and _stopped(waited)
    assert _best([*waited, 1.0, 0.1]) == 29  # what comes after the stop counts for nothing


KILLED = """
import sys
import assay
data = assay.load(sys.argv[1])
assay.fit(sys.argv[2], data, sys.argv[3])
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["rf(trees=60, search=1)", "xgboost(rounds=300, search=1)"])
def test_a_killed_fit_resumes_to_the_same_model(name: str, tmp_path: Path, embedded_path: Path) -> None:
    def started(folder: str, cache: str) -> subprocess.Popen:
        arguments = [sys.executable, "-c", KILLED, str(embedded_path), name, str(tmp_path / folder)]
        return subprocess.Popen(arguments, env={**os.environ, "ASSAY_CACHE": str(tmp_path / cache)})

    assert started("whole", "one").wait(timeout=120) == 0
    doomed = started("resumed", "two")
    trainings = tmp_path / "two" / "trainings"
    while doomed.poll() is None and not (trainings.is_dir() and any(trainings.glob("*.npz"))):
        time.sleep(0.005)
    doomed.send_signal(signal.SIGKILL)
    assert doomed.wait() == -signal.SIGKILL and not (tmp_path / "resumed").exists()
    assert started("resumed", "two").wait(timeout=120) == 0
    contents = [
        {path.name: path.read_bytes() for path in (tmp_path / folder).iterdir()} for folder in ("whole", "resumed")
    ]
    assert contents[0] == contents[1]


@pytest.fixture
def embedded_path() -> Path:
    from assay import sample

    return Path(sample.PATH)
