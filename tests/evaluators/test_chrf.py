"""chrF and chrF++ equal sacrebleu's, sentence by sentence and for systems."""

from pathlib import Path

import pytest
from sacrebleu.metrics import CHRF

from assay import score
from tests.overlap_cases import dataset, real_cases, strange_cases, streams

OPTIONS = [
    ("chrf", {}),
    ("chrf(word_order=2)", {"word_order": 2}),
    ("chrf(eps_smoothing=True)", {"eps_smoothing": True}),
    ("chrf(word_order=2, beta=3, lowercase=True)", {"word_order": 2, "beta": 3, "lowercase": True}),
    ("chrf(char_order=3, whitespace=True)", {"char_order": 3, "whitespace": True}),
]


def agree(cases: list[tuple[str, list[str]]], name: str, options: dict[str, object]) -> None:
    table = score(dataset(cases), [name])
    peer = CHRF(**options)
    expected = [peer.sentence_score(text, references).score for text, references in cases]
    assert table[name].values == pytest.approx(expected, rel=0, abs=1e-9)
    whole = peer.corpus_score([text for text, _ in cases], streams(cases)).score
    assert table.by_system()[name].values == pytest.approx([whole], rel=0, abs=1e-9)


@pytest.mark.parametrize(("name", "options"), OPTIONS)
def test_equal_to_sacrebleu_on_strange_texts(name: str, options: dict[str, object]) -> None:
    agree(strange_cases(1000), name, options)


@pytest.mark.parametrize(("name", "options"), OPTIONS[:3])
def test_equal_to_sacrebleu_on_real_texts(data: Path, name: str, options: dict[str, object]) -> None:
    agree(real_cases(data, 1000), name, options)


def test_the_best_reference_counts() -> None:
    table = score(dataset([("a cat", ["no", "a cat", "a dog"])]), ["chrf"])
    assert table["chrf"].values.tolist() == [100.0]
