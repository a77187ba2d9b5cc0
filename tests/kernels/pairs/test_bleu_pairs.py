import random
import warnings
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.kernels import blocks
from assay.kernels.pairs.bleu_pairs import bleu_rows, cheaper_way, pair_index
from assay.kernels.pairs.sparse_rows import SparseRows, stack
from tests.oracles.bleu_pairs import bleu_star

WORDS = "the a cat".split()


def flat(texts):
    numbers = {}
    tokens = [numbers.setdefault(token, len(numbers)) for text in texts for token in text]
    offsets = np.concatenate([[0], np.cumsum([len(text) for text in texts])])
    return np.array(tokens, np.int32), offsets.astype(np.int64)


def all_rows(index, threshold, **options) -> SparseRows:
    return stack([rows for _, rows in bleu_rows(index, threshold, **options)])


def dense(rows: SparseRows, n_columns: int) -> np.ndarray:
    matrix = np.zeros((len(rows.offsets) - 1, n_columns))
    matrix[rows.rows, rows.columns] = rows.values
    return matrix


def random_texts(kind: str, n: int, seed: int) -> list:
    rng = random.Random(seed)
    words = [rng.choices(WORDS, k=rng.randint(0, 14)) for _ in range(n)]
    if kind == "characters":
        return [" ".join(text[:7]) for text in words]
    return [text[: rng.randint(0, 14)] + rng.choice(words) for text in words]


@pytest.mark.parametrize("kind", ["words", "characters"])
def test_equals_nltk_wherever_nltk_is_not_zero(kind):
    from nltk.translate.bleu_score import sentence_bleu

    texts = random_texts(kind, 70, seed=3)
    tokens, offsets = flat(texts)
    result = dense(all_rows(pair_index(tokens, offsets), 1e-9), len(texts))
    compared = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # nltk warns about n-grams without a match
        for i, candidate in enumerate(texts):
            for j, reference in enumerate(texts):
                expected = sentence_bleu([list(reference)], list(candidate), weights=(0, 1 / 3, 1 / 3, 1 / 3))
                if expected > 1e-50:  # nltk replaces a precision of 0 by the smallest float
                    assert result[i, j] == pytest.approx(expected, rel=1e-12, abs=0)
                    compared += 1
                else:
                    assert result[i, j] == 0
    assert compared > 2000


texts_of_few_tokens = st.lists(st.lists(st.integers(0, 3), max_size=12), min_size=1, max_size=12)


@settings(max_examples=150, deadline=None)
@given(
    texts_of_few_tokens,
    texts_of_few_tokens,
    st.sampled_from([(2, 3, 4), (1, 2), (3,), (1, 4)]),
    st.sampled_from([0.0, 0.08, 0.3, 0.5, 0.8, 1.0]),
)
def test_both_algorithms_keep_exactly_the_pairs_at_or_above_the_threshold(left, right, orders, threshold):
    tokens, offsets = flat(left + right)
    index = pair_index(tokens, offsets, len(left), orders)
    expected = np.array([[bleu_star(x, s, orders) for s in right] for x in left])
    near = np.abs(expected - threshold) < 1e-12  # either is correct within rounding error
    for way in ["merge", "dense"] if threshold > 0 else ["dense"]:
        rows = all_rows(index, threshold, way=way)
        kept = np.zeros(expected.shape, bool)
        kept[rows.rows, rows.columns] = True
        assert np.array_equal(kept | near, (expected >= threshold) | near)
        assert rows.values == pytest.approx(expected[rows.rows, rows.columns], rel=1e-12)
        assert all(np.all(np.diff(rows.columns[a:b]) > 0) for a, b in pairwise(rows.offsets))


@pytest.mark.parametrize("way", ["merge", "dense"])
def test_results_do_not_depend_on_workers_or_blocks(way, monkeypatch):
    monkeypatch.setattr(blocks, "ROWS", 7)
    texts = random_texts("characters", 60, seed=5)
    index = pair_index(*flat(texts))
    one, two = (all_rows(index, 0.2, way=way, workers=workers) for workers in (1, 2))
    monkeypatch.setattr(blocks, "ROWS", 512)
    whole = all_rows(index, 0.2, way=way)
    assert len(one.values) > 100
    for a, b, c in zip(one, two, whole, strict=True):
        assert np.array_equal(a, b) and np.array_equal(a, c)


def test_both_algorithms_are_bit_identical():
    index = pair_index(*flat(random_texts("characters", 60, seed=6)))
    merged, added = all_rows(index, 0.1, way="merge"), all_rows(index, 0.1, way="dense")
    for a, b in zip(merged, added, strict=True):
        assert np.array_equal(a, b)


@pytest.mark.parametrize("way", ["merge", "dense"])
def test_leave_one_out_skips_its_own_column(way):
    texts = random_texts("words", 40, seed=7)
    index = pair_index(*flat(texts))
    own = np.arange(len(texts))
    everything, others = all_rows(index, 0.05, way=way), all_rows(index, 0.05, skip=own, way=way)
    expected = everything.keep(everything.rows != everything.columns)
    assert len(expected.values) < len(everything.values)
    for a, b in zip(expected, others, strict=True):
        assert np.array_equal(a, b)


def test_merge_is_chosen_for_words_and_dense_for_characters():
    rng = np.random.default_rng(0)
    lexicon = ["".join(rng.choice(list("abcdefghij"), 5)) for _ in range(2000)]
    texts = [[lexicon[i] for i in rng.zipf(1.3, 12) % 2000] for _ in range(300)]
    assert cheaper_way(pair_index(*flat(texts)), 0.08) == "merge"
    assert cheaper_way(pair_index(*flat([" ".join(text) for text in texts])), 0.08) == "dense"
    assert cheaper_way(pair_index(*flat(texts)), 0.0) == "dense"  # every pair is returned


def test_no_texts_and_empty_texts():
    index = pair_index(*flat([[], [], [1, 2, 3, 4]]))
    assert dense(all_rows(index, 0.1), 3).tolist() == [[0, 0, 0], [0, 0, 0], [0, 0, 1]]
    assert len(all_rows(pair_index(*flat([])), 0.1).values) == 0
    assert len(all_rows(pair_index(*flat([[1, 2, 3, 4, 5]]), n_candidates=1), 0.1).values) == 0


def test_row_blocks_cover_all_rows_once():
    cut = blocks.row_blocks(1000, 1 << 20)
    assert cut[0] == (0, 8) and cut[-1][1] == 1000
    assert all(before[1] == after[0] for before, after in pairwise(cut))
