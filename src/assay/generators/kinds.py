"""The kinds of generators that can be trained, and what each of them needs of the data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import entry_points
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from assay.backends.language.conditions import column_of
from assay.errors import AssayError, GeneratorError, did_you_mean
from assay.records import Dataset
from assay.text.colors import rgb_of_text

GROUP = "assay.generators"
"""Entry points of generators of other packages: the name of a kind, and its `GeneratorKind`."""

# What a kind needs beside texts. `conditions` are contexts, or attribute columns that the user names; `contexts` are at
# least two different ones; `model` is a pretrained language model.
Need = Literal["attributes", "conditions", "contexts", "colors", "model"]


@dataclass(frozen=True)
class GeneratorKind:
    """A kind of generator.

    Attributes:
        about: what it is, in a few words.
        fit: `package.module:name` of a function that takes a `FitTask` and returns a `FittedGenerator`.
        open: `package.module:name` of a function that takes a `GeneratorFolder` and returns a `LanguageModel`.
        needs: what it needs of the data beside texts; None if texts are enough.
        options: the options of `fit_generator` that it knows.
        likelihood: whether the likelihood of human texts is what it is trained for.
        cite: where it is from.
    """

    about: str
    fit: str
    open: str
    needs: Need | None = None
    options: tuple[str, ...] = ()
    likelihood: bool = True
    cite: str = ""


@dataclass(frozen=True, eq=False)
class FitTask:
    """What a kind learns from.

    Attributes:
        dataset: the data.
        rows: the outputs to learn from.
        held_out: outputs to measure the perplexity on; none of their texts is among those learnt from, unless the kind
            talks about choices: then none of their items is.
        options: the options that were given, by name.
        seed: random seed.
    """

    dataset: Dataset
    rows: Sequence[int]
    held_out: Sequence[int]
    options: Mapping[str, Any]
    seed: int

    def texts(self, rows: Sequence[int]) -> list[str]:
        """The texts of outputs."""
        return [self.dataset.outputs.text[row] for row in rows]

    def by_context(self) -> dict[str, list[str]]:
        """The texts to learn from, by context."""
        texts: dict[str, list[str]] = {}
        for row in self.rows:
            context = self.dataset.items.context[int(self.dataset.outputs.item[row])]
            texts.setdefault(context, []).append(self.dataset.outputs.text[row])
        return texts


@dataclass(frozen=True, eq=False)
class FittedGenerator:
    """A trained generator as its folder keeps it: settings in JSON, arrays, and what the manifest says of it."""

    settings: Mapping[str, Any]
    arrays: Mapping[str, NDArray[Any]]
    training: Mapping[str, Any]


_WORDS = ("epochs", "size", "min_count")
_ADVERSARIAL = (*_WORDS, "rounds")
_LSTM = "assay.backends.language.recurrent:open_lstm"
_CONDITIONED = "assay.backends.language.conditioned:open_conditioned"
_RETRIEVAL = "assay.generators.retrieval_language:open_retrieval"

OWN: Mapping[str, GeneratorKind] = {
    "lstm": GeneratorKind("a word LSTM", "assay.generators.word_fitting:fit_lstm", _LSTM, None, _WORDS),
    "scheduled": GeneratorKind(
        "a word LSTM trained with scheduled sampling",
        "assay.generators.word_fitting:fit_scheduled",
        _LSTM,
        None,
        _WORDS,
        cite="Bengio et al. 2015",
    ),
    "attributes": GeneratorKind(
        "a word LSTM with attention to attributes",
        "assay.generators.word_fitting:fit_attributes",
        _CONDITIONED,
        "attributes",
        (*_WORDS, "attributes"),
        cite="Dong et al. 2017",
    ),
    "contexts": GeneratorKind(
        "a word LSTM that begins with the context, or with attributes",
        "assay.generators.word_fitting:fit_contexts",
        _CONDITIONED,
        "conditions",
        (*_WORDS, "attributes"),
        cite="Tang et al. 2016",
    ),
    "gated": GeneratorKind(
        "the same, with a gate from the context to every word",
        "assay.generators.word_fitting:fit_gated",
        _CONDITIONED,
        "conditions",
        (*_WORDS, "attributes"),
        cite="Tang et al. 2016",
    ),
    "speaker": GeneratorKind(
        "a word LSTM that tells a color from others",
        "assay.generators.word_fitting:fit_speaker",
        _CONDITIONED,
        "colors",
        _WORDS,
        cite="Monroe et al. 2017",
    ),
    "speaker_attention": GeneratorKind(
        "the same, with attention to the colors",
        "assay.generators.word_fitting:fit_speaker_attention",
        _CONDITIONED,
        "colors",
        _WORDS,
    ),
    "speaker_gated": GeneratorKind(
        "the same, with a gate from the colors to every word",
        "assay.generators.word_fitting:fit_speaker_gated",
        _CONDITIONED,
        "colors",
        _WORDS,
    ),
    "mle_seqgan": GeneratorKind(
        "the generator of SeqGAN before its rounds, trained for likelihood",
        "assay.generators.adversarial_fitting:fit_mle_seqgan",
        _LSTM,
        None,
        _WORDS,
        cite="Yu et al. 2017",
    ),
    "seqgan": GeneratorKind(
        "SeqGAN: a discriminator pays for texts",
        "assay.generators.adversarial_fitting:fit_seqgan",
        _LSTM,
        None,
        _ADVERSARIAL,
        likelihood=False,
        cite="Yu et al. 2017",
    ),
    "rankgan": GeneratorKind(
        "RankGAN: a ranker pays for texts",
        "assay.generators.adversarial_fitting:fit_rankgan",
        _LSTM,
        None,
        _ADVERSARIAL,
        likelihood=False,
        cite="Lin et al. 2017",
    ),
    "leakgan": GeneratorKind(
        "LeakGAN: the discriminator leaks its features to a manager that leads the generator",
        "assay.generators.adversarial_fitting:fit_leakgan",
        "assay.backends.language.adversarial.leaking:open_leakgan",
        None,
        _ADVERSARIAL,
        likelihood=False,
        cite="Guo et al. 2018",
    ),
    "fine_tuned": GeneratorKind(
        "a pretrained language model whose last layers are tuned",
        "assay.generators.fine_tuning:fit_fine_tuned",
        "assay.generators.fine_tuning:open_fine_tuned",
        "model",
        ("model", "steps"),
    ),
    "ngram": GeneratorKind(
        "word trigrams with Witten-Bell smoothing, by context",
        "assay.generators.stored_fitting:fit_ngram",
        "assay.generators.ngram_language:open_ngram",
        None,
        ("order",),
        cite="Witten and Bell 1991",
    ),
    "retrieval": GeneratorKind(
        "stored texts of the context nearest by BM25",
        "assay.generators.stored_fitting:fit_retrieval",
        _RETRIEVAL,
        "contexts",
        likelihood=False,
    ),
    "copying": GeneratorKind(
        "stored texts, whatever the context",
        "assay.generators.stored_fitting:fit_copying",
        _RETRIEVAL,
        likelihood=False,
    ),
}


@lru_cache
def all_kinds() -> Mapping[str, GeneratorKind]:
    """All kinds by name, those of other packages included; one of these cannot take the name of one of assay's."""
    outside = {}
    for entry in entry_points(group=GROUP):
        kind = entry.load()
        if not isinstance(kind, GeneratorKind):
            raise AssayError(f"the entry point {entry.value!r} of {GROUP} is not a GeneratorKind.")
        outside[entry.name] = kind
    return {**outside, **OWN}


def kind_named(name: str) -> GeneratorKind:
    """A kind by its name."""
    kinds = all_kinds()
    if name not in kinds:
        raise GeneratorError(f"there is no generator {name!r}.{did_you_mean(name, kinds)}")
    return kinds[name]


def why_not(name: str, dataset: Dataset, attributes: Sequence[str] = (), model: str | None = None) -> str:
    """Why a kind cannot be trained on this data; empty if it can."""
    kind = kind_named(name)
    if kind.needs == "model" and model is None:
        return "it begins with a pretrained language model, and none is named (--model)"
    if kind.needs == "colors":
        return _no_colors(dataset)
    if kind.needs == "contexts" and len(set(dataset.items.context)) < 2:
        return "it goes by contexts, and the data has no two different ones: its texts would be those of copying"
    for column in attributes if "attributes" in kind.options else ():
        column_of(dataset, column)
    if kind.needs == "attributes" and not attributes:
        return "it is conditioned on attributes, and no attribute columns are named (--attributes)"
    if kind.needs == "conditions" and not attributes and not any(context.split() for context in dataset.items.context):
        return "it is conditioned on contexts, and the data has none and no attribute columns are named (--attributes)"
    return ""


def color_items(dataset: Dataset) -> NDArray[np.bool_]:
    """Which items have colors to choose from and one target."""
    items = dataset.items
    is_color: dict[str, bool] = {}
    usable = np.zeros(len(items), bool)
    for row in np.flatnonzero((items.choices.lengths > 1) & (items.target.lengths > 0)).tolist():
        for choice in items.choices[row]:
            if choice not in is_color:
                is_color[choice] = _is_color(choice)
        usable[row] = all(is_color[choice] for choice in items.choices[row]) and items.target[row].max() == 1
    return usable


def _no_colors(dataset: Dataset) -> str:
    if not (dataset.items.choices.lengths > 0).any():
        return "it talks about colors, and the items have no choices"
    if not color_items(dataset).any():
        return "it talks about colors, and no item has choices that are colors and one target"
    return ""


def _is_color(text: str) -> bool:
    try:
        rgb_of_text(text)
    except ValueError:
        return False
    return True
