"""Word networks, fitted: the plain ones, those with a condition, and speakers about colors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from math import exp
from typing import Any, Literal

from assay.backends.language.attention import AttentionNetwork
from assay.backends.language.conditioned import ConditionedNetwork
from assay.backends.language.conditions import Attributes, Colors, ConditionedEncoder, Conditions, ContextWords
from assay.backends.language.gated import GatedNetwork
from assay.backends.language.recurrent import LSTMNetwork, WordNetwork, arrays_to_save
from assay.backends.language.word_training import Recipe, Row, perplexity, train
from assay.backends.language.words import SPECIAL, UNKNOWN, Splitting, WordEncoder, vocabulary
from assay.generators.kinds import FitTask, FittedGenerator
from assay.generators.ngram import NGramGenerator, NGramModel

MOST_WORDS = 20_000
SCHEDULED = 0.25
SPEAKER = Recipe(epochs=6, size=100, learning_rate=2e-3, dropout=0.3)
CONDITIONED = Recipe(learning_rate=2e-3)

Use = Literal["plain", "attention", "gated"]
NETWORKS: dict[Use, type[ConditionedNetwork]] = {
    "plain": ConditionedNetwork,
    "attention": AttentionNetwork,
    "gated": GatedNetwork,
}


def fit_lstm(task: FitTask) -> FittedGenerator:
    """A word LSTM."""
    return _plain(task, Recipe())


def fit_scheduled(task: FitTask) -> FittedGenerator:
    """A word LSTM trained with scheduled sampling."""
    return _plain(task, Recipe(scheduled=SCHEDULED))


def fit_attributes(task: FitTask) -> FittedGenerator:
    """Attributes to sequences with attention."""
    return _on_columns_or_contexts(task, "attention")


def fit_contexts(task: FitTask) -> FittedGenerator:
    """Contexts to sequences."""
    return _on_columns_or_contexts(task, "plain")


def fit_gated(task: FitTask) -> FittedGenerator:
    """Gated contexts to sequences."""
    return _on_columns_or_contexts(task, "gated")


def fit_speaker(task: FitTask) -> FittedGenerator:
    """A speaker about colors."""
    return _conditioned(task, Colors(), "plain", SPEAKER, "description")


def fit_speaker_attention(task: FitTask) -> FittedGenerator:
    """A speaker with attention to the colors."""
    return _conditioned(task, Colors(), "attention", SPEAKER, "description")


def fit_speaker_gated(task: FitTask) -> FittedGenerator:
    """A speaker with a gate from the colors to every word."""
    return _conditioned(task, Colors(), "gated", SPEAKER, "description")


def word_encoder(task: FitTask, splitting: Splitting = "spaces") -> WordEncoder:
    """The words of the texts to learn from."""
    words = vocabulary(task.texts(task.rows), task.options.get("min_count", 2), MOST_WORDS, splitting)
    return WordEncoder(words, splitting)


def chosen(recipe: Recipe, task: FitTask) -> Recipe:
    """A recipe with what the user asked for."""
    return replace(recipe, **{name: task.options[name] for name in ("epochs", "size") if name in task.options})


def word_rows(encoder: WordEncoder, task: FitTask, rows: Sequence[int]) -> list[Row]:
    """Texts without conditions as rows."""
    return [encoder.row("", text) for text in task.texts(rows)]


def fitted_words(
    task: FitTask,
    encoder: WordEncoder,
    network: WordNetwork,
    held_out: Sequence[Row],
    settings: dict[str, Any],
    recipe: dict[str, Any],
) -> FittedGenerator:
    """A trained network, with its perplexity beside that of trigrams."""
    texts = task.texts(task.held_out)
    training = {
        "perplexity": perplexity(network, held_out),
        "perplexity_of_trigrams": _trigram_perplexity(encoder, task.texts(task.rows), texts),
        "held_out_words_unknown": share_unknown(encoder, texts),
        "words": len(encoder.words),
        "recipe": recipe,
    }
    return FittedGenerator(settings, arrays_to_save(encoder, network), training)


def share_unknown(encoder: WordEncoder, texts: Sequence[str]) -> float:
    """The share of words that are not known."""
    tokens = [token for text in texts for token in encoder.tokens(text)]
    return sum(token == UNKNOWN for token in tokens) / max(1, len(tokens))


def _plain(task: FitTask, recipe: Recipe) -> FittedGenerator:
    encoder, recipe = word_encoder(task), chosen(recipe, task)
    network = train(
        lambda: LSTMNetwork(len(encoder.words), recipe.size, recipe.dropout),
        word_rows(encoder, task, task.rows),
        recipe,
        task.seed,
        repr(encoder.words),
    )
    held_out = word_rows(encoder, task, task.held_out)
    return fitted_words(task, encoder, network, held_out, {"size": recipe.size}, asdict(recipe))


def _on_columns_or_contexts(task: FitTask, use: Use) -> FittedGenerator:
    columns = task.options.get("attributes", ())
    if columns:
        return _conditioned(task, Attributes.learnt(task.dataset, task.rows, columns), use, CONDITIONED)
    return _conditioned(task, ContextWords.learnt(task.dataset, task.rows), use, CONDITIONED)


def _conditioned(
    task: FitTask, conditions: Conditions, use: Use, recipe: Recipe, splitting: Splitting = "spaces"
) -> FittedGenerator:
    encoder = ConditionedEncoder(word_encoder(task, splitting).words[len(SPECIAL) :], conditions, splitting)
    recipe = chosen(recipe, task)

    def rows_of(rows: Sequence[int]) -> list[Row]:
        outputs = task.dataset.outputs
        return [
            encoder.row(conditions.prompt_of(task.dataset, int(outputs.item[row]), row), outputs.text[row])
            for row in rows
        ]

    rows = rows_of(task.rows)
    # The numbers of conditions in rows mean nothing without the conditions.
    key = repr((use, conditions.name, encoder.words, [part.tobytes() for part in encoder.met]))
    network = train(lambda: NETWORKS[use](encoder, recipe.size, recipe.dropout), rows, recipe, task.seed, key)
    settings = {
        "size": recipe.size,
        "network": use,
        "reads": conditions.name,
        "splitting": splitting,
        **conditions.settings(),
    }
    return fitted_words(task, encoder, network, rows_of(task.held_out), settings, asdict(recipe))


def _trigram_perplexity(encoder: WordEncoder, texts: Sequence[str], held_out: Sequence[str]) -> float:
    """Perplexity of word trigrams on the same words, unknown ones as `<unk>`."""
    read = [encoder.decode(encoder.tokens(text)) for text in texts]
    asked = [encoder.decode(encoder.tokens(text)) for text in held_out]
    longest = max(len(text.split()) for text in (*read, *asked))
    model = NGramModel({"": read}, order=3, max_words=longest + 1, vocabulary=encoder.words[UNKNOWN:])
    generator = NGramGenerator(model)
    total, n = 0.0, 0
    for text in asked:
        logprob, n_words = generator.logprob(text, "")
        total, n = total + logprob, n + n_words + 1
    return exp(-total / n)
