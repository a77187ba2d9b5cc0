"""Log-likelihood of a text under the n-gram model of a document, smoothed down to the whole collection.

Each order backs off to the one below by Dirichlet smoothing (MacKay and Peto 1995; of single words, the query
likelihood of Zhai and Lafferty 2001):

    p_n(w | h, d) = (c(h w, d) + mu p_{n-1}(w | h', d)) / (c(h, d) + mu)

with h' the history h without its first token, and p_0 the words of the collection, one added to each count and to that
of an unknown word.
"""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import jit
from assay.kernels.overlap.ngrams import count_ngrams, ngram_ids
from assay.kernels.ragged import Ragged

Ints = NDArray[np.int64]
# N-grams, how often each occurs, and the offsets of texts: see `count_ngrams`.
Counted = tuple[NDArray[np.int32], NDArray[np.int32], Ints]
# The most token positions held at once, over all documents that a text is compared with.
AT_ONCE = 2_000_000


def log_likelihoods(
    tokens: Ragged, n_types: int, n_queries: int, shown: Ragged, order: int, mu: float
) -> NDArray[np.float64]:
    """Return log p(query | document) of each pair.

    The first `n_queries` rows of `tokens` are queries, the others documents; `shown` has the positions among the
    documents of those of each query.
    """
    grams, _ = ngram_ids(tokens.values, tokens.offsets, order)
    documents = tokens.values[tokens.offsets[n_queries] :]
    known = np.bincount(documents, minlength=n_types)
    # Words of queries alone are one unknown word.
    base = (known + 1) / (len(documents) + np.count_nonzero(known) + 1)
    orders = [_counted(grams, tokens.offsets, n) for n in range(1, order + 1)]
    result = np.empty(len(shown.values))
    sizes = np.repeat(tokens.lengths[:n_queries], shown.lengths)
    for pairs in _blocks(sizes):
        queries, texts = shown.row_of[pairs], shown.values[pairs] + n_queries
        words = tokens.take(queries)
        p = base[words.values]
        for n, (history, longer, shorter) in enumerate(orders, start=1):
            _refine(p, words.offsets, queries, texts, grams[n - 1], history, tokens.offsets, n, longer, shorter, mu)
        result[pairs] = np.bincount(words.row_of, np.log(p), len(queries))
    return result


def _counted(grams: NDArray[np.int32], offsets: Ints, n: int) -> tuple[NDArray[np.int32], Counted, Counted]:
    """The history at each position, and how often each text has each n-gram, and each history with a token after it."""
    history = grams[n - 2] if n > 1 else np.zeros_like(grams[0])
    followed = np.where(grams[n - 1] >= 0, history, -1).astype(np.int32)
    return history, count_ngrams(grams[n - 1], offsets), count_ngrams(followed, offsets)


def _blocks(sizes: Ints) -> list[slice]:
    """Cut pairs into slices of about AT_ONCE positions."""
    ends = np.cumsum(sizes)
    cuts = np.unique(np.searchsorted(ends, np.arange(AT_ONCE, int(ends[-1]) if len(ends) else 0, AT_ONCE), "right"))
    edges = [0, *(int(cut) for cut in cuts if 0 < cut < len(sizes)), len(sizes)]
    return [slice(start, end) for start, end in pairwise(edges) if end > start]


@jit
def _refine(
    p: NDArray[np.float64],
    ends: Ints,
    queries: Ints,
    texts: Ints,
    grams: NDArray[np.int32],
    histories: NDArray[np.int32],
    offsets: Ints,
    order: int,
    longer: Counted,
    shorter: Counted,
    mu: float,
) -> None:
    """Move probabilities of order n - 1 to order n, in place; a token with a shorter history keeps its probability."""
    for pair in range(len(queries)):
        start, end = offsets[queries[pair]], offsets[queries[pair] + 1]
        for at in range(start + order - 1, end):
            first = at - order + 1
            seen = _count(longer, texts[pair], grams[first])
            before = _count(shorter, texts[pair], histories[first])
            place = ends[pair] + at - start
            p[place] = (seen + mu * p[place]) / (before + mu)


@jit
def _count(counted: Counted, text: int, number: int) -> int:
    """How often a text has an n-gram, by binary search."""
    numbers, counts, offsets = counted
    low, high = offsets[text], offsets[text + 1]
    while low < high:
        middle = (low + high) // 2
        if numbers[middle] < number:
            low = middle + 1
        else:
            high = middle
    if low < offsets[text + 1] and numbers[low] == number:
        return counts[low]
    return 0
