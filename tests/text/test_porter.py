"""The stemmer against nltk's."""

import csv
import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.text.stems import porter, stem_numbers
from assay.text.strings import Strings

nltk_porter = pytest.importorskip("nltk.stem.porter", reason="nltk is the peer here")
PEER = nltk_porter.PorterStemmer()

SUFFIXES = (
    "s ss sses ies ied eed ed ing at bl iz y ational tional enci anci izer abli bli alli entli eli ousli "
    "ization ation ator alism iveness fulness ousness aliti iviti biliti fulli logi icate ative alize iciti "
    "ical ful ness al ance ence er ic able ible ant ement ment ent ion sion tion ou ism ate iti ous ive ize e "
    "ll"
).split()


@pytest.mark.parametrize(
    ("word", "expected"),
    # From Porter's paper, except the last two, which are nltk's extensions.
    [
        ("caresses", "caress"),
        ("ponies", "poni"),
        ("agreed", "agre"),
        ("plastered", "plaster"),
        ("hopping", "hop"),
        ("filing", "file"),
        ("relational", "relat"),
        ("hopefulness", "hope"),
        ("adoption", "adopt"),
        ("controll", "control"),
        ("dies", "die"),
        ("enjoy", "enjoy"),
    ],
)
def test_examples(word: str, expected: str) -> None:
    assert porter(Strings.of([word])) == [expected] == [PEER.stem(word)]


def test_equal_on_words_built_from_every_suffix() -> None:
    rng = random.Random(0)
    heads = ["".join(rng.choices("aeioubcdfglmnprstvyz", k=rng.randint(0, 6))) for _ in range(5_000)]
    words = [head + "".join(rng.choices(SUFFIXES, k=rng.randint(0, 3))) for head in heads]
    assert porter(Strings.of(words)) == [PEER.stem(word) for word in words]


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=12), max_size=5))
def test_equal_on_any_text(words: list[str]) -> None:
    assert porter(Strings.of(words)) == [PEER.stem(word) for word in words]


@given(st.lists(st.text(alphabet="aeiouybdlsté", max_size=10), max_size=5))
def test_equal_on_words(words: list[str]) -> None:
    assert porter(Strings.of(words)) == [PEER.stem(word) for word in words]


def test_numbers_are_equal_for_equal_stems_of_words_that_are_long_enough() -> None:
    words = Strings.of(["hopping", "hops", "hop", "was", "wa", "hop"])
    assert stem_numbers(words).tolist() == [0, 0, 0, 1, 1, 0]
    assert stem_numbers(words, longer_than=3).tolist() == [0, 0, 0, 1, 2, 0]


@pytest.mark.slow
def test_equal_on_all_words_of_the_real_data(data) -> None:
    words = set()
    for path in sorted(data.rglob("*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.reader(file):
                for cell in row:
                    words.update(cell.split())
                    words.update(re.findall(r"[a-z0-9]+", cell.lower()))
    assert len(words) > 30_000
    ordered = sorted(words)
    assert porter(Strings.of(ordered)) == [PEER.stem(word) for word in ordered]
