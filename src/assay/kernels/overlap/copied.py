"""How much of some texts is found in other texts: n-grams, and the longest span."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.kernels.overlap.ngrams import extend_ngrams

LONGEST = 64
"""The longest span that is looked for, in tokens."""


class Copied(NamedTuple):
    """For each text: its n-grams and those found elsewhere, by order from 1, and the longest span found."""

    n_grams: NDArray[np.int64]
    n_found: NDArray[np.int64]
    longest: NDArray[np.int64]


def copied(ids: NDArray[np.int32], offsets: NDArray[np.int64], n_texts: int, max_order: int) -> Copied:
    """Look for the first `n_texts` texts in those that follow; n-grams are counted up to `max_order`."""
    text_of = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    ours = text_of < n_texts
    n_grams, n_found = np.zeros((max_order, n_texts), np.int64), np.zeros((max_order, n_texts), np.int64)
    longest = np.zeros(n_texts, np.int64)
    grams, size = ids, int(ids.max(initial=-1)) + 1
    for order in range(1, LONGEST + 1):
        if order > 1:
            longer = np.empty(len(ids), np.int32)
            size = extend_ngrams(grams, size, ids, offsets, order - 1, longer)
            grams = longer
        elsewhere = np.zeros(size, bool)
        elsewhere[grams[~ours & (grams >= 0)]] = True
        here = np.flatnonzero(ours & (grams >= 0))
        found = here[elsewhere[grams[here]]]
        if order <= max_order:
            n_grams[order - 1] = np.bincount(text_of[here], minlength=n_texts)
            n_found[order - 1] = np.bincount(text_of[found], minlength=n_texts)
        longest[text_of[found]] = order
        if not len(found) and order >= max_order:
            break
    return Copied(n_grams, n_found, longest)
