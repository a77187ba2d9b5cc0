"""BLEU as the COCO caption evaluation and as nltk, sentence by sentence and for systems."""

import contextlib
import io
import warnings
from pathlib import Path

import pytest
from nltk.translate.bleu_score import SmoothingFunction, corpus_bleu, sentence_bleu
from pycocoevalcap.bleu.bleu import Bleu

from assay import score
from assay.errors import EvaluatorError
from assay.registry import parse
from tests.overlap_cases import dataset, real_cases, strange_cases

METHODS = {"none": "method0", "floor": "method1", "add-k": "method2", "exp": "method3"}


@pytest.mark.parametrize("max_order", [1, 2, 4])
def test_equal_to_coco(data: Path, max_order: int) -> None:
    cases = strange_cases(1000) + real_cases(data, 1500)
    with contextlib.redirect_stdout(io.StringIO()):
        whole, single = Bleu(4).compute_score(
            {i: references for i, (_, references) in enumerate(cases)},
            {i: [text] for i, (text, _) in enumerate(cases)},
            verbose=0,
        )
    name = f"bleu(variant='coco', max_order={max_order})"
    table = score(dataset(cases), [name])
    expected = [100 * value for value in single[max_order - 1]]
    assert table[name].values == pytest.approx(expected, rel=0, abs=1e-6)
    assert table.by_system()[name].values == pytest.approx([100 * whole[max_order - 1]], rel=0, abs=1e-6)


@pytest.mark.parametrize("smoothing", METHODS)
def test_equal_to_nltk(data: Path, smoothing: str) -> None:
    cases = strange_cases(1000) + real_cases(data, 1000)
    split = [([reference.split() for reference in references], text.split()) for text, references in cases]
    method = getattr(SmoothingFunction(), METHODS[smoothing])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # nltk warns about every order without a match
        expected = [100 * sentence_bleu(refs, text, smoothing_function=method) for refs, text in split]
        whole = 100 * corpus_bleu([refs for refs, _ in split], [text for _, text in split], smoothing_function=method)
    name = f"bleu(variant='nltk', smoothing='{smoothing}')"
    table = score(dataset(cases), [name])
    assert table[name].values == pytest.approx(expected, rel=0, abs=1e-9)
    assert table.by_system()[name].values == pytest.approx([whole], rel=0, abs=1e-9)


def test_the_signature_says_what_the_variant_took() -> None:
    coco, plain = parse("bleu(variant='coco')"), parse("bleu")
    assert coco.params["tokenizer"] == "whitespace"
    assert (plain.params["tokenizer"], plain.params["smoothing"]) == ("13a", "exp")
    assert parse(coco.signature) == coco
    assert parse(plain.signature) == plain == parse("bleu(smoothing='exp')")


def test_what_a_variant_does_not_have_is_an_error() -> None:
    with pytest.raises(EvaluatorError, match="no smoothing"):
        parse("bleu(variant='coco', smoothing='exp')")
    with pytest.raises(EvaluatorError, match="no effective order"):
        parse("bleu(variant='nltk', effective_order=True)")
