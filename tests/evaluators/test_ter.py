"""TER equals sacrebleu's, sentence by sentence and for systems."""

from pathlib import Path

import pytest
from sacrebleu.metrics import TER

from assay import score
from tests.overlap_cases import dataset, real_cases, strange_cases, streams

OPTIONS = [
    ("ter", {}),
    ("ter(lowercase=False)", {"case_sensitive": True}),
    ("ter(tokenizer='tercom')", {"normalized": True}),
    (
        "ter(tokenizer='tercom-no-punct-asian')",
        {"normalized": True, "no_punct": True, "asian_support": True},
    ),
]


def agree(cases: list[tuple[str, list[str]]], name: str, options: dict[str, object]) -> None:
    peer = TER(**options)
    # sacrebleu normalizes references twice, which changes a few odd ones ("1.,2"); we do it once.
    once = peer._preprocess_segment
    cases = [case for case in cases if all(once(once(reference)) == once(reference) for reference in case[1])]
    assert len(cases) > 50
    table = score(dataset(cases), [name])
    expected = [peer.sentence_score(text, references).score for text, references in cases]
    assert table[name].values == pytest.approx(expected, rel=0, abs=1e-9)
    whole = peer.corpus_score([text for text, _ in cases], streams(cases)).score
    assert table.by_system()[name].values == pytest.approx([whole], rel=0, abs=1e-9)


@pytest.mark.parametrize(("name", "options"), OPTIONS)
def test_equal_to_sacrebleu_on_strange_texts(name: str, options: dict[str, object]) -> None:
    agree(strange_cases(1200), name, options)


def test_equal_to_sacrebleu_on_real_texts(data: Path) -> None:
    short = [case for case in real_cases(data, 1500) if all(len(text.split()) <= 20 for text in (case[0], *case[1]))]
    agree(short[:1000], "ter", {})


@pytest.mark.slow
def test_equal_to_sacrebleu_on_long_real_texts(data: Path) -> None:
    long = [case for case in real_cases(data, 3000) if len(case[0].split()) > 30]
    agree(long[:60], "ter", {})


def test_lower_is_better_and_a_copy_costs_nothing() -> None:
    column = score(dataset([("A cat sat", ["a cat sat"]), ("sat a cat", ["a cat sat"])]), ["ter"])["ter"]
    assert column.values.tolist() == [0.0, pytest.approx(100 / 3)]
    assert column.higher_is_better is False
