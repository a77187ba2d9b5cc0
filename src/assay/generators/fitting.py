"""`assay.fit_generator`: train a small generator of one's own on texts, and save it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import exp
from typing import Any, Literal

import numpy as np

from assay.backends.language.word_training import Recipe, perplexity, train
from assay.backends.language.words import UNKNOWN, WordEncoder, vocabulary
from assay.errors import GeneratorError
from assay.generators.ngram import NGramGenerator, NGramModel
from assay.io.fitted_models import new_model_folder
from assay.io.generator_folders import GeneratorFolder, read_generator, write_generator
from assay.records import Dataset

Kind = Literal["ngram", "lstm", "scheduled", "retrieval"]
KINDS: Mapping[str, str] = {
    "ngram": "word trigrams with Witten-Bell smoothing, by context",
    "lstm": "a word LSTM",
    "scheduled": "a word LSTM trained with scheduled sampling",
    "retrieval": "stored texts of the context nearest by BM25",
}
HELD_OUT = 0.1
SCHEDULED = 0.25
FEWEST = 20
MOST_WORDS = 20_000


def fit_generator(
    dataset: Dataset,
    folder: str,
    kind: Kind = "lstm",
    *,
    epochs: int | None = None,
    size: int | None = None,
    min_count: int = 2,
    order: int = 3,
    seed: int = 0,
) -> GeneratorFolder:
    """Train a generator on the human-written texts of a dataset, on all where none is marked, and save it to a folder.

    A tenth of the distinct texts is held out; the perplexity on it is in the folder's manifest, beside that of word
    trigrams with the same vocabulary. A training that was interrupted goes on where it stopped.

    Args:
        dataset: the texts.
        folder: a new folder.
        kind: `ngram`, `lstm`, `scheduled` or `retrieval`.
        epochs: passes over the texts.
        size: of embeddings and states.
        min_count: how often a word must occur to be known; others are read and drawn as `<unk>`.
        order: of n-grams.
        seed: of the held-out texts and the training.
    """
    if kind not in KINDS:
        raise GeneratorError(f"there is no generator {kind!r}. Known: {', '.join(KINDS)}.")
    path = new_model_folder(folder)
    chosen = np.flatnonzero(dataset.human) if dataset.human.any() else np.arange(len(dataset))
    rows = [row for row in chosen.tolist() if dataset.outputs.text[row].split()]
    train_rows, held_out = _split(dataset, rows, seed)
    texts = [dataset.outputs.text[row] for row in train_rows]
    training: dict[str, Any] = {
        "fingerprint": dataset.fingerprint,
        "texts": len(texts),
        "held_out": len(held_out),
        "seed": seed,
    }
    if kind == "ngram":
        by_context = _by_context(dataset, train_rows)
        longest = max(len(text.split()) for text in texts)
        training["held_out_words_unknown"] = _unknown(WordEncoder(vocabulary(texts, 1, MOST_WORDS)), held_out)
        write_generator(folder, kind, {"texts": by_context, "order": order, "max_words": longest}, {}, training)
        return read_generator(path)
    if kind == "retrieval":
        write_generator(folder, kind, {"texts": _by_context(dataset, train_rows)}, {}, training)
        return read_generator(path)
    encoder = WordEncoder(vocabulary(texts, min_count, MOST_WORDS))
    recipe = Recipe(scheduled=SCHEDULED if kind == "scheduled" else 0.0)
    recipe = replace(recipe, **{k: v for k, v in (("epochs", epochs), ("size", size)) if v is not None})
    network = train(encoder, texts, recipe, seed)
    training |= {
        "perplexity": perplexity(network, encoder, held_out),
        "perplexity_of_trigrams": _trigram_perplexity(encoder, texts, held_out),
        "held_out_words_unknown": _unknown(encoder, held_out),
        "words": len(encoder.words),
        "recipe": {name: getattr(recipe, name) for name in ("epochs", "size", "learning_rate", "dropout", "scheduled")},
    }
    arrays = {f"weights {name}": part.detach().numpy() for name, part in network.state_dict().items()}
    words = np.frombuffer("\n".join(encoder.words[3:]).encode("utf-8"), np.uint8)
    write_generator(folder, kind, {"size": recipe.size}, {"words": words, **arrays}, training)
    return read_generator(path)


def _split(dataset: Dataset, rows: Sequence[int], seed: int) -> tuple[list[int], list[str]]:
    """Rows to learn from, and held-out texts, none of which is among those learnt from."""
    texts = [dataset.outputs.text[row] for row in rows]
    distinct = list(dict.fromkeys(" ".join(text.split()) for text in texts))
    if len(distinct) < FEWEST:
        raise GeneratorError(f"{len(distinct)} distinct texts are too few to learn from; give at least {FEWEST}.")
    order = np.random.default_rng(seed).permutation(len(distinct))
    held_out = {distinct[place] for place in order[: max(1, round(HELD_OUT * len(distinct)))]}
    kept = [row for row, text in zip(rows, texts, strict=True) if " ".join(text.split()) not in held_out]
    return kept, sorted(held_out)


def _by_context(dataset: Dataset, rows: Sequence[int]) -> dict[str, list[str]]:
    texts: dict[str, list[str]] = {}
    for row in rows:
        context = dataset.items.context[int(dataset.outputs.item[row])]
        texts.setdefault(context, []).append(dataset.outputs.text[row])
    return texts


def _trigram_perplexity(encoder: WordEncoder, texts: Sequence[str], held_out: Sequence[str]) -> float:
    """Perplexity of word trigrams on the same words, unknown ones as `<unk>`."""
    read = [" ".join(encoder.spelled(encoder.tokens(text))) for text in texts]
    longest = max(len(text.split()) for text in (*texts, *held_out))
    model = NGramModel({"": read}, order=3, max_words=longest + 1, vocabulary=encoder.words[UNKNOWN:])
    generator = NGramGenerator(model)
    total, n = 0.0, 0
    for text in held_out:
        logprob, n_words = generator.logprob(" ".join(encoder.spelled(encoder.tokens(text))), "")
        total, n = total + logprob, n + n_words + 1
    return exp(-total / n)


def _unknown(encoder: WordEncoder, texts: Sequence[str]) -> float:
    tokens = [token for text in texts for token in encoder.tokens(text)]
    return sum(token == UNKNOWN for token in tokens) / max(1, len(tokens))
