"""The alignment of METEOR 1.5 equals plain Python, with paraphrases, ties and more ways than the beam holds."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.kernels.overlap.meteor_beam import best_alignment
from assay.kernels.overlap.meteor_matches import Linked, find_matches, link, unlink
from assay.kernels.overlap.meteor_statistics import N_STATISTICS, meteor_scores
from assay.kernels.overlap.phrase_table import PhraseTable, listed, phrase_table
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
    candidate: list[int], reference: list[int], stems: list[int], near: list[set[int]], entries: plain.Phrases
) -> tuple[np.ndarray, np.ndarray]:
    """The matches of one pair by the kernels."""
    table = phrases_of([candidate, reference], entries)
    near_offsets = np.cumsum([0, *(len(row) for row in near)])
    near_words = np.array([word for row in near for word in sorted(row)], np.int32)
    has_near = np.array([any(word in near[own] for own in candidate) for word in range(N_TYPES)])
    stem_of = np.array(stems, np.int32)
    words, others = np.array(candidate, np.int32), np.array(reference, np.int32)
    rows = [(words, no_links(words)), (stem_of[words], no_links(words)), (others, no_links(others))]
    for row in rows:
        link(*row)
    links = [linked for _, linked in rows]
    result = find_matches(words, others, *links, stem_of, near_words, near_offsets, has_near, table, 0, 1)
    for row, linked in rows:
        unlink(row, linked)
        assert (linked.first == -1).all()
    return result


def no_links(words: np.ndarray) -> Linked:
    return Linked(np.full(N_TYPES, -1, np.int32), np.empty(len(words), np.int32))


def phrases_of(texts: list[list[int]], entries: plain.Phrases, n_words: int = N_TYPES) -> PhraseTable:
    """The phrases in texts; a word of the table that is in no text is n_words or more."""
    ids = np.array([word for text in texts for word in text], np.int32)
    offsets = np.cumsum([0, *map(len, texts)])
    lengths = np.array([[len(a), len(b)] for a, b in entries], np.uint8).reshape(-1, 2)
    flat = np.array([word for a, b in entries for word in (*a, *b)], np.uint16)
    known = np.where(np.arange(n_words + 1) < n_words, np.arange(n_words + 1), -1).astype(np.int32)
    return phrase_table(listed(flat, lengths), known, ids, offsets, n_words)


def test_a_table_keeps_only_what_the_texts_can_use() -> None:
    entries = [((0, 1), (2,)), ((1, 0), (2,)), ((0,), (3,)), ((0, 1), (1, 2)), ((0, 1), (0,))]
    table = phrases_of([[0, 1, 2], [2, 0, 1]], entries, n_words=3)
    assert table.words.tolist() == [2, 1, 2, 0]  # "1 0" is not in the texts, and word 3 is in none
    assert table.heads.tolist() == [2, 1, 0]
    assert table.word_offsets.tolist() == [0, 1, 3, 4]
    # The phrase stands twice in the table, since its entries do not all follow each other.
    assert table.entry_offsets.tolist() == [0, 1, 3]
    assert table.bounds.tolist() == [0, 2, 4]
    assert table.starts.tolist() == [0, 0, 1, 1] and table.lengths.tolist() == [2, 2, 2, 2]
    assert table.phrases.tolist() == [0, 1, 0, 1]


def test_pairs_of_one_phrase_in_a_row_become_one_phrase() -> None:
    words = np.array([0, 1, 2, 0, 1, 3, 4, 0, 1, 0], np.uint16)
    table = listed(words, np.array([[2, 1], [2, 2], [1, 2]], np.uint8))
    assert table.words.tolist() == [0, 1, 0] and table.lengths.tolist() == [2, 1]
    assert table.counts.tolist() == [2, 1]
    assert table.others.tolist() == [2, 3, 4, 1, 0] and table.other_lengths.tolist() == [1, 2, 2]


def test_scores_of_rows_without_matches_or_words_are_zero() -> None:
    rows = np.zeros((2, N_STATISTICS))
    rows[1, :2] = 3
    assert meteor_scores(rows, 0.85, 0.2, 0.6, 0.75, (1.0, 0.6, 0.8, 0.6)).tolist() == [0.0, 0.0]
    rows[1, 4] = rows[1, 8] = 3
    assert meteor_scores(rows, 0.85, 0.2, 0.6, 0.75, (1.0, 0.6, 0.8, 0.6)).tolist() == [0.0, 1.0]
