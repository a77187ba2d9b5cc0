"""Leave-one-out clipping against counters."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from assay.kernels.overlap.ngrams import count_ngrams, ngram_ids
from assay.kernels.overlap.self_bleu import clipped_among_others, closest_other_lengths
from tests.oracles import overlap as plain
from tests.overlap_cases import bank, text_lists


@given(st.lists(text_lists(n_types=3), min_size=1, max_size=3), st.integers(1, 4))
def test_equals_counters(groups: list[list[list[int]]], order: int) -> None:
    texts = [text for group in groups for text in group]
    tokens, offsets = bank(texts)
    bounds = np.cumsum([0, *(len(group) for group in groups)])
    grams, sizes = ngram_ids(tokens, offsets, order)
    counted = count_ngrams(grams[-1], offsets)
    members = np.arange(len(texts))
    result = clipped_among_others(*counted, members, bounds, int(sizes[-1]))
    assert result.tolist() == [n for group in groups for n in plain.clipped_among_others(group, order)]
    lengths = closest_other_lengths(np.diff(offsets), bounds)
    assert lengths.tolist() == [
        n for group in groups for n in plain.closest_other_lengths([len(text) for text in group])
    ]


def test_a_duplicate_text_matches_itself() -> None:
    tokens, offsets = bank([[0, 1, 2]])
    counted = count_ngrams(ngram_ids(tokens, offsets, 1)[0][0], offsets)
    result = clipped_among_others(*counted, np.array([0, 0]), np.array([0, 2]), 3)
    assert result.tolist() == [3, 3]
