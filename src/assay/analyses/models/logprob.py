"""`assay.logprob`: log-probabilities of outputs under a model, with the checks that make them trustworthy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from math import isnan
from typing import Literal, NamedTuple

import numpy as np

from assay import __version__
from assay.analyses.words import counted
from assay.backends.language.checks import Check, check_model
from assay.backends.language.endpoint import Endpoint
from assay.backends.language.local import Dtype, LocalModel
from assay.backends.language.opening import open_model
from assay.backends.language.protocol import Bos, End, LanguageModel, Reading, Sampling, TextScore, ToScore
from assay.backends.language.template import DEFAULT, Template, following, split_for
from assay.errors import DataError, GeneratorError
from assay.grammar import Call, Value, print_call
from assay.part import Cell, Number, Part, Table
from assay.records import Dataset
from assay.records.added import with_logprobs
from assay.run.models import Budget, score_texts
from assay.run.requests import Requests, Sender

MUCH_IMPOSSIBLE = 0.05


class WithLogProbs(NamedTuple):
    """The data with the log-probabilities in it, and the report on them."""

    dataset: Dataset
    part: Part


def logprob(
    dataset: Dataset,
    model: str | LanguageModel,
    system: str,
    *,
    template: str = DEFAULT,
    chat: bool = False,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float = 1.0,
    border: Literal["joint", "separate"] = "joint",
    bos: Bos = "model",
    end: End = "model",
    max_tokens: int | None = None,
    dtype: Dtype = "float32",
    window: int | None = None,
    stride: int | None = None,
    check: Literal["quick", "full"] = "quick",
    per_token: bool = False,
    seed: int = 0,
    requests: Requests | Sender | None = None,
    budget: Budget | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> WithLogProbs:
    """Add the log-probability of every output, human-written ones too, under a model's sampling distribution.

    Args:
        dataset: the outputs; those of an item without context are scored without a prompt.
        model: a folder, a `.gguf` file, `url(model@base)`, or an open model.
        system: the system that the log-probabilities are those of.
        template: how context and text are put together; white space before the text belongs to it.
        chat: put what stands before the text into a message of the user, by the model's chat template.
        temperature: of the sampling distribution; applied first.
        top_k: tokens that may be drawn.
        top_p: share of the probability that may be drawn.
        border: whether prompt and text are tokenized as one string or apart.
        bos: whether a beginning-of-text token comes first.
        end: what ends a text; its probability is part of the text's.
        max_tokens: where the sampler stopped; a longer text is impossible.
        dtype: precision of a local model.
        window: the most tokens seen at once.
        stride: by how many tokens the window moves over a longer text.
        check: how many texts the checks look at.
        per_token: also return the value of every token, in the table `tokens`.
        seed: of the texts that the checks draw.
        requests: concurrency, limits and store of requests.
        budget: what an endpoint may cost.
        progress: called with (texts done, texts in all).
    """
    if not len(dataset):
        raise DataError("there are no outputs to score.")
    opened = open_model(model, dtype) if isinstance(model, str) else model
    reading = Reading(Sampling(temperature, top_k, top_p), border, bos, end, max_tokens, window, stride)
    shown = Template(template, chat)
    wanted = [_to_score(opened, dataset, row, shown, reading, per_token) for row in range(len(dataset))]
    checks = _checked(opened, wanted, check, seed, requests)
    scored = score_texts(opened, wanted, requests, budget=budget, progress=progress)
    values = np.array([one.logprob for one in scored])
    known = np.flatnonzero(~np.isnan(values))
    tokens = np.array([one.n_tokens for one in scored], np.int64)
    signature = _signature(opened, shown, reading, dtype, checks)
    part = _part(dataset, system, scored, checks, signature, seed, reading, per_token)
    return WithLogProbs(with_logprobs(dataset, system, known, values[known], tokens[known]), part)


def _to_score(
    model: LanguageModel, dataset: Dataset, row: int, template: Template, reading: Reading, per_token: bool
) -> ToScore:
    prompt, space = split_for(model, template, dataset, int(dataset.outputs.item[row]), row)
    return ToScore(prompt, following(space, dataset.outputs.text[row]), reading, per_token)


def _checked(
    model: LanguageModel,
    wanted: Sequence[ToScore],
    how: Literal["quick", "full"],
    seed: int,
    requests: Requests | Sender | None,
) -> list[Check]:
    """Run the checks of a model; refuse where one fails."""
    if isinstance(model, Endpoint):
        for one in wanted:
            model.check_can_score(one)
        sender = Sender.of(requests)
        profile = sender.insist(model.name, lambda: model.profile_in(sender.how.store, sender.how.offline))
        if profile.scoring == "none":
            raise GeneratorError(f"{model.name}: {profile.no_scoring}")
        return [Check("the endpoint scores a given text", True, 1, 1, str(profile))]
    if not isinstance(model, LocalModel):
        return []
    checks = check_model(model, wanted, how, seed)
    failed = [
        f"{model.name}: the check '{one.name}' failed: {one.value:g} ({one.about}; limit {one.limit:g}). {one.remedy}"
        for one in checks
        if not one.passed
    ]
    if failed:
        raise DataError(failed)
    return checks


def _signature(model: LanguageModel, template: Template, reading: Reading, dtype: str, checks: Sequence[Check]) -> str:
    """Everything that the values depend on, what the model decided included."""
    sampling = reading.sampling
    settings: dict[str, Value] = {
        "model": model.name,
        "template": template.line,
        "chat": template.chat,
        "temperature": sampling.temperature,
        "top_k": sampling.top_k,
        "top_p": sampling.top_p,
        "border": reading.border,
        "bos": reading.bos,
        "end": reading.end,
        "max_tokens": reading.max_tokens,
        "window": reading.window,
        "stride": reading.stride,
    }
    if isinstance(model, LocalModel):
        ends = model.encoder.end(reading.end)
        settings |= {"dtype": dtype, "window": reading.window or model.forward.window}
        settings["end"] = tuple(model.encoder.spelled(ends)) if ends else "none"
    elif isinstance(model, Endpoint):
        settings["profile"] = checks[0].about
    return f"{print_call(Call('logprob', (), settings))}|assay:{__version__}"


def _part(
    dataset: Dataset,
    system: str,
    scored: Sequence[TextScore],
    checks: Sequence[Check],
    signature: str,
    seed: int,
    reading: Reading,
    per_token: bool,
) -> Part:
    values = np.array([one.logprob for one in scored])
    lengths = np.array([one.n_tokens for one in scored], np.float64)
    rows: list[tuple[Cell, ...]] = []
    numbers = []
    for number in np.unique(dataset.outputs.system).tolist():
        mine = dataset.outputs.system == number
        finite = mine & np.isfinite(values)
        impossible = int((mine & np.isneginf(values)).sum())
        missing = int((mine & np.isnan(values)).sum())
        total = lengths[finite].sum()
        mean = float(values[finite].sum() / total) if total else float("nan")
        name = dataset.systems.id[number]
        reason = "" if total else "no text has a finite log-probability"
        numbers.append(
            Number(
                "log-probability per token",
                mean,
                int(finite.sum()),
                signature,
                missing,
                reason=reason,
                about={"system": name, "under": system, "n_impossible": impossible},
            )
        )
        people = "yes" if dataset.systems.human[number] else ""
        rows.append((name, people, int(mine.sum()), missing, impossible, mean))
    n_human = int(dataset.human.sum())
    human_impossible = int((dataset.human & np.isneginf(values)).sum())
    tables = [
        Table(
            "logprobs",
            f"Log-probabilities under {system}",
            ("system", "human", "texts", "gaps", "impossible", "mean per token"),
            tuple(rows),
        ),
        Table(
            "checks",
            "Checks",
            ("check", "result", "value", "limit", "about"),
            tuple((one.name, "passed" if one.passed else "failed", one.value, one.limit, one.about) for one in checks),
        ),
        Table(
            "rows",
            "Every output",
            ("output", "logprob", "n_tokens", "impossible_at", "reason"),
            tuple(
                (
                    dataset.outputs.id[row],
                    None if isnan(one.logprob) else one.logprob,
                    one.n_tokens,
                    one.impossible_at if one.impossible_at >= 0 else None,
                    one.reason,
                )
                for row, one in enumerate(scored)
            ),
            in_file=True,
        ),
    ]
    if per_token:
        tables.append(_tokens(dataset, scored))
    n_missing = int(np.isnan(values).sum())
    return Part(
        title=f"Log-probabilities under {system}",
        summary=f"Natural log-probabilities of {len(values) - n_missing} of {len(values)} texts under {system}, "
        "summed over tokens and, where counted, the end of the text.",
        numbers=tuple(numbers),
        tables=tuple(tables),
        methods=(signature,),
        notes=tuple(_notes(system, scored, reading, human_impossible, n_human)),
        seed=seed,
        headline={
            "system": system,
            "n": len(values),
            "n_missing": n_missing,
            "n_impossible": int(np.isneginf(values).sum()),
            "n_human_impossible": human_impossible,
        },
    )


def _tokens(dataset: Dataset, scored: Sequence[TextScore]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for row, one in enumerate(scored):
        names = [*one.tokens, "(end)"]
        for place, value in enumerate(one.token_logprobs):
            rows.append((dataset.outputs.id[row], place, names[place], value))
    return Table("tokens", "Every token", ("output", "position", "token", "logprob"), tuple(rows), in_file=True)


def _notes(
    system: str, scored: Sequence[TextScore], reading: Reading, human_impossible: int, n_human: int
) -> list[str]:
    notes = [
        f"{counted(count, 'text')} without a log-probability: {reason}"
        for reason, count in Counter(one.reason for one in scored if one.reason).items()
    ]
    impossible = [one for one in scored if one.logprob == -np.inf]
    if impossible:
        first = np.median([one.impossible_at for one in impossible])
        notes.append(
            f"{counted(len(impossible), 'impossible text')} under {system}; in half of them by token {first + 1:.0f}"
        )
    if n_human and human_impossible > MUCH_IMPOSSIBLE * n_human and reading.sampling.truncates:
        notes.append(
            f"truncation alone makes {human_impossible} of {n_human} human texts impossible: HUSE under {system} will "
            "say that, and little about the model. Score without truncation too, and show HUSE by setting"
        )
    return notes
