"""The English Snowball stemmer agrees with nltk's, and with Snowball itself where nltk's does not."""

from pathlib import Path

from nltk.stem.snowball import SnowballStemmer

from assay.io import load
from assay.sample import copy_to
from assay.text.stems import snowball
from assay.text.strings import Strings
from assay.text.tokenizers import tokenize

# Stems by the Java Snowball stemmer; nltk's leaves an e behind in the words with -iz-, -at- and -ational-.
SNOWBALL = {
    "realization": "realiz",
    "irrationally": "irrat",
    "sensationalism": "sensat",
    "ionization": "ioniz",
    "theorizer": "theoriz",
    "generously": "generous",
    "communities": "communiti",
    "skies": "sky",
    "exceedingly": "exceed",
    "dog's": "dog",
    "'tis": "tis",
    "hopping": "hop",
    "hoping": "hope",
    "yelled": "yell",
    "sayings": "say",
    "ties": "tie",
    "gas": "gas",
    "bias": "bias",
    "by": "by",
    "enjoyed": "enjoy",
    "apologies": "apolog",
    "controlling": "control",
    "relative": "relat",
    "naïve": "naïv",
}


def test_stems_equal_snowball() -> None:
    assert snowball(Strings.of(SNOWBALL)) == list(SNOWBALL.values())


def test_stems_equal_nltk_on_real_words(tmp_path: Path) -> None:
    vocabulary = tokenize(load(copy_to(tmp_path)).outputs.text, "lower+13a").vocabulary.to_list()
    made = [
        word + ending for word in vocabulary[:400] for ending in ("ing", "ed", "s", "ness", "fully", "ation", "ies")
    ]
    nltk = SnowballStemmer("english")
    assert len(vocabulary) > 500
    words = [*vocabulary, *made]
    differing = {word for word, own in zip(words, snowball(Strings.of(words)), strict=True) if own != nltk.stem(word)}
    assert not differing - set(SNOWBALL), sorted(differing)[:20]
