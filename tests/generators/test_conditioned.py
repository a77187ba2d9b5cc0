"""Generators that read attributes, contexts or colors: exact, saved and loaded, the same bits after an interrupt."""

from itertools import product
from math import exp
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import assay
from assay import Dataset
from assay.backends.language.opening import open_model
from assay.backends.language.protocol import LanguageModel, Reading, Sampling, ToSample, ToScore
from assay.cli import cli
from assay.errors import DataError, EvaluatorError, GeneratorError
from assay.generators.fitting import fit_generator
from assay.generators.kinds import why_not

SETTINGS = [Sampling(), Sampling(0.5), Sampling(1.0, 2), Sampling(0.7, None, 0.8)]
COLORS = ("#ff0000", "#00ff00", "#0000ff")
SMALL: dict[str, Any] = {"epochs": 8, "size": 64, "min_count": 1}


def reviews(n: int = 300) -> Dataset:
    """Texts whose first word is the rating's, in contexts that say the same."""
    rows = []
    for k in range(n):
        rating = k % 3
        text = ("bad", "fair", "good")[rating] + " book" * (1 + k % 5) + " !" * (k % 4) + " ." * (k // 75)
        rows.append({"item": str(k), "text": text, "rating": rating, "shop": "ab"[k % 2], "context": f"stars {rating}"})
    return Dataset.from_records(rows)


def games(n: int = 300) -> Dataset:
    """One of three colors is named, sometimes with a mark."""
    rng = np.random.default_rng(0)
    rows = []
    for k in range(n):
        order = rng.permutation(3)
        name = ("red", "green", "blue")[order[k % 3]]
        rows.append(
            {
                "item": str(k),
                "text": ("the " * (k % 3) + name + " one" * (k % 4) + "!" * (k % 5)).upper(),
                "choices": [COLORS[place] for place in order],
                "target": k % 3,
            }
        )
    return Dataset.from_records(rows)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    place = tmp_path_factory.mktemp("conditioned")
    fit_generator(reviews(), str(place / "attributes"), "attributes", attributes=["rating", "shop"], **SMALL)
    for kind in ("contexts", "gated"):
        fit_generator(reviews(), str(place / kind), kind, **SMALL)
    for kind in ("speaker", "speaker_attention", "speaker_gated"):
        fit_generator(games(), str(place / kind), kind, **SMALL)
    return {path.name: str(path) for path in place.iterdir()}


PROMPTS = {
    "attributes": ('{"rating": "2", "shop": "a"}', '{"rating": "0", "shop": "never met"}'),
    "contexts": ("stars 2", "stars 0"),
    "gated": ("stars 2", ""),
    "speaker": ('{"choices": ["#ff0000", "#00ff00", "#0000ff"], "target": 2}', '{"choices": ["red"], "target": 0}'),
}


def prompts_of(kind: str) -> list[str]:
    if kind in ("attributes", "contexts", "gated"):
        return list(PROMPTS[kind])
    return [f'{{"choices": ["#ff0000", "#00ff00", "#0000ff"], "target": {place}}}' for place in (2, 0)]


KINDS = ["attributes", "contexts", "gated", "speaker", "speaker_attention", "speaker_gated"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_probabilities_of_all_texts_sum_to_1_for_every_condition_and_setting(
    trained: dict[str, str], kind: str
) -> None:
    model: Any = open_model(trained[kind])
    assert isinstance(model, LanguageModel)
    words = model.encoder.words[2:]
    every = [" ".join(row) for n in range(3) for row in product(words, repeat=n)]
    for prompt, sampling in product(prompts_of(kind), SETTINGS):
        scored = model.score([ToScore(prompt, text, Reading(sampling, max_tokens=2)) for text in every])
        assert sum(exp(one.logprob) for one in scored) == pytest.approx(1)


@pytest.mark.parametrize("kind", KINDS)
def test_drawn_texts_have_their_exact_value_whatever_is_drawn_with_them(trained: dict[str, str], kind: str) -> None:
    model = open_model(trained[kind])
    wanted = [
        ToSample(prompt, str(n), 8, sampling)
        for n in range(5)
        for prompt in prompts_of(kind)
        for sampling in SETTINGS[:3]
    ]
    drawn = model.sample(wanted)
    asked = [
        ToScore(one.prompt, text.text, Reading(one.sampling, max_tokens=8))
        for one, text in zip(wanted, drawn, strict=True)
    ]
    together, alone = model.score(asked), [model.score([one])[0] for one in asked]
    np.testing.assert_allclose([one.logprob for one in drawn], [one.logprob for one in together], atol=1e-4)
    np.testing.assert_allclose([one.logprob for one in alone], [one.logprob for one in together], atol=1e-4)
    assert [model.sample([one])[0].text for one in wanted[::4]] == [one.text for one in drawn[::4]]


@pytest.mark.parametrize("kind", ["attributes", "contexts", "gated"])
def test_texts_are_likelier_under_their_own_condition(trained: dict[str, str], kind: str) -> None:
    model = open_model(trained[kind])
    prompts = ["stars 0", "stars 2"]
    if kind == "attributes":
        prompts = ['{"rating": "0", "shop": "a"}', '{"rating": "2", "shop": "a"}']
    bad, good = (
        [one.logprob for one in model.score([ToScore(prompt, text) for prompt in prompts])] for text in ("bad", "good")
    )
    assert bad[0] > bad[1] + 0.2 and good[1] > good[0] + 0.2


@pytest.mark.parametrize("kind", ["speaker", "speaker_attention", "speaker_gated"])
def test_speakers_mean_the_target_and_do_not_mind_the_order_of_the_others(trained: dict[str, str], kind: str) -> None:
    model: Any = open_model(trained[kind])
    colors = model.encoder.conditions
    for place, name in enumerate(("red", "green", "blue")):
        said = model.score([ToScore(colors.prompt(COLORS, meant), f"the {name} one") for meant in range(3)])
        assert np.argmax([one.logprob for one in said]) == place
    given = colors.prompt(COLORS, 0), colors.prompt((COLORS[2], COLORS[0], COLORS[1]), 1)
    one, other = model.score([ToScore(prompt, "RED one!") for prompt in given])
    assert one.logprob == pytest.approx(other.logprob, abs=1e-5)
    assert model.tokenize("The RED one!") == ["the", "red", "one", "!"]


def test_training_after_an_interrupt_gives_the_same_bits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings: dict[str, Any] = {"attributes": ["rating"], "epochs": 3, "size": 8}
    whole = fit_generator(reviews(), str(tmp_path / "whole"), "gated", **settings)
    place = "assay.backends.language.word_training.report_progress"

    def stop(done: int, total: int) -> None:
        if done == 12:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(place, stop)
        with pytest.raises(KeyboardInterrupt):
            fit_generator(reviews(), str(tmp_path / "again"), "gated", **settings)
    steps: list[int] = []
    monkeypatch.setattr(place, lambda done, total: steps.append(done))
    again = fit_generator(reviews(), str(tmp_path / "again"), "gated", **settings)
    assert again.content == whole.content and steps[0] == 10


def test_the_commands_work_with_attributes_and_what_was_drawn_scores_the_same(
    trained: dict[str, str], tmp_path: Path
) -> None:
    def run(*words: str, code: int = 0) -> str:
        result = CliRunner().invoke(cli, [*words])
        assert result.exit_code == code, result.output
        return str(result.exception)

    assay.save(reviews()[:6], tmp_path / "some.jsonl")
    out, scored = str(tmp_path / "out.jsonl"), str(tmp_path / "scored.jsonl")
    run("generate", str(tmp_path / "some.jsonl"), "--model", trained["attributes"], "--n", "2", "-o", out)
    run("logprob", out, "--model", trained["attributes"], "--as", "again", "-o", scored)
    data = assay.load(scored)
    values = {
        (int(o), data.systems.id[int(s)]): v
        for o, s, v in zip(data.logprobs.output, data.logprobs.system, data.logprobs.value, strict=True)
    }
    for row in range(len(data)):
        assert values[row, "again"] == pytest.approx(values[row, "attributes"], abs=1e-4)
    (tmp_path / "bare.jsonl").write_text('{"id": "x", "context": "stars 2"}\n')
    message = run(
        "generate",
        str(tmp_path / "bare.jsonl"),
        "--model",
        trained["attributes"],
        "-o",
        out.replace("out", "other"),
        code=1,
    )
    assert "no column 'rating'" in message
    message = run(
        "generate",
        str(tmp_path / "some.jsonl"),
        "--model",
        trained["attributes"],
        "--template",
        "{text}",
        "-o",
        out.replace("out", "other"),
        code=1,
    )
    assert "leave it out" in message
    run("generate", str(tmp_path / "bare.jsonl"), "--model", trained["contexts"], "-o", out.replace("out", "third"))


def test_what_the_data_lacks_is_said_and_nothing_is_written(tmp_path: Path) -> None:
    plain = Dataset.from_records([{"text": f"text {n}"} for n in range(30)])
    assert "no attribute columns are named" in why_not("attributes", plain)
    assert "no attribute columns are named" in why_not("gated", plain) and not why_not("gated", reviews())
    assert "no choices" in why_not("speaker", plain) and not why_not("speaker", games())
    assert not why_not("lstm", plain)
    words = Dataset.from_records([{"text": "x", "choices": ["a", "b"], "target": 0}])
    assert "no item has choices that are colors" in why_not("speaker", words)
    folder = str(tmp_path / "x")
    for message, kind, given in (
        ("cannot be trained on this data: it is conditioned on contexts", "contexts", {}),
        ("no column 'ratin' .*Did you mean 'rating'", "attributes", {"attributes": ["ratin"]}),
        ("has no option 'attributes'", "lstm", {"attributes": ["rating"]}),
        ("epochs is 0", "lstm", {"epochs": 0}),
        ("too few to learn from", "lstm", {}),
    ):
        dataset = reviews() if kind == "attributes" else plain[:3] if "few" in message else plain
        with pytest.raises(GeneratorError, match=message):
            fit_generator(dataset, folder, kind, **given)
    assert not Path(folder).exists()


def test_a_damaged_prompt_and_foreign_weights_are_refused(trained: dict[str, str], tmp_path: Path) -> None:
    from assay.io.generator_folders import read_generator, write_generator

    model = open_model(trained["attributes"])
    with pytest.raises(GeneratorError, match="reads a prompt such as"):
        model.score([ToScore("a context", "bad book")])
    with pytest.raises(GeneratorError, match="no attribute 'shop'"):
        model.score([ToScore('{"rating": "1"}', "bad book")])
    with pytest.raises(GeneratorError, match="cannot be read"):
        open_model(trained["speaker"]).score([ToScore(PROMPTS["speaker"][1], "red")])
    folder = read_generator(Path(trained["gated"]))
    write_generator(tmp_path / "foreign", "gated", {**folder.settings, "network": "attention"}, folder.arrays, {})
    with pytest.raises(DataError, match="not those of its network"):
        open_model(str(tmp_path / "foreign")).score([ToScore("", "bad")])
    write_generator(tmp_path / "alien", "gated", {**folder.settings, "reads": "minds"}, folder.arrays, {})
    with pytest.raises(DataError, match="cannot be read"):
        open_model(str(tmp_path / "alien"))


def test_outputs_that_differ_in_an_attribute_leave_open_which_to_write_for(trained: dict[str, str]) -> None:
    rows = [{"item": "one", "text": "x", "rating": rating, "shop": "a"} for rating in (1, 2)]
    with pytest.raises(GeneratorError, match="differ in 'rating'"):
        assay.generate(Dataset.from_records(rows), trained["attributes"])


def test_a_speaker_is_a_listener_by_bayes_rule(trained: dict[str, str]) -> None:
    asked = f"lm_listener({trained['speaker']!r})"
    column = assay.score(games()[:30], [asked])[asked]
    model: Any = open_model(trained["speaker"])
    choices = games().items.choices[0]
    said = model.score([ToScore(model.prompt_meaning(choices, place), games().outputs.text[0]) for place in range(3)])
    shares = np.exp([one.logprob for one in said])
    assert column.values[0] == pytest.approx(shares[0] / shares.sum(), abs=1e-4)
    assert column.values.mean() > 0.5
    words = Dataset.from_records([{"text": "x", "choices": ["a", "b"], "target": 0}])
    gap = assay.score(words, [asked])[asked]
    assert np.isnan(gap.values[0]) and "is not a color" in gap.gaps[0]
    with pytest.raises(EvaluatorError, match="leave them out"):
        assay.score(words, [f"lm_listener({trained['speaker']!r}, prior='model')"])
