"""Generators that keep their texts: n-grams, retrieval and copying."""

from __future__ import annotations

from assay.backends.language.words import WordEncoder, vocabulary
from assay.generators.kinds import FitTask, FittedGenerator
from assay.generators.word_fitting import MOST_WORDS, share_unknown


def fit_ngram(task: FitTask) -> FittedGenerator:
    """Count n-grams by context."""
    texts = task.texts(task.rows)
    settings = {
        "texts": task.by_context(),
        "order": task.options.get("order", 3),
        "max_words": max(len(text.split()) for text in texts),
    }
    encoder = WordEncoder(vocabulary(texts, 1, MOST_WORDS))
    unknown = share_unknown(encoder, task.texts(task.held_out))
    return FittedGenerator(settings, {}, {"held_out_words_unknown": unknown})


def fit_retrieval(task: FitTask) -> FittedGenerator:
    """Keep the texts of each context."""
    return FittedGenerator({"texts": task.by_context()}, {}, {})


def fit_copying(task: FitTask) -> FittedGenerator:
    """Keep the texts."""
    return FittedGenerator({"texts": {"": task.texts(task.rows)}}, {}, {})
