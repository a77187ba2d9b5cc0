"""Bags of n-grams against plain counting."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from assay.kernels.overlap.bags import bag_of_ngrams, document_frequencies
from assay.kernels.overlap.ngrams import ngram_ids
from assay.kernels.ragged import running_offsets

TEXTS = st.lists(st.lists(st.integers(0, 3), max_size=8), min_size=1, max_size=6)


@given(TEXTS, st.data())
def test_counts_and_frequencies_are_those_of_plain_code(texts: list[list[int]], data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.integers(0, len(texts) - 1), max_size=5))
    ids = np.array([token for text in texts for token in text], np.int32)
    offsets = running_offsets(np.array([len(text) for text in texts]))
    grams, sizes = ngram_ids(ids, offsets, 3)
    first = running_offsets(sizes)[:-1]
    columns = np.arange(int(sizes.sum()), dtype=np.int32)
    columns[::3] = -1  # some n-grams are not chosen
    ends, found, counts = bag_of_ngrams(grams, offsets, np.array(chosen, np.int64), columns, first)
    for row, text in enumerate(chosen):
        spans = grams[:, offsets[text] : offsets[text + 1]]
        bag = Counter(columns[first[n] + gram] for n in range(3) for gram in spans[n] if gram >= 0)
        bag.pop(-1, None)
        assert dict(zip(found[ends[row] : ends[row + 1]], counts[ends[row] : ends[row + 1]], strict=True)) == bag
        assert list(found[ends[row] : ends[row + 1]]) == sorted(bag)
    for n in range(3):
        met, frequency = document_frequencies(grams[n], offsets, np.array(chosen, np.int64), int(sizes[n]))
        rows = [[g for g in grams[n, offsets[text] : offsets[text + 1]] if g >= 0] for text in chosen]
        assert list(met) == list(dict.fromkeys(g for row in rows for g in row))
        assert list(frequency) == [sum(g in row for row in rows) for g in met]
