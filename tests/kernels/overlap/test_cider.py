"""Document frequencies and tf-idf similarities against a reference implementation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.kernels.overlap.cider import document_frequencies, tfidf_similarities
from assay.kernels.overlap.ngrams import count_ngrams, ngram_ids
from tests.oracles import overlap as plain
from tests.overlap_cases import all_pairs, bank, text_lists


@given(text_lists(max_length=8, max_texts=6), st.booleans())
def test_sum_over_orders_is_plain_cider(texts: list[list[int]], clip: bool) -> None:
    tokens, offsets = bank(texts)
    n = len(texts)
    pairs = all_pairs(n)
    grams, sizes = ngram_ids(tokens, offsets, 4)
    total = np.zeros(n * n)
    for order in range(4):
        counted = count_ngrams(grams[order], offsets)
        frequencies = document_frequencies(counted[0], counted[2], np.arange(n), np.arange(n + 1), int(sizes[order]))
        weights = np.log(n) - np.log(np.maximum(frequencies, 1))
        total += tfidf_similarities(*counted, weights, *pairs, clip)
    expected = [plain.cider(a, [b], [[t] for t in texts], clip, None) for a in texts for b in texts]
    assert (10 / 4 * total).tolist() == pytest.approx(expected, abs=1e-9)
