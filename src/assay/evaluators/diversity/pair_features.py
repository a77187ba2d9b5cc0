"""Features of pairs of responses: similarity of embeddings and words, with and without the context."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from assay.batch import Batch
from assay.evaluators.diversity.content_diversity import LEAST
from assay.kernels.points.dispersion import unit, without_direction
from assay.text.strings import Strings
from assay.text.tokenizers import tokenize

Floats = NDArray[np.float64]
TOKENIZER = "lower+13a"


def pair_features(batch: Batch, vectors: Floats, contexts: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """Return nine features for each pair of responses, and the set of each pair.

    Cosine of the embeddings with and without the context's direction, smaller and larger cosine with the
    context; shared words among all, the same without the context's words, the context's words among all;
    ratio and mean of the lengths.
    """
    rows, which = [np.zeros((0, 9))], [np.zeros(0, np.int64)]
    words, context_words = _words(batch)
    for s in range(len(batch)):
        a, b = int(batch.members.offsets[s]), int(batch.members.offsets[s + 1])
        i, j = np.triu_indices(b - a, 1)
        normed = unit(vectors[a:b])
        rest = without_direction(normed, contexts[s], LEAST)
        with_context = normed @ unit(contexts[s : s + 1])[0]
        first, second = with_context[i], with_context[j]
        lexical = [_overlap(words[a + x], words[a + y], context_words[s]) for x, y in zip(i, j, strict=True)]
        cosines = [
            (normed @ normed.T)[i, j],
            (rest @ rest.T)[i, j],
            np.minimum(first, second),
            np.maximum(first, second),
        ]
        rows.append(np.column_stack([*cosines, np.array(lexical).reshape(-1, 5)]))
        which.append(np.full(len(i), s))
    return np.concatenate(rows), np.concatenate(which)


def _words(batch: Batch) -> tuple[list[list[int]], list[set[int]]]:
    """The word ids of every member and of every set's context."""
    items = batch.units.item[batch.rows]
    members = batch.texts.take(batch.members.values)
    tokens = tokenize(Strings.concatenate([members, batch.dataset.items.context.take(items)]), TOKENIZER)
    texts = [row.tolist() for row in np.split(tokens.ids, tokens.offsets[1:-1])]
    return texts[: len(members)], [set(text) for text in texts[len(members) :]]


def _overlap(left: list[int], right: list[int], context: set[int]) -> tuple[float, ...]:
    a, b = set(left), set(right)
    new_a, new_b = a - context, b - context
    shorter, longer = sorted((len(left), len(right)))
    return (
        len(a & b) / max(1, len(a | b)),
        len(new_a & new_b) / max(1, len(new_a | new_b)),
        len((a | b) & context) / max(1, len(a | b)),
        shorter / max(1, longer),
        (shorter + longer) / 2,
    )
