"""A listener that reads texts: can a reader tell which of several texts an utterance is about?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any, Literal

import numpy as np

from assay.batch import Batch
from assay.distractors import N_CHOICES, Rule, with_choices
from assay.errors import EvaluatorError
from assay.evaluator import Scored, Shape, batched, evaluator
from assay.evaluators.listeners.readers import by_bm25, by_embeddings, by_ngrams, distinct_choices
from assay.io.model_folders import named_by_content
from assay.kernels.ragged import Ragged
from assay.kernels.statistics.beliefs import softmax
from assay.listening import CAUTION, Heard, ListenerScore, choices_of, direction, scored
from assay.records import Dataset
from assay.text.tokenizers import check_tokenizer

LEXICAL = ("bm25", "ngrams")
Reader = Annotated[str, lambda reader: reader if reader in LEXICAL else named_by_content(reader)]
Distractors = Literal["given", "sampled", "nearest", "mixed"]

TOKENIZER = "lower+13a"
# What the parameters of each reader are where they are left open. MiniLM was trained with cosines divided by .05.
DEFAULTS: dict[str, dict[str, Any]] = {
    "bm25": {"tokenizer": TOKENIZER, "k1": 1.2, "b": 0.75, "temperature": 1.0},
    "ngrams": {"tokenizer": TOKENIZER, "order": 1, "mu": 20.0, "temperature": 1.0},
    "embeddings": {"temperature": 0.05},
}


@evaluator(
    scale="0 to 1 (probability, hit); 0 upwards (surprisal, kl)",
    cite="Newman, Cohn-Gordon and Potts 2020",
    cautions={"output": CAUTION, "system": CAUTION},
)
def text_listener(
    *,
    reader: Reader = "bm25",
    score: ListenerScore = "probability",
    distractors: Distractors | None = None,
    n_choices: int | None = None,
    seed: int | None = None,
    temperature: float | None = None,
    tokenizer: str | None = None,
    k1: float | None = None,
    b: float | None = None,
    order: int | None = None,
    mu: float | None = None,
) -> Shape:
    """Whether a reader picks the text that an output is about, its target, among the item's choices.

    A `reader` is 'bm25', the words that output and choice share (Robertson et al. 1994; `k1`, `b`); 'ngrams', the
    likelihood of the output under an n-gram model of the choice (`order`, `mu`); or an embedding model by short name or
    folder, the cosine. Beliefs are a softmax of these scores over `temperature`.

    The choices are those in the data (`distractors='given'`). Where it has none, an item's context is hidden among
    `n_choices` - 1 contexts of other items: 'sampled' with a `seed`, the 'nearest' by tf-idf, or both, 'mixed'.
    """
    kind = reader if reader in LEXICAL else "embeddings"
    given = {"tokenizer": tokenizer, "k1": k1, "b": b, "order": order, "mu": mu, "temperature": temperature}
    settings = _settled(kind, given)
    rule = _rule(distractors, n_choices, seed)

    def listen(batch: Batch) -> Heard:
        choices, shown = distinct_choices(batch.dataset.items.choices.texts, choices_of(batch))
        utterances = batch.texts.take(batch.candidates)
        own = {name: value for name, value in settings.items() if name != "temperature"}
        read: Callable[..., Any] = {"bm25": by_bm25, "ngrams": by_ngrams}.get(kind, by_embeddings)
        if kind == "embeddings":
            own["model"] = reader
        values = read(utterances, choices, shown, **own)
        return Heard.of(softmax(Ragged(values, shown.offsets), settings["temperature"]))

    def scored_batch(batch: Batch) -> Scored:
        game = replace(batch, units=replace(batch.units, dataset=_game(batch.dataset, rule)))
        return scored(listen(game), game, score)

    return batched(scored_batch, whole=True, settled={**settings, **rule}, direction=direction(score))


def _named(kind: str) -> str:
    """What users call a kind of reader."""
    return f"the reader {kind!r}" if kind in LEXICAL else "a reader by embeddings"


def _settled(kind: str, given: dict[str, Any]) -> dict[str, Any]:
    """The parameters of a reader; one that it does not have is refused."""
    defaults = DEFAULTS[kind]
    for name, value in given.items():
        if value is not None and name not in defaults:
            raise EvaluatorError(f"text_listener: {_named(kind)} has no {name}: leave it out.")
    settings = {name: default if given[name] is None else given[name] for name, default in defaults.items()}
    if "tokenizer" in settings:
        check_tokenizer(settings["tokenizer"])
    limits = {"temperature": (0, False), "k1": (0, True), "b": (0, True), "mu": (0, False), "order": (1, True)}
    for name, (least, reached) in limits.items():
        value = settings.get(name, 1)
        if not (np.isfinite(value) and (value >= least if reached else value > least)) or (name == "b" and value > 1):
            most = " and at most 1" if name == "b" else ""
            raise EvaluatorError(
                f"the parameter {name!r} of text_listener must be {'at least' if reached else 'above'} {least}{most}, "
                f"not {value}."
            )
    return settings


def _rule(distractors: Distractors | None, n_choices: int | None, seed: int | None) -> dict[str, Any]:
    """Where choices come from; empty if that depends on the data."""
    if distractors == "given":
        if n_choices is not None or seed is not None:
            raise EvaluatorError(
                "text_listener(distractors='given') takes the choices in the data: leave the rest out."
            )
        return {"distractors": "given"}
    if distractors is None and n_choices is None and seed is None:
        return {}
    if distractors == "nearest" and seed is not None:
        raise EvaluatorError("text_listener(distractors='nearest') draws nothing at random: leave the seed out.")
    if n_choices is not None and n_choices < 2:
        raise EvaluatorError(f"text_listener needs at least 2 choices, not {n_choices}.")
    rule = {"distractors": distractors or "sampled", "n_choices": n_choices or N_CHOICES}
    return rule if distractors == "nearest" else {**rule, "seed": seed or 0}


def _game(dataset: Dataset, rule: dict[str, Any]) -> Dataset:
    """The data with the choices that a rule gives it."""
    has_choices = len(dataset.items.choices.texts) > 0
    if rule.get("distractors") == "given" and not has_choices:
        raise EvaluatorError(
            'text_listener needs choices, and the data has none. Add "choices" and "target" to its lines, or leave '
            "distractors='given' out."
        )
    if rule.get("distractors", "given") == "given" and has_choices:
        return dataset
    kind: Rule = rule.get("distractors", "sampled")
    return with_choices(dataset, kind, **{name: rule[name] for name in ("n_choices", "seed") if name in rule})
