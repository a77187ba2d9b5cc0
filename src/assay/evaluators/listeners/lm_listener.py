"""A causal language model as a listener, by Bayes' rule."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import Annotated, Any, Literal

import numpy as np

from assay.backends.language.conditioned import ColorSpeaker
from assay.backends.language.opening import language_model_name, open_model
from assay.backends.language.protocol import Reading, TextScore, ToScore
from assay.errors import EvaluatorError, GeneratorError
from assay.evaluator import Answer, Shape, evaluator, per_request
from assay.kernels.ragged import Ragged
from assay.kernels.statistics.beliefs import softmax
from assay.listening import CAUTION, EMPTY, NO_CHOICES, Heard, ListenerScore, direction, scored_against
from assay.records import Output
from assay.run.models import sender_to, service_of

GIVEN, TEXT = "{given}", "{text}"
TEMPLATE = "{given}\n{text}"
NOTHING = '{"heard": []}'
"""Beside a gap: no beliefs."""


def opened_by_name(model: str) -> str:
    """The name of a model in signatures; a packed model is unpacked first, so that the name finds it again."""
    open_model(model)
    return language_model_name(model)


@evaluator(
    needs=("choices",),
    scale="0 to 1 (probability, hit); 0 upwards (surprisal, kl)",
    cite="Newman, Cohn-Gordon and Potts 2020",
    stored=False,
    cautions={"output": CAUTION, "system": CAUTION},
)
def lm_listener(
    model: Annotated[str, opened_by_name],
    *,
    reads: Literal["output", "choice"] = "output",
    prior: Literal["uniform", "model"] = "uniform",
    template: str = TEMPLATE,
    temperature: float = 1.0,
    score: ListenerScore = "probability",
) -> Shape:
    """Whether a language model can tell which choice an output is about.

    With reads='output' it is the likelihood of the output after each choice, log p(output | choice), plus the log of
    the prior; with 'choice' log p(choice | output), from which the model's own prior is taken away for a uniform one.
    The prior of the `model` is log p(choice) after nothing. `template` puts the two texts together; what stands before
    `{text}` is the prompt. Beliefs are a softmax over `temperature`. A model is a Hugging Face folder, a .gguf file, a
    short name or url(model@base) with log-probabilities; or a speaker about colors of `assay fit generator`, which is
    asked how likely it would say the output if it meant each of the choices.
    """
    _check(template, temperature)
    opened = open_model(model)
    speaks = isinstance(opened, ColorSpeaker)
    if speaks and (reads, prior, template) != ("output", "uniform", TEMPLATE):
        raise EvaluatorError("lm_listener: a speaker about colors has no reads, prior or template: leave them out.")
    # Tokenized apart, an output has the same tokens whatever choice stands before it. Endpoints cannot.
    reading = Reading(border="joint" if opened.name.startswith("url(") else "separate", end="none")
    with_prior = (reads == "output") == (prior == "model")
    sign = 1.0 if reads == "output" else -1.0

    def request(output: Output) -> list[dict[str, Any]]:
        if not output.item.choices:
            raise ValueError(NO_CHOICES)
        if isinstance(opened, ColorSpeaker):
            return [one.to_json() for one in _meant(opened, output)]
        asked = [
            _to_score(template, *((choice, output.text) if reads == "output" else (output.text, choice)), reading)
            for choice in output.item.choices
        ]
        alone = [ToScore("", choice, reading) for choice in output.item.choices] if with_prior else []
        return [one.to_json() for one in (*asked, *alone)]

    def read(replies: list[Any], output: Output) -> Answer:
        scores = [TextScore.from_json(reply) for reply in replies]
        n = len(output.item.choices)
        reason = EMPTY if not output.text.strip() else next((one.reason for one in scores if one.reason), "")
        if reason:
            return Answer(reason=reason, text=NOTHING)
        logs = np.array([one.logprob for one in scores])
        logs = logs[:n] + sign * logs[n:] if with_prior else logs
        return _answer(logs, output, temperature, score)

    about: dict[str, Any] = {"at_once": opened.at_once, "batch": opened.batch}
    shape = per_request(service_of(opened), request=request, send=sender_to(opened), read=read, **about)
    return replace(shape, direction=direction(score))


def _meant(speaker: ColorSpeaker, output: Output) -> list[ToScore]:
    """The output as the speaker would say it to mean each choice, its end included."""
    choices = output.item.choices
    try:
        return [ToScore(speaker.prompt_meaning(choices, place), output.text) for place in range(len(choices))]
    except GeneratorError as error:
        raise ValueError(str(error)) from None


def _to_score(template: str, given: str, text: str, reading: Reading) -> ToScore:
    """The prompt and the text to score; a space at their border belongs to the text, as tokenizers want it."""
    before, _, after = template.partition(TEXT)
    prompt = before.rstrip(" ")
    return ToScore(prompt.replace(GIVEN, given), before[len(prompt) :] + text + after, reading)


def _answer(
    logs: np.ndarray[Any, np.dtype[np.float64]], output: Output, temperature: float, score: ListenerScore
) -> Answer:
    offsets = np.array([0, len(logs)], np.int64)
    meant = Ragged(np.array(output.item.target), np.array([0, len(output.item.target)], np.int64))
    scored = scored_against(meant, Heard.of(softmax(Ragged(logs, offsets), temperature)), score)
    assert scored.texts is not None
    return Answer(float(scored.values[0]), scored.texts[0], scored.gaps[0])


def _check(template: str, temperature: float) -> None:
    if template.count(GIVEN) != 1 or template.count(TEXT) != 1 or template.index(GIVEN) > template.index(TEXT):
        raise EvaluatorError(
            f"the template of lm_listener must have {GIVEN} once, and {TEXT} once after it: {template!r}."
        )
    if not 0 < temperature < inf:
        raise EvaluatorError(f"the temperature of lm_listener must be above 0, not {temperature}.")
