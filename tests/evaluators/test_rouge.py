"""ROUGE equals rouge-score's and the COCO caption evaluation's."""

import random
import re
from pathlib import Path

import numpy as np
import pytest
from pycocoevalcap.rouge.rouge import Rouge
from rouge_score.rouge_scorer import RougeScorer

from assay import score
from assay.errors import EvaluatorError
from assay.registry import parse
from tests.overlap_cases import dataset, real_cases, strange_cases

Cases = list[tuple[str, list[str]]]


@pytest.mark.parametrize("stemmer", [False, True])
@pytest.mark.parametrize("kind", ["1", "2", "L"])
def test_equal_to_rouge_score(data: Path, kind: str, stemmer: bool) -> None:
    cases = strange_cases(1000) + real_cases(data, 1000)
    peer = RougeScorer([f"rouge{kind}"], use_stemmer=stemmer)
    expected = [peer.score_multi(references, text)[f"rouge{kind}"] for text, references in cases]
    for measure in ("precision", "recall", "f"):
        name = f"rouge('{kind}', stemmer={stemmer}, measure='{measure}')"
        peers = [getattr(found, "fmeasure" if measure == "f" else measure) for found in expected]
        assert score(dataset(cases), [name])[name].values == pytest.approx(peers, rel=0, abs=1e-9)


def in_lines(text: str, rng: random.Random) -> str:
    """Break a text into lines at random, empty ones and spaces at line ends included."""
    return re.sub(" ", lambda _: rng.choice((" ", " ", "\n", "\n\n", " \n")), text)


@pytest.mark.parametrize("stemmer", [False, True])
def test_lsum_is_equal_to_rouge_score(data: Path, stemmer: bool) -> None:
    rng = random.Random(5)
    cases = [
        (in_lines(text, rng), [in_lines(reference, rng) for reference in references])
        for text, references in strange_cases(500) + real_cases(data, 1000)
    ]
    peer = RougeScorer(["rougeLsum"], use_stemmer=stemmer)
    expected = [peer.score_multi(references, text)["rougeLsum"] for text, references in cases]
    for measure in ("precision", "recall", "f"):
        name = f"rouge('Lsum', stemmer={stemmer}, measure='{measure}')"
        peers = [getattr(result, "fmeasure" if measure == "f" else measure) for result in expected]
        assert score(dataset(cases), [name])[name].values == pytest.approx(peers, rel=0, abs=1e-9)


def test_a_long_text_has_no_lsum() -> None:
    table = score(dataset([("word " * 5001, ["word"]), ("word", ["word"])]), ["rouge('Lsum')"])
    assert np.isnan(table["rouge('Lsum')"].values[0]) and table["rouge('Lsum')"].values[1] == 1.0
    assert any("more than 5,000 tokens" in reason for reason in table["rouge('Lsum')"].gaps.reasons)


def test_equal_to_coco(data: Path) -> None:
    cases = strange_cases(1000) + real_cases(data, 1500)
    expected = [Rouge().calc_score([text], references) for text, references in cases]
    name = "rouge('L', variant='coco')"
    table = score(dataset(cases), [name])
    assert table[name].values == pytest.approx(expected, rel=0, abs=1e-9)
    assert table.by_system()[name].values == pytest.approx([np.mean(expected)], abs=1e-9)


def test_the_variants_differ_as_documented() -> None:
    # rouge-score takes the best reference; coco the best precision and the best recall of different ones.
    cases = [("the cat sat", ["the cat sat on a mat", "sat"])]
    table = score(dataset(cases), ["rouge", "rouge(variant='coco')"])
    assert table["rouge"].values.tolist() == [pytest.approx(2 / 3)]
    assert table["rouge(variant='coco')"].values.tolist() == [1.0]


def test_the_signature_says_what_the_variant_took() -> None:
    assert parse("rouge(variant='coco')").signature.startswith(
        "rouge(kind='L', variant='coco', measure='f', stemmer=False, tokenizer='spaces', beta=1.2"
    )


def test_an_unknown_kind_is_an_error() -> None:
    with pytest.raises(EvaluatorError, match="'Lsum' or a digit"):
        parse("rouge('M')")
