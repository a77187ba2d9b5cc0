"""Exact match, token F1 and numeric answers against the published definitions."""

import random
import re
import string
from collections import Counter

import numpy as np
import pytest

from assay import score
from tests.overlap_cases import dataset, strange_cases

Cases = list[tuple[str, list[str]]]
SQUAD = "exact_match(ignore_case=True, ignore_punctuation=True, ignore_articles=True, ignore_spacing=True)"

ANSWERS: Cases = [
    ("The Beatles", ["beatles", "Fab Four"]),
    ("the beatles!", ["Beatles"]),
    ("a  song of ice", ["Song of an Ice"]),
    ("an", ["the"]),
    ("", ["Paris"]),
    ("Then another anthem", ["n nother anm"]),
    ("in Paris, France", ["Paris", "France, Paris"]),
]


def plain(text: str) -> str:
    """SQuAD's normalization, written out."""
    text = "".join(letter for letter in text.lower() if letter not in set(string.punctuation))
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", text).split())


def plain_f1(text: str, reference: str) -> float:
    """SQuAD 2.0's F1, written out."""
    words, wanted = plain(text).split(), plain(reference).split()
    if not words or not wanted:
        return float(words == wanted)
    shared = sum((Counter(words) & Counter(wanted)).values())
    precision, recall = shared / len(words), shared / len(wanted)
    return 2 * precision * recall / (precision + recall) if shared else 0.0


def values(cases: Cases, name: str) -> np.ndarray:
    return score(dataset(cases), [name])[name].values


def test_squad_counts_what_its_own_normalization_counts() -> None:
    cases = ANSWERS + strange_cases(500)
    expected = [float(any(plain(text) == plain(reference) for reference in references)) for text, references in cases]
    assert values(cases, SQUAD).tolist() == expected
    assert 0.05 < np.mean(expected) < 0.95


def test_token_f1_is_squads() -> None:
    cases = ANSWERS + strange_cases(500)
    expected = [max(plain_f1(text, reference) for reference in references) for text, references in cases]
    assert values(cases, "token_f1") == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("option", "text", "reference"),
    [
        ("ignore_case", "Paris", "paris"),
        ("ignore_punctuation", "Paris.", "Paris"),
        ("ignore_numbers", "Paris 1900", "Paris "),
        ("ignore_articles", "the end", "  end"),
        ("ignore_spacing", " the   end ", "the end"),
    ],
)
def test_each_option_of_exact_match_ignores_one_thing(option: str, text: str, reference: str) -> None:
    assert values([(text, [reference])], "exact_match").tolist() == [0.0]
    assert values([(text, [reference])], f"exact_match({option}=True)").tolist() == [1.0]


@pytest.mark.parametrize(
    ("text", "reference", "equal"),
    [
        ("So she has 5 + 7 = 12 eggs.", "12", True),
        ("She pays $1,200.50.", "1200.50", True),
        ("She pays $1,200.5", "1200.50", True),
        ("It is -3", "-3", True),
        ("It is 3", "-3", False),
        ("No idea", "3", False),
        ("Between 3 and 4", "3", False),
        ("42", "6 times 7 is\n#### 42", True),
    ],
)
def test_the_last_number_is_the_answer(text: str, reference: str, equal: bool) -> None:
    assert values([(text, [reference])], "numeric_match").tolist() == [float(equal)]


def test_digits_can_be_compared_as_text() -> None:
    assert values([("5.0", ["5"])], "numeric_match").tolist() == [1.0]
    assert values([("5.0", ["5"])], "numeric_match(compare='text')").tolist() == [0.0]


def test_a_marked_answer_is_the_first_after_a_mark() -> None:
    cases: Cases = [("3 dogs\n#### 7\nThat is 8.", ["#### 7"]), ("The answer is 7.", ["#### 7"])]
    assert values(cases, "numeric_match(answer='marked')").tolist() == [1.0, 0.0]
    assert values(cases, "numeric_match").tolist() == [0.0, 1.0]


def test_references_without_a_number_are_a_gap() -> None:
    column = score(dataset([("7", ["seven"]), ("7", ["seven", "7"])]), ["numeric_match"])["numeric_match"]
    assert np.isnan(column.values[0]) and column.values[1] == 1.0
    assert "no number in the references" in column.gaps.reasons


def test_a_system_of_answers_is_scored_by_its_mean() -> None:
    rng = random.Random(3)
    cases: Cases = [(str(rng.randrange(3)), [str(rng.randrange(3))]) for _ in range(50)]
    table = score(dataset(cases), ["exact_match"])
    assert table.by_system()["exact_match"].values == pytest.approx([np.mean([t == r[0] for t, r in cases])])
