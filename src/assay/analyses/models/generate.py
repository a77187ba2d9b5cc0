"""`assay.generate`: texts drawn from a model at one or more settings, with their exact log-probabilities."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import isnan, nan
from typing import Any, NamedTuple

import numpy as np

from assay import __version__
from assay.analyses.words import counted
from assay.backends.language.checks import BATCH_LIMIT
from assay.backends.language.local import Dtype, LocalModel
from assay.backends.language.opening import open_model
from assay.backends.language.protocol import (
    Bos,
    Drawn,
    End,
    LanguageModel,
    Prompt,
    Reading,
    Sampling,
    TextScore,
    ToSample,
    ToScore,
)
from assay.backends.language.template import DEFAULT, ReadsItems, Template, following, split_for
from assay.errors import DataError, GeneratorError
from assay.grammar import Call, Value, print_call
from assay.part import Cell, Part, Table
from assay.records import Dataset
from assay.run.models import Budget, sample_texts, score_texts
from assay.run.requests import Requests, Sender


class Generated(NamedTuple):
    """The drawn texts as data, and the report on them."""

    dataset: Dataset
    part: Part


@dataclass(frozen=True)
class Setting:
    """A setting of a sweep, and the system it makes."""

    system: str
    sampling: Sampling
    beams: int = 0

    @property
    def params(self) -> dict[str, float]:
        """What the outputs say of how they were drawn."""
        if self.beams:
            return {"beams": self.beams}
        params: dict[str, float] = {"temperature": self.sampling.temperature, "top_p": self.sampling.top_p}
        return params if self.sampling.top_k is None else params | {"top_k": self.sampling.top_k}


@dataclass(frozen=True)
class Draw:
    """A text to draw: for which item, at which setting, the how manieth."""

    item: int
    setting: Setting
    number: int
    space: str
    request: ToSample


def generate(
    dataset: Dataset,
    model: str | LanguageModel,
    *,
    n: int = 1,
    temperature: Sequence[float] = (1.0,),
    top_k: Sequence[int | None] = (None,),
    top_p: Sequence[float] = (1.0,),
    system: str | None = None,
    max_tokens: int = 64,
    template: str = DEFAULT,
    chat: bool = False,
    bos: Bos = "model",
    end: End = "model",
    dtype: Dtype = "float32",
    beam: int | None = None,
    human: bool = False,
    seed: int = 0,
    requests: Requests | Sender | None = None,
    budget: Budget | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Generated:
    """Draw texts for every item at every setting.

    A text depends on model, item, setting, its number and the seed alone: not on the order of the items, on what is
    drawn with it, or on how often a run was interrupted.

    Args:
        dataset: the items; only their contexts matter here.
        model: a folder, a `.gguf` file, `url(model@base)`, or an open model.
        n: texts for each item and setting, which make a set.
        temperature: of the sampling distribution; several make a sweep, as do several of the next two.
        top_k: tokens that may be drawn; None for all.
        top_p: share of the probability that may be drawn.
        system: the name of the system, to which a sweep adds its settings; by default the model's.
        max_tokens: where a text is cut.
        template: how context and text are put together; white space before the text belongs to it.
        chat: put what stands before the text into a message of the user, by the model's chat template.
        bos: whether a beginning-of-text token comes first.
        end: what ends a text.
        dtype: precision of a local model.
        beam: take the best text of a beam search of this width instead of drawing one. It is the only text that the
            system can say: its log-probability is 0, and that of any other text -inf.
        human: also keep the human-written outputs of the data, with their log-probabilities at every setting.
        seed: random seed.
        requests: concurrency, limits and store of requests.
        budget: what an endpoint may cost.
        progress: called with (texts done, texts in all).
    """
    if n < 1 or max_tokens < 1:
        raise GeneratorError(f"n is {n} and max_tokens {max_tokens}; give at least 1 of each.")
    opened = open_model(model, dtype) if isinstance(model, str) else model
    settings = _settings(system or _short(opened.name), temperature, top_k, top_p)
    if beam is not None:
        _check_beam(opened, beam, n, settings)
        settings = [replace(settings[0], beams=beam)]
    shown = Template(template, chat)
    prompts = [split_for(opened, shown, dataset, item) for item in range(len(dataset.items))]
    draws = [
        _draw(dataset, item, prompt, setting, number, max_tokens, bos, end, seed)
        for item, prompt in enumerate(prompts)
        for setting in settings
        for number in range(n)
    ]
    drawn = _drawn(sample_texts(opened, [one.request for one in draws], requests, budget=budget, progress=progress))
    again = _read_again(opened, draws, drawn, requests)
    records = [_record(opened, dataset, *one) for one in zip(draws, drawn, again, strict=True)]
    if human:
        only = {draw.item: _text(draw, one) for draw, one in zip(draws, drawn, strict=True)} if beam else None
        reading = Reading(bos=bos, end=end, max_tokens=max_tokens)
        records += _human_records(dataset, opened, settings, shown, reading, only, requests)
    signature = _signature(opened, settings, n, max_tokens, shown, bos, end, seed)
    return Generated(Dataset.from_records(records, "generated"), _part(draws, drawn, again, settings, signature, seed))


def _check_beam(model: LanguageModel, beam: int, n: int, settings: Sequence[Setting]) -> None:
    """Refuse what a search that always finds the same text cannot do."""
    if not isinstance(model, LocalModel):
        raise GeneratorError(f"{model.name}: beam search needs a model folder or a .gguf file.")
    if beam < 1 or n != 1 or len(settings) > 1 or not settings[0].sampling.is_plain:
        raise GeneratorError(
            "beam search finds one text: give a width of at least 1, --n 1, and no sampling parameter."
        )


def _short(name: str) -> str:
    return name.removeprefix("url(").partition("@")[0]


def _settings(
    system: str, temperatures: Sequence[float], top_ks: Sequence[int | None], top_ps: Sequence[float]
) -> list[Setting]:
    swept = {"t": len(temperatures) > 1, "k": len(top_ks) > 1, "p": len(top_ps) > 1}
    settings = []
    for t, k, p in product(temperatures, top_ks, top_ps):
        values = {"t": f"{t:g}", "k": "all" if k is None else str(k), "p": f"{p:g}"}
        name = " ".join([system, *(f"{key}={value}" for key, value in values.items() if swept[key])])
        settings.append(Setting(name, Sampling(t, k, p)))
    if len({one.sampling for one in settings}) < len(settings):
        raise GeneratorError("a setting is given twice. Give each temperature, top-k and top-p once.")
    return settings


def _draw(
    dataset: Dataset,
    item: int,
    split: tuple[Prompt, str],
    setting: Setting,
    number: int,
    max_tokens: int,
    bos: Bos,
    end: End,
    seed: int,
) -> Draw:
    prompt, space = split
    sampling = setting.sampling
    if setting.beams:
        return Draw(
            item, setting, number, space, ToSample(prompt, "", max_tokens, sampling, bos, end, 0, setting.beams)
        )
    seeds = (seed, dataset.items.id[item], sampling.temperature, sampling.top_k, sampling.top_p, number)
    request = ToSample(prompt, "/".join(map(str, seeds)), max_tokens, sampling, bos, end)
    return Draw(item, setting, number, space, request)


def _drawn(replies: Sequence[Drawn | str]) -> list[Drawn]:
    """The texts, if all were drawn."""
    missing = Counter(reply for reply in replies if isinstance(reply, str))
    if missing:
        why = "; ".join(f"{reason} ({count})" for reason, count in missing.items())
        raise DataError(
            f"{missing.total()} of {len(replies)} texts were not drawn: {why}. The others are kept: the same command "
            "goes on from them."
        )
    return [reply for reply in replies if isinstance(reply, Drawn)]


def _read_again(
    model: LanguageModel, draws: Sequence[Draw], drawn: Sequence[Drawn], requests: Requests | Sender | None
) -> list[TextScore | None]:
    """The score of each text whose tokens are others when it is read again; None where they are the same."""
    places = [
        place
        for place, (draw, one) in enumerate(zip(draws, drawn, strict=True))
        if not isnan(one.logprob)
        and not draw.setting.beams
        and (isnan(one.read_again) or one.text != following(draw.space, _text(draw, one)))
    ]
    wanted = []
    for place in places:
        request, text = draws[place].request, following(draws[place].space, _text(draws[place], drawn[place]))
        reading = Reading(request.sampling, bos=request.bos, end=request.end, max_tokens=request.max_tokens)
        wanted.append(ToScore(request.prompt, text, reading))
    again: list[TextScore | None] = [None] * len(draws)
    for place, scored in zip(places, score_texts(model, wanted, requests), strict=True):
        # A model of words reads a text alike with and without the space before it, with the rounding of another batch.
        own = drawn[place]
        if own.n_tokens != scored.n_tokens or not abs(own.read_again - scored.logprob) <= BATCH_LIMIT:
            again[place] = scored
    return again


def _text(draw: Draw, drawn: Drawn) -> str:
    return drawn.text.removeprefix(draw.space)


def _record(
    model: LanguageModel, dataset: Dataset, draw: Draw, drawn: Drawn, again: TextScore | None
) -> dict[str, Any]:
    """A flat record of a drawn text. Its log-probability is that of the tokens that were drawn."""
    item, name = _item(model, dataset, draw.item), draw.setting.system
    record: dict[str, Any] = item | {
        "id": f"{item['item']}/{name}/{draw.number}",
        "system": name,
        "set": f"{item['item']}/{name}",
        "text": _text(draw, drawn),
        "n_tokens": drawn.n_tokens,
        "human": False,
        "params": draw.setting.params,
        "finish": drawn.finish,
    }
    if isnan(drawn.logprob):
        return record
    record["logprobs"] = {name: drawn.logprob}
    if again is None:
        return record | {"read_again": "same"}
    if np.isfinite(again.logprob):
        record["logprob_read_again"] = again.logprob
    return record | {"read_again": "impossible" if again.logprob == -np.inf else "other"}


def _json_number(value: float) -> float | str:
    return "-inf" if value == -np.inf else value


def _item(model: LanguageModel, dataset: Dataset, row: int) -> dict[str, Any]:
    item = dataset.item(row)
    about: dict[str, Any] = {"item": item.id}
    if item.context:
        about["context"] = item.context
    if item.references:
        about["references"] = list(item.references)
    if item.choices:
        about |= {"choices": list(item.choices), "target": list(item.target)}
    if isinstance(model, ReadsItems) and model.attributes():
        # What the texts were written for, so that they can be scored again.
        about["item_columns"] = json.loads(str(model.prompt_of(dataset, row)))
    return about


def _human_records(
    dataset: Dataset,
    model: LanguageModel,
    settings: Sequence[Setting],
    template: Template,
    reading: Reading,
    only: Mapping[int, str] | None,
    requests: Requests | Sender | None,
) -> list[dict[str, Any]]:
    """The human-written outputs with their log-probability at every setting; judgments stay where they were.

    `only` is the one text that can be said for an item, where there is only one.
    """
    rows = np.flatnonzero(dataset.human).tolist()
    if not rows:
        raise DataError("the data has no human-written outputs to keep. Mark them with human, or leave --human out.")
    split: list[tuple[Prompt, str]] = [
        split_for(model, template, dataset, int(dataset.outputs.item[row]), row) for row in rows
    ]
    records = []
    scores = []
    for setting in settings:
        own = replace(reading, sampling=setting.sampling)
        wanted = [
            ToScore(prompt, following(space, dataset.outputs.text[row]), own)
            for row, (prompt, space) in zip(rows, split, strict=True)
        ]
        scores.append(score_texts(model, wanted, requests))
    for place, row in enumerate(rows):
        output = dataset.output(row)
        under = {one.system: scores[k][place] for k, one in enumerate(settings)}
        if only is not None:
            said = only[int(dataset.outputs.item[row])] == output.text
            under = {name: replace(score, logprob=0.0 if said else -np.inf) for name, score in under.items()}
        known = {name: score for name, score in under.items() if not isnan(score.logprob)}
        records.append(
            _item(model, dataset, int(dataset.outputs.item[row]))
            | {
                "id": output.id,
                "system": output.system,
                "set": output.set,
                "text": output.text,
                "human": True,
                "logprobs": {name: _json_number(score.logprob) for name, score in known.items()},
                "n_tokens": {name: score.n_tokens for name, score in known.items()},
            }
        )
    return records


def _signature(
    model: LanguageModel,
    settings: Sequence[Setting],
    n: int,
    max_tokens: int,
    template: Template,
    bos: Bos,
    end: End,
    seed: int,
) -> str:
    values: dict[str, Value] = {
        "model": model.name,
        "settings": tuple((one.sampling.temperature, one.sampling.top_k, one.sampling.top_p) for one in settings),
        "beam": settings[0].beams or None,
        "n": n,
        "max_tokens": max_tokens,
        "template": template.line,
        "chat": template.chat,
        "bos": bos,
        "end": end,
        "seed": seed,
    }
    return f"{print_call(Call('generate', (), values))}|assay:{__version__}"


def _part(
    draws: Sequence[Draw],
    drawn: Sequence[Drawn],
    again: Sequence[TextScore | None],
    settings: Sequence[Setting],
    signature: str,
    seed: int,
) -> Part:
    rows: list[tuple[Cell, ...]] = []
    for setting in settings:
        ours = [place for place, draw in enumerate(draws) if draw.setting == setting]
        tokens = [drawn[place].n_tokens for place in ours]
        values = np.array([drawn[place].logprob for place in ours])
        per_token = float(values.sum() / sum(tokens)) if sum(tokens) and not np.isnan(values).any() else nan
        rows.append(
            (
                setting.system,
                len(ours),
                len({(draws[place].item, _text(draws[place], drawn[place])) for place in ours}),
                float(np.mean([drawn[place].finish == "end" for place in ours])),
                float(np.mean(tokens)),
                sum(again[place] is not None for place in ours),
                per_token,
            )
        )
    header = ("system", "texts", "distinct", "ended by themselves", "mean tokens", "other tokens", "mean per token")
    return Part(
        title="Generated texts",
        summary=f"{counted(len(drawn), 'text')} at {counted(len(settings), 'setting')}. "
        "A log-probability is that of the tokens that were drawn, after temperature and truncation, "
        "with the end where it came.",
        tables=(Table("generated", "Texts by setting", header, tuple(rows)),),
        methods=(signature,),
        notes=tuple(_notes(drawn, again)),
        seed=seed,
        headline={"n": len(drawn), "n_read_again_differs": sum(one is not None for one in again)},
    )


def _notes(drawn: Sequence[Drawn], again: Sequence[TextScore | None]) -> list[str]:
    notes = [
        f"{counted(count, 'text')} without a log-probability: {reason}"
        for reason, count in Counter(one.reason for one in drawn if one.reason).items()
    ]
    differ = sum(one is not None for one in again)
    if differ:
        notes.append(
            f"other tokens in {counted(differ, 'text')} when read again: logprobs holds the value of the tokens drawn, "
            "logprob_read_again that of the text, and read_again says which differ"
        )
    empty = sum(not one.text.strip() for one in drawn)
    if empty:
        notes.append(f"{counted(empty, 'empty text')}: the model ended at once. A chat model may need --chat")
    return notes
