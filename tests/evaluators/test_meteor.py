"""METEOR equals nltk's with nltk's alignment, and is never below it with its own."""

from pathlib import Path

import pytest
from nltk.translate.meteor_score import meteor_score

from assay import score
from assay.io.wordnet import DEBIAN
from assay.registry import parse
from tests.overlap_cases import dataset, real_cases, strange_cases
from tests.wordnets import read_by_nltk, write_tiny

AS_NLTK = "meteor(align='nltk', tokenizer='whitespace')"
SEARCHED = "meteor(tokenizer='whitespace')"


class NoSynonyms:
    """A WordNet that knows no word: the exact and stem stages of nltk alone."""

    def synsets(self, word: str) -> list[object]:
        return []


def test_exact_and_stem_stages_equal_nltk(data: Path) -> None:
    cases = strange_cases(1000) + real_cases(data, 1500)
    expected = [
        meteor_score([reference.split() for reference in references], text.split(), wordnet=NoSynonyms())
        for text, references in cases
    ]
    table = score(dataset(cases), [AS_NLTK, SEARCHED])
    assert table[AS_NLTK].values == pytest.approx(expected, rel=0, abs=1e-9)
    assert (table[SEARCHED].values >= table[AS_NLTK].values - 1e-12).all()
    assert (table[SEARCHED].values > table[AS_NLTK].values + 1e-9).sum() > 10


def test_parameters_equal_nltk(data: Path) -> None:
    cases = real_cases(data, 300)
    expected = [
        meteor_score(
            [reference.split() for reference in references],
            text.split(),
            wordnet=NoSynonyms(),
            alpha=0.8,
            beta=2.0,
            gamma=0.4,
        )
        for text, references in cases
    ]
    name = "meteor(align='nltk', tokenizer='whitespace', alpha=0.8, beta=2.0, gamma=0.4)"
    assert score(dataset(cases), [name])[name].values == pytest.approx(expected, rel=0, abs=1e-9)


def test_synonyms_are_looked_up_as_words_not_as_stems(tmp_path: Path) -> None:
    where = str(write_tiny(tmp_path / "wn"))
    name = f"meteor(tokenizer='whitespace', wordnet={where!r})"
    cases = [("large automobile", ["big car"]), ("large automobiles", ["big cars"]), ("ox", ["oxen"])]
    table = score(dataset(cases), [name, SEARCHED])
    # Two words, one chunk: 1 * (1 - .5 * (1 / 2)^3); one word, one chunk: .5.
    assert table[name].values.tolist() == pytest.approx([0.9375, 0.9375, 0.5])
    assert table[SEARCHED].values.tolist() == [0.0, 0.0, 0.0]


def test_the_signature_says_which_wordnet(tmp_path: Path) -> None:
    where = str(write_tiny(tmp_path / "wn"))
    evaluator = parse(f"meteor(wordnet={where!r})")
    assert f"wordnet='{where}@9.9-" in evaluator.signature
    assert parse(evaluator.signature) == evaluator


def test_nltk_looks_up_stems_and_we_do_not(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """nltk hands the synonym stage what the stem stage left over, as stems: "automobil" is in no WordNet."""
    net = read_by_nltk(tmp_path, monkeypatch)
    assert meteor_score([["big", "car"]], ["large", "automobile"], wordnet=net) == 0.0

    cases = [("large automobile", ["big car"]), *real_cases(data, 500)]
    name = f"meteor(align='nltk', tokenizer='whitespace', wordnet='{DEBIAN}')"
    ours = score(dataset(cases), [name, AS_NLTK])
    theirs = [
        meteor_score([reference.split() for reference in references], text.split(), wordnet=net)
        for text, references in cases
    ]
    assert ours[name].values[0] == pytest.approx(0.9375)
    # Synonyms add matches; a match more can also add a chunk, so single scores may fall, the mean rises.
    assert ours[name].values.mean() > sum(theirs) / len(theirs) > ours[AS_NLTK].values.mean()
