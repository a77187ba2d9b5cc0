"""Word alignment against brute force, and against a reference implementation of the greedy stages."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.kernels.overlap.meteor import align
from tests.oracles import overlap as plain
from tests.overlap_cases import all_pairs, bank, text_lists

N_TYPES = 6
stems_of_types = st.lists(st.integers(0, N_TYPES - 1), min_size=N_TYPES, max_size=N_TYPES)
sets_of_types = st.lists(st.sets(st.integers(0, 3), max_size=2), min_size=N_TYPES, max_size=N_TYPES)


def run(texts: list[list[int]], stems: list[int], sets: list[set[int]], fewest_chunks: bool) -> list[list[int]]:
    synonyms = np.array([number for row in sets for number in sorted(row)], np.int32)
    offsets = np.cumsum([0, *(len(row) for row in sets)])
    pairs = all_pairs(len(texts))
    result = align(*bank(texts), *pairs, np.array(stems, np.int32), synonyms, offsets, fewest_chunks)
    return result.tolist()


@given(text_lists(n_types=N_TYPES, max_texts=3), stems_of_types, sets_of_types)
def test_greedy_equals_the_reference_implementation(
    texts: list[list[int]], stems: list[int], sets: list[set[int]]
) -> None:
    expected = [list(plain.greedy_alignment(a, b, stems, sets)) for a in texts for b in texts]
    assert run(texts, stems, sets, False) == expected


@settings(max_examples=60)
@given(text_lists(n_types=3, max_length=5, max_texts=2), stems_of_types, sets_of_types)
def test_fewest_chunks_equals_brute_force(texts: list[list[int]], stems: list[int], sets: list[set[int]]) -> None:
    expected = [list(plain.best_alignment(a, b, stems, sets)) for a in texts for b in texts]
    assert run(texts, stems, sets, True) == expected


@settings(max_examples=100)
@given(text_lists(n_types=3, max_length=6, max_texts=2), stems_of_types)
def test_without_synonyms_too_where_some_searches_are_saved(texts: list[list[int]], stems: list[int]) -> None:
    none: list[set[int]] = [set()] * N_TYPES
    expected = [list(plain.best_alignment(a, b, stems, none)) for a in texts for b in texts]
    assert run(texts, stems, none, True) == expected


@given(text_lists(n_types=N_TYPES, max_length=40, max_texts=3), stems_of_types)
def test_fewest_chunks_matches_as_many_words_as_greedy_in_no_more_chunks(
    texts: list[list[int]], stems: list[int]
) -> None:
    none: list[set[int]] = [set()] * N_TYPES
    for searched, greedy in zip(run(texts, stems, none, True), run(texts, stems, none, False), strict=True):
        assert searched[0] == greedy[0]
        assert searched[1] <= greedy[1]


def test_a_text_aligned_with_itself_is_one_chunk() -> None:
    rng = np.random.default_rng(0)
    texts = [rng.integers(0, 8, 150).tolist()]
    assert run(texts, list(range(8)), [set()] * 8, True) == [[150, 1]]


def test_greedy_takes_the_last_occurrence_and_the_search_the_better_one() -> None:
    # "the cat sat" in "the cat sat on the mat": the last "the" breaks the run.
    texts = [[0, 1, 2], [0, 1, 2, 3, 0, 4]]
    assert run(texts, list(range(5)), [set()] * 5, False)[1] == [3, 2]
    assert run(texts, list(range(5)), [set()] * 5, True)[1] == [3, 1]
