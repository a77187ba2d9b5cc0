"""LCS against dynamic programming and rapidfuzz."""

from pathlib import Path

import numpy as np
from hypothesis import given
from rapidfuzz.distance import LCSseq

from assay.kernels.overlap.lcs import lcs_lengths
from tests.oracles import overlap as plain
from tests.overlap_cases import all_pairs, bank, real_texts, text_lists


@given(text_lists())
def test_equals_the_plain_table(texts: list[list[int]]) -> None:
    result = lcs_lengths(*bank(texts), *all_pairs(len(texts)))
    assert result.tolist() == [plain.lcs(left, right) for left in texts for right in texts]


def test_the_carry_propagates_between_machine_words() -> None:
    rng = np.random.default_rng(0)
    texts = [rng.integers(0, 6, size).tolist() for size in (1, 63, 64, 65, 127, 128, 129, 200, 640)]
    result = lcs_lengths(*bank(texts), *all_pairs(len(texts)))
    assert result.tolist() == [LCSseq.similarity(left, right) for left in texts for right in texts]


def test_equals_rapidfuzz_on_real_texts(data: Path) -> None:
    texts = real_texts(data)[-3000:]
    words: dict[str, int] = {}
    texts = [[words.setdefault(word, len(words)) for word in text.split()] for text in texts]
    candidates, references = np.arange(0, 3000), np.roll(np.arange(3000), 1)
    result = lcs_lengths(*bank(texts), candidates, references, np.arange(3001))
    assert result.tolist() == [LCSseq.similarity(texts[i], texts[i - 1]) for i in range(3000)]
