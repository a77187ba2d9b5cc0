"""Self-BLEU equals nltk's BLEU of every text against all others, averaged."""

import warnings
from pathlib import Path

import numpy as np
import pytest
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

from assay import Dataset, score
from tests.overlap_cases import real_texts, strange_cases

METHODS = {"none": "method0", "floor": "method1", "add-k": "method2", "exp": "method3"}


def peer(texts: list[str], smoothing: str, max_order: int = 4) -> float:
    split = [text.split() for text in texts]
    method = getattr(SmoothingFunction(), METHODS[smoothing])
    weights = (1 / max_order,) * max_order
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scores = [
            sentence_bleu(split[:i] + split[i + 1 :], text, weights, smoothing_function=method)
            for i, text in enumerate(split)
        ]
    return 100 * float(np.mean(scores))


def sets_of(groups: list[list[str]]) -> Dataset:
    return Dataset.from_records(
        {"text": text, "item": f"i{g}", "set": f"s{g}", "system": f"m{g % 3}"}
        for g, group in enumerate(groups)
        for text in group
    )


@pytest.mark.parametrize("smoothing", METHODS)
def test_sets_equal_nltk(data: Path, smoothing: str) -> None:
    texts = real_texts(data)
    groups = [texts[i : i + 5] for i in range(0, 5000, 20)]
    groups += [[text, *references, text] for text, references in strange_cases(250)]
    name = f"self_bleu(smoothing='{smoothing}', tokenizer='whitespace')"
    table = score(sets_of(groups), [name])
    assert table.kind == "set"
    assert sum(map(len, groups)) > 2000
    silent = np.array(
        [reason == "no response has any text" for reason in map(table[name].gaps.__getitem__, range(500))]
    )
    assert silent.tolist() == [not any(byte > 32 for text in group for byte in text.encode()) for group in groups]
    expected = np.array([peer(group, smoothing) for group in groups])
    assert table[name].values[~silent] == pytest.approx(expected[~silent], rel=0, abs=1e-9)


def test_systems_equal_nltk(data: Path) -> None:
    texts = real_texts(data)
    groups = [texts[i : i + 5] for i in range(0, 450, 5)]
    name = "self_bleu(max_order=3, tokenizer='whitespace')"
    table = score(sets_of(groups), [name], unit="system")
    for row, system in enumerate(table.unit):
        members = [text for g, group in enumerate(groups) if f"m{g % 3}" == system for text in group]
        assert table[name].values[row] == pytest.approx(peer(members, "floor", 3), abs=1e-9)


def test_a_single_text_has_no_self_bleu() -> None:
    table = score(sets_of([["alone"], ["a b", "a b"]]), ["self_bleu"])
    assert np.isnan(table["self_bleu"].values).tolist() == [True, False]
    assert table["self_bleu"].gaps[0] == "fewer than 2 texts"
