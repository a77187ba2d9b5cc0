"""The alignment of METEOR 1.5 equals plain Python, with paraphrases, ties and more ways than the beam holds."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.kernels.overlap.meteor_beam import best_alignment
from assay.kernels.overlap.meteor_matches import find_matches
from assay.kernels.overlap.meteor_statistics import N_STATISTICS, meteor_scores
from assay.kernels.overlap.phrase_table import phrase_table
from tests.oracles import meteor_15 as plain

N_TYPES = 5
words = st.integers(0, N_TYPES - 1)
texts = st.lists(words, max_size=14)
phrases = st.lists(
    st.tuples(st.lists(words, min_size=1, max_size=3), st.lists(words, min_size=1, max_size=3)), max_size=6
)
stems = st.lists(words, min_size=N_TYPES, max_size=N_TYPES)
links = st.sets(st.tuples(words, words), max_size=4)


@settings(max_examples=300)
@given(texts, texts, stems, links, phrases)
def test_alignment_equals_plain_python(
    candidate: list[int],
    reference: list[int],
    stem_of: list[int],
    linked: set[tuple[int, int]],
    table: list[tuple[list[int], list[int]]],
) -> None:
    near = [{b for a, b in linked | {(b, a) for a, b in linked} if a == word and b != word} for word in range(N_TYPES)]
    entries = [(tuple(source), tuple(target)) for source, target in table]
    expected = plain.matches(candidate, reference, stem_of, near, entries)
    flat, bounds = found(candidate, reference, stem_of, near, entries)
    assert [tuple(row) for row in flat.tolist()] == [match for row in expected for match in row]
    taken = best_alignment(flat, bounds, len(candidate))
    assert [tuple(flat[number].tolist()) for number in taken if number >= 0] == sorted(plain.align(expected))


def found(
    candidate: list[int], reference: list[int], stem_of: list[int], near: list[set[int]], entries: plain.Phrases
) -> tuple[np.ndarray, np.ndarray]:
    """The matches of one pair by the kernels."""
    ids = np.array(candidate + reference, np.int32)
    offsets = np.array([0, len(candidate), len(ids)])
    lengths = np.array([[len(a), len(b)] for a, b in entries], np.uint8).reshape(-1, 2)
    flat = np.array([word for a, b in entries for word in (*a, *b)], np.uint16)
    table = phrase_table(flat, lengths, np.arange(N_TYPES, dtype=np.int32), ids, offsets)
    near_offsets = np.cumsum([0, *(len(row) for row in near)])
    near_words = np.array([word for row in near for word in sorted(row)], np.int32)
    scratch = np.full((2, N_TYPES), -1, np.int32), np.full(N_TYPES, -1, np.int32)
    texts = np.array(candidate, np.int32), np.array(reference, np.int32)
    result = find_matches(*texts, np.array(stem_of, np.int32), near_words, near_offsets, *table, *scratch)
    assert all((part == -1).all() for part in scratch)
    return result


def test_a_table_keeps_only_what_the_texts_can_use() -> None:
    ids, offsets = np.array([0, 1, 2], np.int32), np.array([0, 3])
    known = np.array([0, 1, 2, -1], np.int32)
    flat = np.array([0, 1, 2, 1, 0, 2, 0, 3], np.uint16)
    table = phrase_table(flat, np.array([[2, 1], [2, 1], [1, 1]], np.uint8), known, ids, offsets)
    assert table.words.tolist() == [2]  # "1 0" is not in the text, and word 3 is in none


def test_scores_of_rows_without_matches_or_words_are_zero() -> None:
    rows = np.zeros((2, N_STATISTICS))
    rows[1, :2] = 3
    assert meteor_scores(rows, 0.85, 0.2, 0.6, 0.75, (1.0, 0.6, 0.8, 0.6)).tolist() == [0.0, 0.0]
    rows[1, 4] = rows[1, 8] = 3
    assert meteor_scores(rows, 0.85, 0.2, 0.6, 0.75, (1.0, 0.6, 0.8, 0.6)).tolist() == [0.0, 1.0]
