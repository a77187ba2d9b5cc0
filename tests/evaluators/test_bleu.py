"""BLEU equals sacrebleu's, sentence by sentence and for systems."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU

from assay import Dataset, score
from bench.texts import responses

WORDS = ["the", "cat", "sat", "on", "a", "mat", ",", ".", "3.5", "Größe", "日本", "don't", "&amp;", "-", "x-y"]
OPTIONS = [
    ("bleu", {}),
    ("bleu(max_order=2)", {"max_ngram_order": 2}),
    ("bleu(smoothing='floor')", {"smooth_method": "floor"}),
    ("bleu(smoothing='floor', smooth_value=0.3)", {"smooth_method": "floor", "smooth_value": 0.3}),
    ("bleu(smoothing='add-k')", {"smooth_method": "add-k"}),
    ("bleu(smoothing='none')", {"smooth_method": "none"}),
    ("bleu(lowercase=True)", {"lowercase": True}),
    ("bleu(tokenizer='none')", {"tokenize": "none", "force": True}),
    ("bleu(tokenizer='char')", {"tokenize": "char"}),
]


def dataset(cases: list[tuple[str, list[str]]]) -> Dataset:
    return Dataset.from_records([{"text": text, "references": references} for text, references in cases])


def agree(cases: list[tuple[str, list[str]]], name: str, options: dict[str, object]) -> None:
    table = score(dataset(cases), [name])
    sentence, corpus = BLEU(**{**options, "effective_order": True}), BLEU(**options)
    expected = [sentence.sentence_score(text, references).score for text, references in cases]
    assert table[name].values == pytest.approx(expected, rel=0, abs=1e-9)
    n = max(len(references) for _, references in cases)
    streams = [[refs[k] if k < len(refs) else None for _, refs in cases] for k in range(n)]
    whole = corpus.corpus_score([text for text, _ in cases], streams).score
    assert table.by_system()[name].values == pytest.approx([whole], rel=0, abs=1e-9)


def random_cases(n: int, seed: int) -> list[tuple[str, list[str]]]:
    rng = random.Random(seed)

    def text() -> str:
        return " ".join(rng.choices(WORDS, k=rng.choice([0, 1, 2, 3, 4, 5, 8, 13])))

    return [(text(), [text() for _ in range(rng.randint(1, 5))]) for _ in range(n)]


@pytest.mark.parametrize(("name", "options"), OPTIONS)
def test_equal_to_sacrebleu_on_random_texts(name: str, options: dict[str, object]) -> None:
    agree(random_cases(2000, 0), name, options)


@pytest.mark.parametrize(("name", "options"), OPTIONS[:4])
def test_equal_to_sacrebleu_on_real_texts(data: object, name: str, options: dict[str, object]) -> None:
    texts = responses()[:2400]
    agree([(texts[i], texts[i + 1 : i + 1 + i % 4 + 1]) for i in range(2000)], name, options)


@given(st.lists(st.tuples(st.text(max_size=30), st.lists(st.text(max_size=30), min_size=1, max_size=3)), min_size=1))
def test_equal_to_sacrebleu_on_any_text(cases: list[tuple[str, list[str]]]) -> None:
    clean = [
        (t.encode("utf-8", "replace").decode(), [r.encode("utf-8", "replace").decode() for r in rs]) for t, rs in cases
    ]
    agree(clean, "bleu", {})


def test_a_system_of_one_short_text_is_a_corpus_as_for_sacrebleu() -> None:
    table = score(dataset([("the cat", ["the cat"])]), ["bleu"])
    assert table["bleu"].values == pytest.approx([100.0])
    assert table.by_system()["bleu"].values == pytest.approx([BLEU().corpus_score(["the cat"], [["the cat"]]).score])


def test_no_match_is_a_score_of_zero_not_a_gap() -> None:
    assert score(dataset([("x", ["y"]), ("", ["y"])]), ["bleu"])["bleu"].values.tolist() == [0.0, 0.0]


def test_effective_order_can_be_fixed() -> None:
    always = score(dataset([("the cat", ["the cat"])]), ["bleu(effective_order=True)"])
    assert np.isclose(always.by_system().columns["bleu(effective_order=True)"].values, 100.0).all()
