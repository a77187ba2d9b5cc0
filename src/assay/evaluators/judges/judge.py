"""A language model that answers a form about each text, or about two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from math import isnan, nan
from typing import Annotated, Any, Literal

from assay.backends.language.endpoint import Endpoint
from assay.backends.language.local import LocalModel
from assay.backends.language.opening import language_model_name, open_model
from assay.backends.language.protocol import Sampling, sample_request, score_request
from assay.errors import EvaluatorError
from assay.evaluator import Answer, Shape, evaluator, per_request
from assay.evaluators.judges.asking import CHOSEN_TOKENS, AnswerMode, Asking, check_tells, for_model, read_reply
from assay.forms import Form
from assay.forms.verdicts import Verdict
from assay.io.forms import named_form, read_form
from assay.records import Dataset, Output
from assay.run.models import sender_to, service_of

MOST_SAMPLES = 100


def _named(model: str) -> str:
    """The name of a model, by which it can be opened again: a GGUF file is converted now, while its path is known."""
    name = language_model_name(model)
    if not name.startswith("url("):
        open_model(model)
    return name


@evaluator(units=("output", "matchup"), scale="that of the form; a preference from -1 to 1", stored=False)
def judge(
    model: Annotated[str, _named],
    form: Annotated[str, named_form] = "rating",
    *,
    answer: AnswerMode = "expected",
    orders: Literal["both", "first"] | None = None,
    least_mass: float | None = None,
    samples: int | None = None,
    temperature: float | None = None,
    max_tokens: int | None = None,
) -> Shape:
    """What a language model answers to a form about a text, or about two texts of two systems.

    Args:
        model: a folder, a .gguf file, `smollm2` or `url(model@base)`.
        form: rating, typicality, real or preference, or a .toml file with a question and its answers.
        answer: `expected` is the mean answer by the probabilities of the first token of the reply, `chosen` the answer
            in the reply, `compared` the mean answer by the probabilities of the whole answers relative to each other.
        orders: of a preference: `both` (by default), averaged, or `first`.
        least_mass: the probability that the answers must cover: by default .5 of an expected answer, 0 of a compared.
        samples: of a chosen answer: how many replies are averaged; by default 1.
        temperature: of a chosen answer; by default 0, or 1 for several samples.
        max_tokens: of a chosen answer: the longest reply; by default 128.
    """
    asked = read_form(form)
    _check(asked, answer, orders, least_mass, samples, temperature, max_tokens)
    n_samples = samples or 1
    sampling = Sampling(1.0 if n_samples > 1 else 0.0) if temperature is None else Sampling(temperature)
    asking = Asking(asked, answer, sampling, max_tokens or CHOSEN_TOKENS, least_mass)
    sides = (False, True) if asked.compares and (orders or "both") == "both" else (False,)
    n_replies = len(asked.answers) if answer == "compared" else 1

    def request(unit: Output | list[Output]) -> list[dict[str, Any]]:
        outputs = [unit] if isinstance(unit, Output) else unit
        prompts = [asked.prompt(outputs[::-1] if swapped else outputs) for swapped in sides]
        return [one.to_json() for prompt in prompts for nth in range(n_samples) for one in asking.requests(prompt, nth)]

    def read(replies: list[dict[str, Any]], unit: object) -> Answer:
        drawn: list[Any] = [read_reply(one) for one in replies]
        groups = [drawn[at : at + n_replies] for at in range(0, len(drawn), n_replies)]
        verdicts = [asking.verdict(group) for group in groups]
        text = "\n---\n".join(asking.said(group, one) for group, one in zip(groups, verdicts, strict=True))
        means = [_mean(verdicts[at : at + n_samples]) for at in range(0, len(verdicts), n_samples)]
        missing = next((one.reason for one in means if isnan(one.value)), "")
        if missing:
            return Answer(nan, text, missing)
        signed = [-one.value if swapped else one.value for one, swapped in zip(means, sides, strict=True)]
        return Answer(sum(signed) / len(signed), text)

    remote = model.startswith("url(")
    kind = Endpoint if remote else LocalModel
    shape = per_request(
        model if remote else service_of(open_model(model)),
        request=request,
        send=partial(_send, model, answer == "expected"),
        read=read,
        at_once=kind.at_once,
        batch=kind.batch,
    )
    return replace(shape, offers=lambda dataset: _units(asked, dataset), direction=lambda dataset: _better(asked))


def _units(form: Form, dataset: Dataset) -> tuple[str, ...]:
    return ("matchup",) if form.compares else ("output",)


def _better(form: Form) -> bool | None:
    return form.criterion.higher_is_better


def _mean(verdicts: Sequence[Verdict]) -> Verdict:
    """The mean of the samples that have a verdict, if more than half do; else the first reason."""
    values = [one.value for one in verdicts if not isnan(one.value)]
    if 2 * len(values) <= len(verdicts):
        reason = next(one.reason for one in verdicts if one.reason)
        return Verdict(reason=reason if len(verdicts) == 1 else f"{reason} (and {len(verdicts) - 1} samples more)")
    return Verdict(sum(values) / len(values))


def _send(name: str, needs_logprobs: bool, requests: Any) -> Any:
    model = open_model(name)
    several = requests if isinstance(requests, list) else [requests]
    asked = [for_model(model, score_request(one) if "score" in one else sample_request(one)) for one in several]
    replies = sender_to(model)([one.to_json() for one in asked])
    if needs_logprobs:
        check_tells(name, [read_reply(one) for one in replies], "judge(..., answer='chosen')")
    return replies if isinstance(requests, list) else replies[0]


def _check(
    form: Form,
    answer: str,
    orders: str | None,
    least_mass: float | None,
    samples: int | None,
    temperature: float | None,
    max_tokens: int | None,
) -> None:
    """Refuse what would change nothing."""
    if orders is not None and not form.compares:
        raise EvaluatorError(f"the form {form.criterion.name!r} shows one text: leave orders out.")
    if answer == "chosen" and least_mass is not None:
        raise EvaluatorError("least_mass is for an expected answer: leave it out, or take answer='expected'.")
    of_chosen = {"samples": samples, "temperature": temperature, "max_tokens": max_tokens}
    if answer != "chosen":
        for name, value in of_chosen.items():
            if value is not None:
                raise EvaluatorError(f"{name} is for a chosen answer: leave it out, or take answer='chosen'.")
    if least_mass is not None and not 0 <= least_mass <= 1:
        raise EvaluatorError(f"least_mass is {least_mass:g}. Give a probability from 0 to 1.")
    if samples is not None and not 1 <= samples <= MOST_SAMPLES:
        raise EvaluatorError(f"samples is {samples}. Give a number from 1 to {MOST_SAMPLES}.")
    if (samples or 1) > 1 and temperature == 0:
        raise EvaluatorError("at a temperature of 0 all samples are the same. Give a higher one, or samples=1.")
    if max_tokens is not None and max_tokens < 1:
        raise EvaluatorError(f"max_tokens is {max_tokens}. Give at least 1.")
