"""Local models: probabilities sum to 1 over all texts, and a value does not depend on the batch."""

from itertools import product
from math import exp, inf, isnan
from types import SimpleNamespace

import numpy as np
import pytest

from assay.backends.language import gguf_folder
from assay.backends.language.encoding import NO_START
from assay.backends.language.local import LocalModel
from assay.backends.language.opening import language_model_name, open_model
from assay.backends.language.protocol import Drawn, Reading, Sampling, TextScore, ToSample, ToScore, answer
from assay.backends.language.scoring import score_texts
from assay.errors import DataError, GeneratorError
from tests.tiny_models import save_tiny_language_model, tiny_language_model

SETTINGS = [
    Sampling(temperature, top_k, top_p)
    for temperature, top_k, top_p in product((0.5, 1.0, 1.7), (None, 2, 4), (1.0, 0.9, 0.6))
] + [Sampling(0)]


# The network can predict the beginning of a text like any other token; here it ends one, so that texts are letters.
ENDS = ("</s>", "<s>")


def tiny(kind: str = "llama") -> LocalModel:
    model = open_model(str(tiny_language_model(kind=kind)))
    assert isinstance(model, LocalModel)
    return model


def every_text(longest: int) -> list[str]:
    return ["".join(letters) for n in range(longest + 1) for letters in product("abcd", repeat=n)]


@pytest.mark.parametrize("kind", ["llama", pytest.param("gpt2", marks=pytest.mark.slow)])
def test_the_probabilities_of_all_texts_sum_to_1_for_every_setting(kind: str) -> None:
    model = tiny(kind)
    texts = every_text(3)
    for sampling in SETTINGS:
        reading = Reading(sampling, border="separate", end=ENDS, max_tokens=3)
        scored = model.score([ToScore("ab", text, reading) for text in texts])
        assert sum(exp(one.logprob) for one in scored) == pytest.approx(1, abs=1e-6), sampling


def test_without_a_limit_the_mass_of_longer_texts_is_what_is_missing() -> None:
    model = tiny()
    texts = every_text(3)
    ended = Reading(end=ENDS)
    whole = sum(exp(one.logprob) for one in model.score([ToScore("ab", text, ended) for text in texts]))
    longest = [text for text in texts if len(text) == 3]
    begun = model.score([ToScore("ab", text, Reading(end="none")) for text in longest])
    finished = model.score([ToScore("ab", text, ended) for text in longest])
    longer = sum(exp(a.logprob) - exp(b.logprob) for a, b in zip(begun, finished, strict=True))
    assert whole + longer == pytest.approx(1, abs=1e-6)


def test_a_value_is_the_same_alone_in_a_batch_and_padded_on_either_side() -> None:
    model = tiny()
    rng = np.random.default_rng(0)
    texts = ["".join(rng.choice(list("abcd"), rng.integers(1, 30))) for _ in range(40)]
    wanted = [ToScore("abc"[: n % 4], text) for n, text in enumerate(texts)]
    together = [one.logprob for one in model.score(wanted)]
    alone = [model.score([one])[0].logprob for one in wanted]
    left = [one.logprob for one in score_texts(model.forward, model.encoder, wanted, side="left")]
    np.testing.assert_allclose(together, alone, atol=1e-4)
    np.testing.assert_allclose(left, alone, atol=1e-4)
    assert np.std(alone) > 1  # the texts differ, so equal values are no accident


def test_a_text_outside_the_support_is_impossible_at_a_known_place() -> None:
    model = tiny()
    greedy = model.sample([ToSample("ab", sampling=Sampling(0), max_tokens=4, end=ENDS)])[0]
    assert greedy.finish == "end"
    changed = greedy.text + "a"  # the likeliest text ends before
    reading = Reading(Sampling(top_k=1), max_tokens=4, end=ENDS)
    same, scored = model.score([ToScore("ab", greedy.text, reading), ToScore("ab", changed, reading)])
    assert same.logprob == 0 and same.impossible_at == -1
    assert scored.logprob == -inf and scored.impossible_at == len(greedy.text) > 0
    longer = model.score([ToScore("ab", "abcda", Reading(max_tokens=4))])[0]
    assert longer.logprob == -inf and longer.impossible_at == 4


def test_drawn_texts_have_their_exact_log_probability_and_do_not_depend_on_the_batch() -> None:
    model = tiny()
    for sampling in (Sampling(), Sampling(0.7, None, 0.9), Sampling(1.3, 3)):
        wanted = [ToSample("ab" * (n % 3 + 1), f"item {n}", 12, sampling, end=ENDS) for n in range(30)]
        drawn = model.sample(wanted)
        assert [one.text for one in drawn] == [model.sample([one])[0].text for one in wanted]
        assert [one.text for one in reversed(model.sample(wanted[::-1]))] == [one.text for one in drawn]
        reading = Reading(sampling, max_tokens=12, end=ENDS)
        again = model.score([ToScore(w.prompt, d.text, reading) for w, d in zip(wanted, drawn, strict=True)])
        for one, scored in zip(drawn, again, strict=True):
            assert one.read_again == one.logprob == pytest.approx(scored.logprob, abs=1e-4)
        assert len({one.text for one in drawn}) > 5


def test_drawn_texts_are_as_frequent_as_their_probability() -> None:
    model = tiny()
    sampling = Sampling(0.8, None, 0.95)
    drawn = model.sample([ToSample("ab", str(n), 2, sampling, end=ENDS) for n in range(800)])
    texts, counts = np.unique([one.text for one in drawn], return_counts=True)
    logprob = {one.text: one.logprob for one in drawn}
    for text, count in zip(texts, counts, strict=True):
        p = exp(logprob[text])
        assert abs(count - 800 * p) < 4 * np.sqrt(800 * p * (1 - p)) + 1, text


def test_texts_drawn_score_minus_the_entropy() -> None:
    model = tiny()
    everything = model.score([ToScore("ab", text, Reading(end=ENDS, max_tokens=3)) for text in every_text(3)])
    entropy = -sum(one.logprob * exp(one.logprob) for one in everything)
    drawn = [one.logprob for one in model.sample([ToSample("ab", str(n), 3, end=ENDS) for n in range(500)])]
    z = (np.mean(drawn) + entropy) / (np.std(drawn) / np.sqrt(len(drawn)))
    assert abs(z) < 4


def test_a_long_text_is_a_gap_or_is_read_with_a_stride() -> None:
    model = tiny()
    text = "abcd" * 10
    whole, short = Reading(end="none"), Reading(end="none", window=16)
    fits, too_long = model.score([ToScore("ab", text, whole), ToScore("ab", text, short)])
    assert isnan(too_long.logprob) and too_long.reason == "longer than the window (41 > 16 tokens)"
    strided = model.score([ToScore("ab", text, Reading(end="none", window=16, stride=4), per_token=True)])[0]
    assert len(strided.token_logprobs) == len(text)
    # The first window is that of the whole text; after it at least 12 tokens are seen.
    exact = model.score([ToScore("ab", text, whole, per_token=True)])[0]
    np.testing.assert_allclose(strided.token_logprobs[:14], exact.token_logprobs[:14], atol=1e-4)
    assert strided.logprob == pytest.approx(sum(strided.token_logprobs))
    in_one = model.score([ToScore("ab", text, Reading(end="none", window=64, stride=4))])[0]
    assert in_one.logprob == pytest.approx(fits.logprob, abs=1e-4)


def test_the_beginning_of_a_text() -> None:
    model = tiny()
    always, never, usual = (
        model.score([ToScore("a", "b", Reading(bos=bos))])[0].logprob for bos in ("always", "never", "model")
    )
    assert always != never == usual
    without = model.score([ToScore("", "b", Reading(bos="never"))])[0]
    assert without.reason == NO_START and isnan(without.logprob)
    assert model.score([ToScore("", "b")])[0].logprob < 0


def test_an_empty_text_has_a_probability_only_if_its_end_counts() -> None:
    ended, open_end = tiny().score([ToScore("ab", ""), ToScore("ab", "", Reading(end="none"))])
    assert ended.logprob < 0 and ended.n_tokens == 0
    assert isnan(open_end.logprob) and open_end.reason.startswith("empty text")


def test_answers_go_through_json_unchanged() -> None:
    model = tiny()
    score, sample = ToScore("ab", "cd", Reading(Sampling(top_k=1)), per_token=True), ToSample("ab", top=3, max_tokens=3)
    replies = answer(model, [sample.to_json(), score.to_json()])
    assert Drawn.from_json(replies[0]) == model.sample([sample])[0]
    assert TextScore.from_json(replies[1]) == model.score([score])[0]


def test_a_folder_is_named_by_content_and_found_again(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path))
    folder = str(tiny_language_model())
    name = language_model_name(folder)
    assert open_model(name).score([ToScore("a", "b")]) == tiny().score([ToScore("a", "b")])
    assert open_model(folder).name == name == language_model_name(name)


def test_bfloat16_is_another_model_by_name() -> None:
    model = open_model(str(tiny_language_model()), "bfloat16")
    assert model.name.endswith(":bfloat16")
    assert model.score([ToScore("ab", "cd")])[0].logprob == pytest.approx(
        tiny().score([ToScore("ab", "cd")])[0].logprob, abs=0.5
    )


def test_bad_models_and_requests_are_refused_plainly(tmp_path) -> None:
    with pytest.raises(DataError, match=r"not a model folder .* one of: smollm2"):
        open_model(str(tmp_path))
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF but not really")
    with pytest.raises(DataError, match="not a GGUF file"):
        open_model(str(broken))
    code = save_tiny_language_model(tmp_path / "code")
    config = (code / "config.json").read_text().replace('"model_type": "llama"', '"model_type": "own"')
    (code / "config.json").write_text(
        config.replace("{", '{"auto_map": {"AutoConfig": "own.Own", "AutoModelForCausalLM": "own.Own"},', 1)
    )
    (code / "own.py").write_text("raise SystemExit('this code ran')")
    with pytest.raises(DataError, match="never run"):
        open_model(str(code)).score([ToScore("a", "b")])
    with pytest.raises(GeneratorError, match="sees 64 at once"):
        tiny().sample([ToSample("ab" * 30, max_tokens=10)])
    with pytest.raises(GeneratorError, match="top_p is 0"):
        Sampling(top_p=0)


def test_a_file_that_another_process_converts_meanwhile_is_no_error(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "model.gguf"
    path.write_bytes(b"any content")
    folder = gguf_folder.converted_folder(gguf_folder.gguf_hash(path))

    def weights(reader, fields):
        folder.mkdir()
        (folder / "config.json").write_text("{}")
        return {"w": np.zeros(1)}

    monkeypatch.setattr(gguf_folder, "_open", lambda path: SimpleNamespace(fields={}))
    monkeypatch.setattr(gguf_folder, "_config", lambda fields: {"eos_token_id": 0})
    monkeypatch.setattr(gguf_folder, "_tokenizer", lambda fields: {})
    monkeypatch.setattr(gguf_folder, "_tokenizer_config", lambda fields: {})
    monkeypatch.setattr(gguf_folder, "_weights", weights)
    folder.parent.mkdir(parents=True)
    assert gguf_folder.folder_of_gguf(path) == folder
    assert [one.name for one in folder.parent.iterdir()] == [folder.name]


def test_texts_after_one_prompt_have_the_values_they_have_alone() -> None:
    """A long prompt is computed once for all its texts, in whatever order they are asked for."""
    model = tiny()
    rng = np.random.default_rng(1)
    prompts = ["".join(rng.choice(list("abcd"), n)) for n in (40, 31, 3)]
    texts = ["".join(rng.choice(list("abcd"), rng.integers(1, 9))) for _ in range(8)]
    readings = Reading(border="separate", end="none"), Reading(Sampling(0.7, 3), border="separate", end=ENDS)
    wanted = [ToScore(prompt, text, reading) for text in texts for prompt in prompts for reading in readings]
    together = [one.logprob for one in model.score(wanted)]
    alone = [model.score([one])[0].logprob for one in wanted]
    np.testing.assert_allclose(together, alone, atol=1e-4)
    assert np.isfinite(alone).sum() > 20 and np.std(np.array(alone)[np.isfinite(alone)]) > 1
