"""Games for data that has none: each item's context, hidden among the contexts of other items."""

from __future__ import annotations

from dataclasses import replace
from hashlib import blake2b
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assay.errors import DataError
from assay.kernels.games.distractors import draw_others, mixed
from assay.kernels.overlap.ngrams import count_ngrams
from assay.kernels.pairs.nearest_texts import most_similar, tfidf_weights
from assay.kernels.ragged import Ragged, running_offsets
from assay.records import Dataset
from assay.text.lists import StringLists
from assay.text.strings import Strings
from assay.text.tokenizers import tokenize

Rule = Literal["sampled", "nearest", "mixed"]
TOKENIZER = "lower+13a"
"""Of the words by which contexts are near each other."""

N_CHOICES = 5


def with_choices(
    dataset: Dataset, distractors: Rule = "sampled", *, n_choices: int = N_CHOICES, seed: int = 0
) -> Dataset:
    """Make a game of every item: its context is the target, and contexts of other items are the distractors.

    Equal contexts are one choice. An item without a context gets no choices. The distractors of a context depend on its
    text, the seed and the other contexts, not on their order in the data.

    Args:
        dataset: any data with contexts; choices it has are replaced.
        distractors: `sampled` at random; `nearest`, the most similar by tf-idf weighted words; `mixed`, half of them
            the nearest (one more if odd), the rest sampled.
        n_choices: the target included.
        seed: of the sampled ones, and of the order in which choices are shown.
    """
    if n_choices < 2:
        raise DataError(f"a game needs at least 2 choices, not {n_choices}.")
    codes, distinct = dataset.items.context.factorize()
    texts, place = _by_hash(distinct)
    if len(texts) < n_choices:
        raise DataError(
            f"games of {n_choices} choices need contexts of as many items, and the data has {len(texts)} different. "
            'Add "context" (the source of a text), give "choices" and "target" yourself, or ask for fewer choices.'
        )
    keys = _keys(texts, seed)
    others = _others(texts, keys, distractors, n_choices - 1)
    shown = np.column_stack([np.arange(len(texts)), others])
    # The order is random too: who shows games to people must not put the target first.
    order = np.argsort(mixed(np.repeat(keys[:, None], n_choices, axis=1), keys[shown]), axis=1, kind="stable")
    shown = np.take_along_axis(shown, order, axis=1)
    return _in_games(dataset, texts, shown, place[codes])


def _by_hash(distinct: Strings) -> tuple[Strings, NDArray[np.int64]]:
    """The texts that are not empty in an order of their own, and the place of each text in it, -1 for an empty one."""
    filled = [row for row in range(len(distinct)) if distinct.lengths[row]]
    ordered = np.array(sorted(filled, key=lambda row: _hash(distinct[row])), np.int64)
    place = np.full(len(distinct), -1, np.int64)
    place[ordered] = np.arange(len(ordered))
    return distinct.take(ordered), place


def _hash(text: str) -> bytes:
    return blake2b(text.encode(), digest_size=16).digest()


def _keys(texts: Strings, seed: int) -> NDArray[np.uint64]:
    """The seed of each text's random stream."""
    own = np.array([int.from_bytes(_hash(text)[:8], "little") for text in texts], np.uint64)
    return mixed(own, np.full(len(texts), seed, np.uint64))


def _others(texts: Strings, keys: NDArray[np.uint64], distractors: Rule, k: int) -> NDArray[np.int64]:
    """The k distractors of each text."""
    n_near = {"sampled": 0, "nearest": k, "mixed": (k + 1) // 2}[distractors]
    near = _nearest(texts, n_near) if n_near else np.zeros((len(texts), 0), np.int64)
    return np.column_stack([near, draw_others(keys, near, k - n_near)])


def _nearest(texts: Strings, k: int) -> NDArray[np.int64]:
    tokens = tokenize(texts, TOKENIZER)
    counted = count_ngrams(tokens.ids, tokens.offsets)
    n_types, every = len(tokens.vocabulary), np.arange(len(texts))
    weights = tfidf_weights(counted, np.ones(len(texts), bool), n_types)
    return most_similar(counted[0], weights, counted[2], n_types, every, every.astype(np.int32), k, len(texts))


def _in_games(dataset: Dataset, texts: Strings, shown: NDArray[np.int64], place: NDArray[np.int64]) -> Dataset:
    """Give every item the choices of its context; `place` is -1 for an item without one."""
    n = shown.shape[1]
    rows = shown[place]
    has_game = place >= 0
    offsets = running_offsets(np.where(has_game, n, 0))
    choices = StringLists(texts.take(rows[has_game].ravel()), offsets)
    target = Ragged((rows == place[:, None])[has_game].ravel().astype(np.float64), offsets)
    return replace(dataset, items=replace(dataset.items, choices=choices, target=target))
