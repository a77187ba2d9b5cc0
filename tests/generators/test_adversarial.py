"""Generators trained against a critic: exact probabilities, values of words, the same bits after an interrupt."""

from functools import partial
from itertools import product
from math import exp
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.backends.language.adversarial.rounds import Rounds
from assay.backends.language.opening import open_model
from assay.backends.language.protocol import LanguageModel, Reading, Sampling, ToSample, ToScore
from assay.backends.language.words import END
from assay.errors import GeneratorError
from assay.generators import adversarial_fitting
from assay.generators.fitting import fit_generator
from tests.generators.test_fitting import texts

SETTINGS = [Sampling(), Sampling(0.5), Sampling(1.0, 2), Sampling(0.7, None, 0.8)]
KINDS = ["mle_seqgan", "seqgan", "rankgan", "leakgan"]


@pytest.fixture(autouse=True)
def quick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    shorten(monkeypatch)


def shorten(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(adversarial_fitting, "STEPS", 3)
    patch.setattr(adversarial_fitting, "Rounds", partial(Rounds, first=2, each=1))
    patch.setattr("assay.backends.language.adversarial.rounds.SAVED", 2)


def settings(kind: str, rounds: int = 2) -> dict[str, Any]:
    return {"epochs": 1, "size": 8, "min_count": 1} | ({} if kind == "mle_seqgan" else {"rounds": rounds})


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    place = tmp_path_factory.mktemp("adversarial")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ASSAY_CACHE", str(place / "cache"))
        shorten(patch)
        for kind in KINDS:
            fit_generator(texts(), str(place / kind), kind, **settings(kind))
    return {kind: str(place / kind) for kind in KINDS}


@pytest.mark.parametrize("kind", KINDS)
def test_the_probabilities_of_all_texts_sum_to_1(trained: dict[str, str], kind: str) -> None:
    model: Any = open_model(trained[kind])
    assert isinstance(model, LanguageModel)
    every = [" ".join(words) for n in range(4) for words in product(model.encoder.words[2:], repeat=n)]
    for sampling in SETTINGS:
        scored = model.score([ToScore("", text, Reading(sampling, max_tokens=3)) for text in every])
        assert sum(exp(one.logprob) for one in scored) == pytest.approx(1)


@pytest.mark.parametrize("kind", KINDS)
def test_drawn_texts_have_their_exact_value_whatever_is_drawn_with_them(trained: dict[str, str], kind: str) -> None:
    model = open_model(trained[kind])
    for sampling in SETTINGS[:3]:
        wanted = [ToSample("", str(n), 12, sampling) for n in range(12)]
        drawn = model.sample(wanted)
        asked = [ToScore("", one.text, Reading(sampling, max_tokens=12)) for one in drawn]
        together, alone = model.score(asked), [model.score([one])[0] for one in asked]
        np.testing.assert_allclose([one.logprob for one in drawn], [one.logprob for one in together], atol=1e-4)
        np.testing.assert_allclose([one.logprob for one in alone], [one.logprob for one in together], atol=1e-4)
        assert [model.sample([one])[0].text for one in wanted] == [one.text for one in drawn]


@pytest.mark.parametrize("kind", ["seqgan", "leakgan"])
def test_training_after_an_interrupt_gives_the_same_bits(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = fit_generator(texts(), str(tmp_path / "whole"), kind, **settings(kind, 4))
    place = "assay.backends.language.adversarial.rounds.report_progress"

    def stop(done: int, total: int) -> None:
        if done == 3:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(place, stop)
        with pytest.raises(KeyboardInterrupt):
            fit_generator(texts(), str(tmp_path / "again"), kind, **settings(kind, 4))
    assert not (tmp_path / "again").exists()
    rounds: list[int] = []
    epochs: list[int] = []
    monkeypatch.setattr(place, lambda done, total: rounds.append(done))
    monkeypatch.setattr(
        "assay.backends.language.word_training.report_progress", lambda done, total: epochs.append(done)
    )
    again = fit_generator(texts(), str(tmp_path / "again"), kind, **settings(kind, 4))
    assert again.content == whole.content and rounds == [3, 4] and not epochs


def test_the_value_of_a_word_is_what_texts_that_go_on_from_it_are_paid() -> None:
    """A critic that pays for the last word alone, and a network that repeats its first word, are known by hand."""
    import torch

    from assay.backends.language.adversarial.playing import BLOCK, played, texts_of
    from assay.backends.language.recurrent import WordNetwork

    class Repeats(WordNetwork):
        """Draws 3 or 4 first, and then the same word for ever."""

        def run(self, tokens: Any, state: Any = None) -> tuple[Any, Any]:
            logits = torch.full((*tokens.shape, 5), -1e9)
            for word in (3, 4):
                logits[..., word].masked_fill_((tokens == word) | (tokens == 0), 0.0)
            return logits, (torch.zeros(1, len(tokens), 1),)

    class Pays:
        def rewards(self, words: Any, lengths: Any) -> Any:
            return (words[torch.arange(len(words)), lengths - 1] == 4).float()

    torch.manual_seed(0)
    play = played(Repeats(), Pays(), 10, 3 * BLOCK + 1)
    assert play.lengths.tolist() == [3 * BLOCK + 1] * 10
    for words, values in zip(play.words.tolist(), play.values.tolist(), strict=True):
        assert values == [1.0 if words[0] == 4 else 0.0] * len(words)
    words, lengths = texts_of([(0, 3, 4, END), (0, 4, END)], 5)
    assert words.tolist() == [[3, 4, END, END, END], [4, END, END, END, END]] and lengths.tolist() == [3, 2]


def test_a_discriminator_and_a_ranker_learn_what_people_write() -> None:
    import torch

    from assay.backends.language.adversarial.critics import Discriminator, PrefixFeatures, Ranker

    torch.manual_seed(0)
    people = torch.randint(3, 6, (32, 6)), torch.full((32,), 6)
    drawn = torch.randint(6, 9, (32, 6)), torch.full((32,), 6)
    for critic in (Discriminator(PrefixFeatures(9, 8, 4)), Ranker(PrefixFeatures(9, 8, 4))):
        optimizer = torch.optim.Adam(critic.parameters(), lr=1e-2)
        for _ in range(30):
            optimizer.zero_grad()
            critic.loss(people, drawn).backward()
            optimizer.step()
        critic.eval()
        critic.meet(people)
        with torch.no_grad():
            assert critic.rewards(*people).mean() > critic.rewards(*drawn).mean() + 0.2


def test_leaked_features_are_those_of_every_prefix() -> None:
    import torch

    from assay.backends.language.adversarial.critics import PrefixFeatures

    torch.manual_seed(0)
    features = PrefixFeatures(9, 8, 4)
    words = torch.randint(0, 9, (5, 7))
    with torch.no_grad():
        every, _, _ = features.read(words, *features.start(5))
        for n in range(1, 8):
            alone = features(words[:, :n], torch.full((5,), n))
            np.testing.assert_allclose(every[:, n - 1].numpy(), alone.numpy(), atol=1e-6)


def test_what_is_no_option_and_too_few_texts_are_refused(tmp_path: Path) -> None:
    with pytest.raises(GeneratorError, match="'mle_seqgan' has no option 'rounds'"):
        fit_generator(texts(), str(tmp_path / "x"), "mle_seqgan", rounds=2)
    with pytest.raises(GeneratorError, match="rounds is -1"):
        fit_generator(texts(), str(tmp_path / "x"), "seqgan", rounds=-1)
    with pytest.raises(GeneratorError, match="too few to learn from"):
        fit_generator(texts(3), str(tmp_path / "x"), "leakgan")
    assert not (tmp_path / "x").exists()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["seqgan", "rankgan", "leakgan"])
def test_rounds_leave_the_language_of_the_reviews_intact(data: Path, tmp_path: Path, kind: str) -> None:
    dataset = assay.load("data:judges/reviews")
    some = dataset.select(dataset.human & (np.arange(len(dataset)) < 800))
    before, after = (
        fit_generator(some, str(tmp_path / str(n)), kind, epochs=2, size=64, rounds=n).manifest["training"][
            "perplexity"
        ]
        for n in (0, 5)
    )
    assert after != before and after < 1.05 * before
