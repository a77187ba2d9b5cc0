"""Edits with shifts against sacrebleu, and edit distances against dynamic programming."""

import numpy as np
import pytest
from hypothesis import given
from sacrebleu.metrics.lib_ter import translation_edit_rate

from assay.kernels.overlap.edit_distance import banded_matrix, bit_parallel_distance
from assay.kernels.overlap.ter import fewest_edits_with_shifts
from tests.oracles import overlap as plain
from tests.overlap_cases import all_pairs, bank, text_lists


@given(text_lists(max_length=20, max_texts=2))
def test_both_distances_equal_the_plain_table(texts: list[list[int]]) -> None:
    words, reference = np.array(texts[0], np.int32), np.array(texts[-1], np.int32)
    if not len(words) or not len(reference):
        return
    shape = (len(words) + 1, len(reference) + 1)
    expected = plain.edit_distance(texts[0], texts[-1])
    assert banded_matrix(words, reference, np.empty(shape, np.int32), np.empty(shape, np.uint8)) == expected
    masks = np.zeros(5, np.uint64)
    for position, token in enumerate(texts[-1]):
        masks[token] |= np.uint64(1 << position)
    rises, falls = np.full(len(words) + 1, 2**64 - 1, np.uint64), np.zeros(len(words) + 1, np.uint64)
    scores = np.full(len(words) + 1, len(reference))
    assert bit_parallel_distance(words, 0, len(reference), masks, rises, falls, scores, True) == expected
    assert scores[-1] == expected


@given(text_lists(n_types=4, max_length=12, max_texts=3))
def test_equals_sacrebleu_on_short_texts(texts: list[list[int]]) -> None:
    n = len(texts)
    expected = np.array([[translation_edit_rate(left, right)[0] for right in texts] for left in texts])
    singly = np.repeat(np.arange(n), n), np.tile(np.arange(n), n), np.arange(n * n + 1)
    assert fewest_edits_with_shifts(*bank(texts), *singly).tolist() == expected.ravel().tolist()
    # The nearest of several references is the same as without skipping any.
    assert fewest_edits_with_shifts(*bank(texts), *all_pairs(n)).tolist() == expected.min(axis=1).tolist()
    without_itself = (
        np.arange(n),
        np.concatenate([np.delete(np.arange(n), i) for i in range(n)]),
        np.arange(n + 1) * (n - 1),
    )
    if n > 1:
        others = np.where(np.eye(n, dtype=bool), 10**9, expected).min(axis=1)
        assert fewest_edits_with_shifts(*bank(texts), *without_itself).tolist() == others.tolist()


@pytest.mark.parametrize(
    ("n", "shortest", "longest", "n_types"),
    [
        (200, 0, 25, 12),
        (20, 20, 50, 30),
        pytest.param(60, 20, 60, 30, marks=pytest.mark.slow),
        pytest.param(15, 60, 130, 40, marks=pytest.mark.slow),
        pytest.param(5, 1, 300, 60, marks=pytest.mark.slow),
    ],
)
def test_equals_sacrebleu_when_blocks_move(n: int, shortest: int, longest: int, n_types: int) -> None:
    rng = np.random.default_rng(n)
    texts = []
    for _ in range(n):
        words = rng.integers(0, n_types, rng.integers(shortest, longest + 1)).tolist()
        moved = list(words)
        for _ in range(rng.integers(0, 5)):
            start, size = rng.integers(0, len(words) + 1), rng.integers(1, 13)
            block = moved[start : start + size]
            del moved[start : start + size]
            target = rng.integers(0, len(moved) + 1)
            moved[target:target] = block
        moved = [word if rng.random() > 0.1 else int(rng.integers(n_types)) for word in moved]
        texts += [words, moved if rng.random() < 0.8 else rng.integers(0, n_types, longest).tolist()]
    pairs = np.arange(0, 2 * n, 2), np.arange(1, 2 * n, 2), np.arange(n + 1)
    result = fewest_edits_with_shifts(*bank(texts), *pairs)
    assert result.tolist() == [
        translation_edit_rate(left, right)[0] for left, right in zip(texts[::2], texts[1::2], strict=True)
    ]
