import csv
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU

from assay.kernels.overlap.clipped import clipped_counts
from assay.kernels.ragged import Ragged
from assay.text.strings import Strings
from assay.text.tokenizers import tokenize
from tests.oracles import tokens as oracle


@given(st.lists(st.tuples(st.integers(0, 7), st.lists(st.integers(0, 7), max_size=4)), max_size=6), st.data())
def test_clipped_counts_equal_the_oracle(units: list[tuple[int, list[int]]], data: st.DataObject) -> None:
    texts = data.draw(st.lists(st.lists(st.integers(0, 3), max_size=12), min_size=8, max_size=8))
    max_order = data.draw(st.integers(1, 5))
    candidates = np.array([candidate for candidate, _ in units], np.int64)
    numbers = np.array([text for _, references in units for text in references], np.int64)
    references = Ragged(numbers, np.cumsum([0, *(len(references) for _, references in units)]))
    rows = clipped_counts(*bank(texts), candidates, references, max_order)
    assert rows.tolist() == [
        oracle.clipped_counts(texts[candidate], [texts[text] for text in references], max_order)
        for candidate, references in units
    ]


@pytest.mark.parametrize(
    ("candidate", "references", "expected"),
    [
        # Papineni et al. (2002), section 2: "the" seven times is clipped at its two in a reference.
        ("the the the the the the the", ["the cat is on the mat", "there is a cat on the mat"], [2, 7, 7, 7]),
        ("a b", ["a", "a b c"], [2, 2, 2, 1]),  # equally close: the shorter reference
        ("a", [], [0, 1, 1, 0]),
        ("", ["a"], [0, 0, 0, 1]),
    ],
)
def test_clipped_unigrams_by_hand(candidate: str, references: list[str], expected: list[int]) -> None:
    numbers: dict[str, int] = {}
    texts = [[numbers.setdefault(word, len(numbers)) for word in text.split()] for text in (candidate, *references)]
    against = Ragged(np.arange(1, len(texts)), np.array([0, len(references)]))
    assert clipped_counts(*bank(texts), np.array([0]), against, 1).tolist() == [expected]


@pytest.mark.parametrize("tokenizer", ["none", "13a"])
def test_sums_equal_sacrebleu_on_real_text(data: Path, tokenizer: str) -> None:
    file = data / "diversity" / "conTest" / "con_test_200_with_hds_story_gen.csv"
    with file.open(encoding="utf-8", newline="") as lines:
        sets = [[row[f"resp_{i}"] for i in range(5)] for row in csv.DictReader(lines)]
    tokens = tokenize(Strings.of(text for texts in sets for text in texts), f"rstrip+{tokenizer}")
    first = np.arange(0, 5 * len(sets), 5)
    references = Ragged((first[:, None] + np.arange(1, 5)).ravel(), np.arange(len(sets) + 1) * 4)
    result = clipped_counts(tokens.ids, tokens.offsets, first, references, 4).sum(axis=0).tolist()
    columns = [[texts[i] for texts in sets] for i in range(5)]
    score = BLEU(tokenize=tokenizer).corpus_score(columns[0], columns[1:])
    assert result == [*score.counts, *score.totals, score.sys_len, score.ref_len]


def bank(texts: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    ids = np.array([token for text in texts for token in text], np.int32)
    return ids, np.cumsum([0, *(len(text) for text in texts)])
