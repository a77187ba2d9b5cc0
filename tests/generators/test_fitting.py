"""Trained generators: exact probabilities, saved and loaded, the same bits after an interrupt."""

import json
from itertools import product
from math import exp, inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import assay
from assay import Dataset
from assay.backends.language.opening import language_model_name, open_model
from assay.backends.language.protocol import LanguageModel, Reading, Sampling, ToSample, ToScore
from assay.backends.language.recurrent import WordModel
from assay.cli import cli
from assay.errors import AssayError, DataError, GeneratorError
from assay.generators.fitting import fit_generator

WORDS = ("a", "b", "c")


def texts(n: int = 60, seed: int = 0) -> Dataset:
    """Texts in which b follows a, and c ends."""
    rng = np.random.default_rng(seed)
    rows = [
        {"text": "a b " * int(rng.integers(0, 3)) + str(rng.choice(["a c", "b b c", "c"])) + " a" * (k % 5)}
        for k in range(n)
    ]
    return Dataset.from_records(rows)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    place = tmp_path_factory.mktemp("generators")
    for kind in ("lstm", "scheduled"):
        fit_generator(texts(), str(place / kind), kind, epochs=3, size=8, min_count=1)
    fit_generator(texts(), str(place / "ngram"), "ngram")
    return {kind: str(place / kind) for kind in ("lstm", "scheduled", "ngram")}


@pytest.mark.parametrize("kind", ["lstm", "scheduled"])
@pytest.mark.parametrize("sampling", [Sampling(), Sampling(0.5), Sampling(1.0, 2), Sampling(0.7, None, 0.8)])
def test_the_probabilities_of_all_texts_sum_to_1(trained: dict[str, str], kind: str, sampling: Sampling) -> None:
    model = open_model(trained[kind])
    assert isinstance(model, WordModel) and isinstance(model, LanguageModel)
    every = [" ".join(words) for n in range(4) for words in product((*WORDS, "<unk>"), repeat=n)]
    reading = Reading(sampling, max_tokens=3)
    assert sum(
        exp(one.logprob) for one in model.score([ToScore("", text, reading) for text in every])
    ) == pytest.approx(1)


@pytest.mark.parametrize("kind", ["lstm", "scheduled", "ngram"])
def test_drawn_texts_have_the_value_that_scoring_gives_and_depend_on_their_seed_alone(
    trained: dict[str, str], kind: str
) -> None:
    model = open_model(trained[kind])
    for sampling in (Sampling(), Sampling(0.6, 2)):
        wanted = [ToSample("", str(n), 8, sampling) for n in range(20)]
        drawn = model.sample(wanted)
        reading = Reading(sampling, max_tokens=8)
        scored = model.score([ToScore("", one.text, reading) for one in drawn])
        np.testing.assert_allclose([one.logprob for one in drawn], [one.logprob for one in scored], atol=1e-4)
        assert [model.sample([one])[0].text for one in wanted] == [one.text for one in drawn]
        assert len({one.text for one in drawn}) > 3


def test_an_unknown_word_is_read_as_one_by_the_network_and_impossible_for_n_grams(trained: dict[str, str]) -> None:
    network, ngram = open_model(trained["lstm"]), open_model(trained["ngram"])
    assert network.tokenize("a zebra </s>") == ["a", "<unk>", "<unk>"]
    assert network.score([ToScore("", "a zebra")]) == network.score([ToScore("", "a <unk>")])
    impossible = ngram.score([ToScore("", "a zebra c")])[0]
    assert impossible.logprob == -inf and impossible.impossible_at == 1


def test_a_folder_is_named_by_content_refused_if_damaged_and_never_replaced(
    trained: dict[str, str], tmp_path: Path
) -> None:
    name = language_model_name(trained["lstm"])
    assert open_model(name).name == name and "lstm@" in name
    with pytest.raises(DataError, match="something of this name already"):
        fit_generator(texts(), trained["lstm"])
    import shutil

    copy = shutil.copytree(trained["lstm"], tmp_path / "copy")
    (copy / "state.npz").write_bytes(b"no")
    with pytest.raises(DataError, match="damaged"):
        open_model(str(copy))
    manifest = json.loads((copy / "generator.json").read_text()) | {"generator": "alien"}
    (copy / "generator.json").write_text(json.dumps(manifest))
    (copy / "state.npz").write_bytes((Path(trained["lstm"]) / "state.npz").read_bytes())
    with pytest.raises(AssayError, match="'alien' is not known"):
        open_model(str(copy))


def test_training_after_an_interrupt_gives_the_same_bits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = fit_generator(texts(), str(tmp_path / "whole"), epochs=3, size=8)
    steps = []

    def stop(done: int, total: int) -> None:
        steps.append(done)
        if done == 5:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("assay.backends.language.word_training.report_progress", stop)
        with pytest.raises(KeyboardInterrupt):
            fit_generator(texts(), str(tmp_path / "again"), epochs=3, size=8)
    assert not (tmp_path / "again").exists()
    monkeypatch.setattr("assay.backends.language.word_training.report_progress", lambda done, total: steps.append(done))
    again = fit_generator(texts(), str(tmp_path / "again"), epochs=3, size=8)
    assert again.content == whole.content and steps == [1, 2, 3, 4, 5, 5, 6]


def test_the_command_trains_generates_and_scores(tmp_path: Path) -> None:
    def run(*words: str) -> Any:
        result = CliRunner().invoke(cli, [*words], catch_exceptions=False)
        assert result.exit_code == 0, result.output
        return result

    assay.save(texts(), tmp_path / "texts.jsonl")
    folder = str(tmp_path / "mine")
    fitted = run("fit", "generator", str(tmp_path / "texts.jsonl"), "--kind", "ngram", "-o", folder, "--json")
    assert json.loads(fitted.stdout)["generator"] == "ngram"
    (tmp_path / "prompts.jsonl").write_text('{"id": "x", "context": ""}\n')
    out = str(tmp_path / "out.jsonl")
    run("generate", str(tmp_path / "prompts.jsonl"), "--model", folder, "--n", "5", "--temperature", ".5,1", "-o", out)
    run("logprob", out, "--model", folder, "--as", "again", "-o", str(tmp_path / "scored.jsonl"))
    data = assay.load(tmp_path / "scored.jsonl")
    own = {
        int(o): v
        for o, s, v in zip(data.logprobs.output, data.logprobs.system, data.logprobs.value, strict=True)
        if data.systems.id[int(s)] == "mine t=1"
    }
    again = {
        int(o): v
        for o, s, v in zip(data.logprobs.output, data.logprobs.system, data.logprobs.value, strict=True)
        if data.systems.id[int(s)] == "again"
    }
    assert len(own) == 5 and all(again[row] == pytest.approx(value, abs=1e-9) for row, value in own.items())


def test_retrieval_returns_stored_texts_of_the_nearest_context_and_nothing_else(tmp_path: Path) -> None:
    rows = [
        {"item": str(n % 2), "context": ("the weather today", "a book to read")[n % 2], "text": f"text {n} of {n % 2}"}
        for n in range(30)
    ]
    fit_generator(Dataset.from_records(rows), str(tmp_path / "bank"), "retrieval")
    model = open_model(str(tmp_path / "bank"))
    drawn = model.sample([ToSample("which book shall I read", str(n)) for n in range(40)])
    assert all(one.text.endswith("of 1") for one in drawn) and len({one.text for one in drawn}) > 5
    scored = model.score([ToScore("which book shall I read", one.text) for one in drawn])
    assert [one.logprob for one in scored] == [one.logprob for one in drawn]
    stored = {one.text for one in drawn}
    assert sum(exp(model.score([ToScore("a book to read", text)])[0].logprob) for text in stored) <= 1 + 1e-9
    other = model.score([ToScore("a book to read", "text 0 of 0")])[0]
    assert other.logprob == -inf and other.impossible_at == 0
    with pytest.raises(GeneratorError, match="no temperature"):
        model.sample([ToSample("a", sampling=Sampling(0.5))])


def test_copying_returns_any_stored_text_whatever_the_context(tmp_path: Path) -> None:
    rows = [{"item": str(n), "context": f"context {n}", "text": f"text {n}"} for n in range(30)]
    fit_generator(Dataset.from_records(rows), str(tmp_path / "copies"), "copying")
    model = open_model(str(tmp_path / "copies"))
    for prompt in ("", "context 3", "zebra"):
        drawn = model.sample([ToSample(prompt, str(n)) for n in range(60)])
        assert len({one.text for one in drawn}) > 15
        every = [ToScore(prompt, row["text"]) for row in rows]
        assert sum(exp(one.logprob) for one in model.score(every)) == pytest.approx(1)


def test_too_few_texts_and_unknown_kinds_are_refused(tmp_path: Path) -> None:
    with pytest.raises(GeneratorError, match="too few to learn from"):
        fit_generator(texts(10), str(tmp_path / "x"))
    with pytest.raises(GeneratorError, match="no generator 'gan'"):
        fit_generator(texts(), str(tmp_path / "x"), "gan")
    assert not (tmp_path / "x").exists()


@pytest.mark.slow
def test_an_lstm_learns_reviews_better_than_trigrams(data: Path, tmp_path: Path) -> None:
    folder = fit_generator(assay.load("data:judges/reviews"), str(tmp_path / "lstm"))
    training = folder.manifest["training"]
    assert training["texts"] == 1620
    assert training["perplexity"] < training["perplexity_of_trigrams"]
