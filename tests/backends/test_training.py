"""Networks and their trainer: the same bits for a seed, interrupted or not; padding means nothing."""

from pathlib import Path

import numpy as np
import pytest

from assay.backends.text_networks import NETWORKS
from assay.backends.training import Labeled, Recipe, network_margins, train_network
from assay.backends.watching import watching

SHAPE = {"n_words": 30, "size": 8, "dropout": 0.2}
KINDS = ("cnn", "lstm", "cnn_lstm")


def labeled(seed: int, n: int = 80) -> Labeled:
    """Texts of up to 12 words; those of one class often end with word 2."""
    rng = np.random.default_rng(seed)
    ids = np.zeros((n, 20), np.int64)
    target = rng.random(n) < 0.5
    for row, length in enumerate(rng.integers(1, 12, n)):
        ids[row, :length] = rng.integers(3, 30, length)
        ids[row, length - 1] = 2 if target[row] else ids[row, length - 1]
    return Labeled(ids, target.astype(np.float32), np.ones(n, np.float32))


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path))


def same(one: dict[str, np.ndarray], two: dict[str, np.ndarray]) -> bool:
    return one.keys() == two.keys() and all(one[name].tobytes() == two[name].tobytes() for name in one)


@pytest.mark.parametrize("kind", KINDS)
def test_it_learns_and_padding_means_nothing(kind: str) -> None:
    weights, epochs = train_network(kind, SHAPE, labeled(0), Recipe(15, 0.02), 1, labeled(1))
    new = labeled(2)
    margins = network_margins(kind, SHAPE, weights, new.ids)
    assert 1 <= epochs <= 15
    assert np.mean((margins > 0) == new.target) > 0.9
    narrow = network_margins(kind, SHAPE, weights, new.ids[:, :16])
    assert narrow.tobytes() == margins.tobytes()
    some = network_margins(kind, SHAPE, weights, new.ids[5:9])
    assert some.tobytes() == margins[5:9].tobytes()


@pytest.mark.parametrize("stopping", [True, False])
def test_an_interrupted_training_goes_on_to_the_same_bits(
    stopping: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held_back = labeled(1) if stopping else None
    arguments = ("lstm", SHAPE, labeled(0), Recipe(6, 0.01), 3, held_back)
    whole = train_network(*arguments)
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "other"))
    lines: list[str] = []

    def interrupt(line: str) -> None:
        lines.append(line)
        if len(lines) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), watching(interrupt):
        train_network(*arguments)
    with watching(lines.append):
        resumed = train_network(*arguments)
    assert same(whole[0], resumed[0]) and whole[1] == resumed[1]
    assert lines[3].startswith("lstm: epoch 4 of at most 6, loss ")
    with watching(lines.append):
        again = train_network(*arguments)  # from what is kept
    assert same(again[0], whole[0]) and len(lines) <= 6


def test_another_seed_gives_other_weights() -> None:
    one, two = (train_network("cnn", SHAPE, labeled(0), Recipe(1, 0.01), seed)[0] for seed in (1, 2))
    assert not same(one, two)


def test_a_damaged_state_is_a_new_start(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    arguments = ("cnn", SHAPE, labeled(0), Recipe(2, 0.01), 3)
    whole = train_network(*arguments)
    (kept,) = (tmp_path / "trainings").iterdir()
    kept.write_bytes(kept.read_bytes()[:-50])
    assert same(train_network(*arguments)[0], whole[0])
    assert "damaged" in caplog.text


def test_torch_keeps_its_own_random_numbers() -> None:
    import torch

    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    train_network("cnn", SHAPE, labeled(0, 20), Recipe(1, 0.01), 3)
    assert torch.equal(torch.rand(3), expected)


def test_kinds_are_known() -> None:
    assert set(KINDS) | {"fine_tuned"} == set(NETWORKS)
