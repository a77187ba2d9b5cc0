import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.kernels.pairs.dense_pairs import dense_rows, greedy_f1_block, rouge_l_block
from assay.kernels.pairs.sparse_rows import stack


def longest_common(x, y):
    if not x or not y:
        return 0
    if x[-1] == y[-1]:
        return 1 + longest_common(x[:-1], y[:-1])
    return max(longest_common(x[:-1], y), longest_common(x, y[:-1]))


@given(st.lists(st.lists(st.integers(0, 3), max_size=6), min_size=2, max_size=6))
def test_rouge_l_is_the_f1_of_the_longest_common_subsequence(texts):
    tokens = np.array([token for text in texts for token in text], np.int32)
    offsets = np.concatenate([[0], np.cumsum([len(text) for text in texts])]).astype(np.int64)
    everything = np.arange(len(texts))
    result = rouge_l_block(tokens, offsets, everything, everything)
    for i, x in enumerate(texts):
        for j, y in enumerate(texts):
            expected = 2 * longest_common(x, y) / (len(x) + len(y)) if x or y else 0
            assert result[i, j] == pytest.approx(expected)


def test_greedy_match_equals_bertscore():
    rng = np.random.default_rng(1)
    lengths = [3, 5, 4]
    bounds = np.concatenate([[0], np.cumsum(lengths)])
    states = rng.normal(size=(bounds[-1], 6))
    states /= np.linalg.norm(states, axis=1, keepdims=True)
    weights = np.ones(len(states))
    weights[bounds[:-1]] = 0  # the special token at the start can be matched but has weight 0
    result = greedy_f1_block(states, bounds, weights, np.arange(3), np.arange(3))
    for i in range(3):
        for j in range(3):
            x, y = states[bounds[i] : bounds[i + 1]], states[bounds[j] : bounds[j + 1]]
            cosine = x @ y.T
            precision, recall = cosine.max(axis=1)[1:].mean(), cosine.max(axis=0)[1:].mean()
            assert result[i, j] == pytest.approx(2 * precision * recall / (precision + recall))
    assert np.diag(result) == pytest.approx(1)


def test_results_do_not_depend_on_blocks_or_workers():
    matrix = np.random.default_rng(0).random((50, 30))
    wholes = [
        stack([rows for _, rows in dense_rows(lambda a, b: matrix[a:b], 50, 30, 0.5, entries=entries, workers=workers)])
        for entries, workers in ((10_000, 1), (90, 1), (90, 2))
    ]
    for whole in wholes:
        assert np.array_equal(whole.values, matrix[matrix >= 0.5])
        assert np.array_equal(whole.columns, np.nonzero(matrix >= 0.5)[1])
        assert np.array_equal(whole.rows, np.nonzero(matrix >= 0.5)[0])
