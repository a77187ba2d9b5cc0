"""Texts of a hundred kilobytes and more: a number in seconds, or a gap with a reason."""

import time

import numpy as np
import pytest

import assay
from assay import Dataset

RNG = np.random.default_rng(0)
WORDS = ["".join(RNG.choice(list("abcdefghij"), 5)) for _ in range(2000)]
SETS = ("self_bleu", "edit_distance", "distinct", "cos_sim", "mtld", "ngram_entropy", "type_token_ratio")


def text(kilobytes: int) -> str:
    return " ".join(RNG.choice(WORDS, kilobytes * 1000 // 6))


def data(kilobytes: int) -> Dataset:
    reference = text(kilobytes)
    long = [
        {"id": f"long{n}", "item": "a", "set": "a", "text": text(kilobytes), "references": [reference]} for n in (0, 1)
    ]
    short = [
        {"id": f"short{n}", "item": "b", "set": "b", "text": f"one two {n}", "references": ["one two"]} for n in (0, 1)
    ]
    return Dataset.from_records([*long, *short])


@pytest.mark.parametrize("name", ["ter", "meteor"])
def test_what_grows_with_the_square_has_a_limit_that_is_told(name: str) -> None:
    column = assay.score(data(40), [name])[name]
    assert np.isnan(column.values[:2]).all()
    assert all("more than 5,000 tokens" in column.gaps[row] for row in (0, 1))
    assert not np.isnan(column.values[2:]).any()
    alone = assay.score(data(40).select(np.arange(4) >= 2), [name])[name]
    assert np.array_equal(column.values[2:], alone.values)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ter", "meteor"])
def test_long_texts_of_two_words_end(name: str) -> None:
    """Every block can be shifted anywhere, and every word aligned with half of the others."""
    one, two = (" ".join(RNG.choice(["a", "b"], 4900)) for _ in range(2))
    start = time.process_time()
    column = assay.score(Dataset.from_records([{"text": one, "references": [two]}]), [name])[name]
    assert column.gaps[0].startswith("too many")
    assert time.process_time() - start < 60


def test_the_alignment_of_nltk_has_none() -> None:
    assert not np.isnan(assay.score(data(40), ["meteor(align='nltk')"])["meteor(align='nltk')"].values).any()


def test_a_set_whose_texts_are_too_long_for_an_edit_distance(monkeypatch: pytest.MonkeyPatch) -> None:
    module = "assay.evaluators.diversity.edit_distance"
    monkeypatch.setattr(f"{module}.MOST_CELLS", 100)
    column = assay.score(data(2), ["edit_distance"])["edit_distance"]
    assert "too long to compare" in column.gaps[0]
    assert column.values[1] == pytest.approx(1 / 3)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bleu", "chrf", "rouge('1')", "rouge", "cider", "ter", "meteor", *SETS])
def test_a_megabyte_ends(name: str) -> None:
    big = data(1000)
    assay.score(data(1), [name])
    start = time.process_time()
    column = assay.score(big, [name])[name]
    assert time.process_time() - start < 30
    assert all(np.isfinite(value) or column.gaps[row] for row, value in enumerate(column.values))
