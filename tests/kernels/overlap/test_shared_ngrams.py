"""Shared n-grams of pairs against counters."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from assay.kernels.overlap.shared_ngrams import shared_ngrams
from tests.oracles import overlap as plain
from tests.overlap_cases import all_pairs, bank, text_lists


@given(text_lists(n_types=3, max_length=15), st.integers(1, 6))
def test_equals_counters(texts: list[list[int]], max_order: int) -> None:
    result = shared_ngrams(*bank(texts), max_order, *all_pairs(len(texts)))
    assert result.tolist() == [plain.shared(left, right, max_order) for left in texts for right in texts]


def test_long_texts_with_large_numbers() -> None:
    rng = np.random.default_rng(0)
    texts = [(rng.integers(0, 4, size) * 500_000_000).tolist() for size in (0, 1, 5, 300, 2000)]
    result = shared_ngrams(*bank(texts), 6, *all_pairs(len(texts)))
    assert result.tolist() == [plain.shared(left, right, 6) for left in texts for right in texts]
