"""The edit distance of long texts equals dynamic programming, and terminates."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.kernels.overlap.lcs import lcs_lengths
from assay.kernels.overlap.long_distance import long_distance


def plain(a: np.ndarray, b: np.ndarray) -> int:
    row = np.arange(len(b) + 1)
    for i, token in enumerate(a, 1):
        cost = np.minimum(row[:-1] + (b != token), row[1:] + 1)
        new = np.empty_like(row)
        new[0] = i
        new[1:] = cost
        # Each insertion costs one.
        steps = np.arange(len(row))
        row = np.minimum.accumulate(new - steps) + steps
    return int(row[-1])


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 300), st.integers(0, 300), st.integers(1, 200), st.integers(0, 10_000))
def test_equal_to_the_plain_distance(n: int, m: int, n_types: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = (np.minimum(rng.geometric(min(1.0, 3 / n_types), size) - 1, n_types - 1).astype(np.int32) for size in (n, m))
    assert long_distance(a, b, n_types) == plain(a, b)


@pytest.mark.parametrize("n", [64, 65, 128, 1000])
def test_equal_and_disjoint_texts(n: int) -> None:
    text = (np.arange(n) % 7).astype(np.int32)
    assert long_distance(text, text, 20) == 0
    assert long_distance(text, text + np.int32(8), 20) == n
    assert long_distance(text, text[: n // 2], 20) == n - n // 2


def test_lcs_of_long_texts() -> None:
    """Beyond the length at which masks are allocated by distinct tokens."""
    rng = np.random.default_rng(0)
    long = rng.integers(0, 50, 5000).astype(np.int32)
    kept = np.sort(rng.choice(5000, 3000, replace=False))
    tokens = np.concatenate([long, long[kept], np.array([60, 61], np.int32)])
    offsets = np.array([0, 5000, 8000, 8002])
    result = lcs_lengths(tokens, offsets, np.array([0, 2]), np.array([1, 0, 1]), np.array([0, 2, 3]))
    assert result.tolist() == [3000, 5000, 0]
