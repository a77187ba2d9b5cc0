"""METEOR 1.5 (Denkowski & Lavie 2014) for English, as its Java program computes it with `-norm`."""

from __future__ import annotations

from itertools import chain

import numpy as np
from numpy.typing import NDArray

from assay.batch import Batch
from assay.evaluator import Scored, Shape, additive, with_gaps
from assay.evaluators.overlap.limits import short_enough
from assay.io.meteor_tables import MeteorTables, open_meteor_tables
from assay.kernels.overlap.best import first_best
from assay.kernels.overlap.meteor_statistics import N_STATISTICS, UNALIGNED, meteor_scores, meteor_statistics
from assay.kernels.overlap.phrase_table import PhraseTable, phrase_table
from assay.kernels.ragged import Ragged, running_offsets
from assay.scores import Finish, Gaps
from assay.text.meteor_words import meteor_words
from assay.text.stems import snowball_numbers
from assay.text.strings import Strings
from assay.text.tokenizers import check_tokenizer
from assay.text.tokens import Tokens

DELTA = 0.75
"""What a content word counts; a function word counts the rest of 1."""
WEIGHTS = (1.0, 0.6, 0.8, 0.6)
"""What a match counts: exact, by stem, by synonym, by paraphrase."""
ENDLESS = "too many ways to align so long a text of so few words"
MOST_TOKENS = 5_000
"""Beyond this, the search for an alignment takes seconds."""


def meteor_15(place: str, tokenizer: str, alpha: float, beta: float, gamma: float) -> Shape:
    """Make the evaluator from the tables in a place; without a tokenizer, texts are normalized as METEOR does."""
    if tokenizer:
        check_tokenizer(tokenizer)
    tables = open_meteor_tables(place)

    def finish(sums: NDArray[np.float64]) -> NDArray[np.float64]:
        return meteor_scores(sums, alpha, beta, gamma, DELTA, WEIGHTS)

    def statistics(batch: Batch) -> Scored:
        tokens = batch.tokens(f"lower+{tokenizer}") if tokenizer else meteor_words(batch.texts, tables.prefixes)
        return short_enough(batch, tokens.lengths, MOST_TOKENS, lambda part: _statistics(part, tokens, tables, finish))

    settled = {"alpha": alpha, "beta": beta, "gamma": gamma, "tables": tables.name}
    return additive(statistics, finish, settled=settled, reads=("text", "references"))


def _statistics(batch: Batch, tokens: Tokens, tables: MeteorTables, finish: Finish) -> Scored:
    """Return the statistics of each unit with its best reference."""
    if not len(batch):
        return with_gaps(np.zeros((0, N_STATISTICS)))
    vocabulary = tokens.vocabulary.to_list()
    is_function = np.fromiter((word in tables.function_words for word in vocabulary), np.bool_, len(vocabulary))
    counts = meteor_statistics(
        tokens.ids,
        tokens.offsets,
        batch.candidates,
        batch.references.values,
        batch.references.offsets,
        is_function,
        snowball_numbers(tokens.vocabulary),
        *_synonyms(vocabulary, tables),
        _phrases(tokens, tables),
    )
    best = first_best(finish(counts.astype(np.float64)), batch.references.offsets)
    endless = np.minimum.reduceat(counts[:, 0], batch.references.offsets[:-1]) == UNALIGNED
    return Scored(counts[best].astype(np.float64), Gaps.where(len(batch), {ENDLESS: endless}))


def _synonyms(vocabulary: list[str], tables: MeteorTables) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the words of the vocabulary that share a synonym set with each word, concatenated, with offsets."""
    sets = [tables.synsets(word) for word in vocabulary]
    n_sets = np.fromiter(map(len, sets), np.int64, len(sets))
    different, numbers = np.unique(
        np.fromiter(chain.from_iterable(sets), np.int64, int(n_sets.sum())), return_inverse=True
    )
    members = Ragged.grouped(numbers, len(different)).mapped(np.repeat(np.arange(len(sets)), n_sets))
    near = members.take(numbers)  # the words of each set of each word
    word = np.repeat(np.arange(len(sets)), n_sets)[near.row_of]
    pairs = np.unique(word[word != near.values] * len(sets) + near.values[word != near.values])
    word, other = np.divmod(pairs, max(1, len(sets)))
    return other.astype(np.int32), running_offsets(np.bincount(word, minlength=len(sets)))


def _phrases(tokens: Tokens, tables: MeteorTables) -> PhraseTable:
    paraphrases = tables.paraphrases
    n_words = len(tokens.vocabulary)
    codes = Strings.concatenate([tokens.vocabulary, paraphrases.vocabulary]).codes()[n_words:]
    known = np.where(codes < n_words, codes, -1).astype(np.int32)
    return phrase_table(paraphrases.listed, known, tokens.ids, tokens.offsets, n_words)
