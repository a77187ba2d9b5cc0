from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from assay.kernels.overlap.ngrams import count_ngrams, ngram_ids
from tests.oracles import tokens as oracle

texts_of_few_tokens = st.lists(st.lists(st.integers(0, 3), max_size=12), max_size=8)


def bank(texts: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    ids = np.array([token for text in texts for token in text], np.int32)
    return ids, np.cumsum([0, *(len(text) for text in texts)])


@given(texts_of_few_tokens, st.integers(0, 6))
def test_ngram_ids_equal_the_oracle(texts: list[list[int]], max_order: int) -> None:
    grams, sizes = ngram_ids(*bank(texts), max_order)
    assert grams.tolist() == oracle.ngram_ids(texts, max_order)
    assert sizes.tolist() == [max(row, default=-1) + 1 for row in grams.tolist()]


def test_the_table_grows_with_many_ngrams() -> None:
    texts = np.random.default_rng(1).integers(0, 200, (300, 50)).tolist() * 2
    grams, sizes = ngram_ids(*bank(texts), 3)
    assert grams.tolist() == oracle.ngram_ids(texts, 3)
    assert sizes[1] > 5000


@given(texts_of_few_tokens, st.integers(1, 4))
def test_count_ngrams_equals_the_oracle(texts: list[list[int]], order: int) -> None:
    ids, offsets = bank(texts)
    grams = ngram_ids(ids, offsets, order)[0][order - 1]
    numbers, counts, count_offsets = count_ngrams(grams, offsets)
    result = list(zip(numbers.tolist(), counts.tolist(), strict=True))
    rows = [grams[start:end].tolist() for start, end in pairwise(offsets)]
    assert [result[s:e] for s, e in pairwise(count_offsets)] == oracle.counts(rows)
