from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.kernels.clipped import clipped_counts
from assay.kernels.ngrams import count_ngrams, ngram_ids
from assay.kernels.ragged import Ragged
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


def test_many_ngrams_make_the_table_grow() -> None:
    texts = np.random.default_rng(1).integers(0, 200, (300, 50)).tolist() * 2
    grams, sizes = ngram_ids(*bank(texts), 3)
    assert grams.tolist() == oracle.ngram_ids(texts, 3)
    assert sizes[1] > 5000


@given(texts_of_few_tokens, st.integers(1, 4))
def test_count_ngrams_equals_the_oracle(texts: list[list[int]], order: int) -> None:
    ids, offsets = bank(texts)
    grams = ngram_ids(ids, offsets, order)[0][order - 1]
    numbers, counts, count_offsets = count_ngrams(grams, offsets)
    found = list(zip(numbers.tolist(), counts.tolist(), strict=True))
    rows = [grams[start:end].tolist() for start, end in pairwise(offsets)]
    assert [found[s:e] for s, e in pairwise(count_offsets)] == oracle.counts(rows)


@given(st.lists(st.tuples(st.integers(0, 7), st.lists(st.integers(0, 7), max_size=4)), max_size=6), st.data())
def test_clipped_counts_equal_the_oracle(units: list[tuple[int, list[int]]], data: st.DataObject) -> None:
    texts = data.draw(st.lists(st.lists(st.integers(0, 3), max_size=12), min_size=8, max_size=8))
    max_order = data.draw(st.integers(1, 5))
    candidates = np.array([candidate for candidate, _ in units], np.int64)
    numbers = np.array([text for _, references in units for text in references], np.int64)
    references = Ragged(numbers, np.cumsum([0, *(len(references) for _, references in units)]))
    rows = clipped_counts(*bank(texts), candidates, references, max_order)
    assert rows.tolist() == [
        oracle.clipped_counts(texts[candidate], [texts[text] for text in references], max_order)
        for candidate, references in units
    ]


@pytest.mark.parametrize(
    ("candidate", "references", "expected"),
    [
        # Papineni et al. (2002), section 2: "the" seven times is clipped at its two in a reference.
        ("the the the the the the the", ["the cat is on the mat", "there is a cat on the mat"], [2, 7, 7, 7]),
        ("a b", ["a", "a b c"], [2, 2, 2, 1]),  # equally close: the shorter reference
        ("a", [], [0, 1, 1, 0]),
        ("", ["a"], [0, 0, 0, 1]),
    ],
)
def test_clipped_unigrams_by_hand(candidate: str, references: list[str], expected: list[int]) -> None:
    numbers: dict[str, int] = {}
    texts = [[numbers.setdefault(word, len(numbers)) for word in text.split()] for text in (candidate, *references)]
    against = Ragged(np.arange(1, len(texts)), np.array([0, len(references)]))
    assert clipped_counts(*bank(texts), np.array([0]), against, 1).tolist() == [expected]
