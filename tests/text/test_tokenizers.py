import csv
import random
import re
import string
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.tokenize import tokenize as rouge_score_tokenize
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

from assay.errors import EvaluatorError, MissingExtra
from assay.text.strings import Strings
from assay.text.tokenizers import BUILTIN, check_tokenizer, tokenize, tokenizer_names
from assay.text.tokens import Tokens

ASCII_MARKS = f"[{re.escape(string.punctuation)}]"
PYTHON_TWINS: dict[str, Callable[[str], list[str]]] = {
    "13a": lambda text: sacrebleu_13a(text).split(),
    "chars": list,
    "chrf": lambda text: sacrebleu_chrf._remove_punctuation(text),
    "diversity": lambda text: [word for word in text.replace(".", "").replace("\n", "").split(" ") if word],
    "letters": lambda text: list("".join(text.split())),
    "none": str.split,
    "rouge": lambda text: rouge_score_tokenize(text, None),
    "spaces": lambda text: text.split(" "),
    "squad": lambda text: re.sub(r"\b(a|an|the)\b", " ", re.sub(ASCII_MARKS, "", text.lower())).split(),
    "whitespace": str.split,
    "lower+whitespace": lambda text: text.lower().split(),
    "rstrip+chars": lambda text: list(text.rstrip()),
    "lower+rstrip+13a": lambda text: sacrebleu_13a(text.lower().rstrip()).split(),
}

WHITE_SPACE = [chr(code) for code in range(sys.maxunicode + 1) if chr(code).isspace()]
NOT_QUITE_WHITE_SPACE = ["\u200b", "\u180e", "\u2060", "\ufeff", "\x84", "\u200e", "\u2027", "\u3001"]
PIECES = [
    *map(chr, range(128)),
    *WHITE_SPACE,
    *NOT_QUITE_WHITE_SPACE,
    *"\u00e9\u0301\u0308\u4e2d\u6587\U0001f600\u0660\u00b2\uff0e\uff0c\u2013\u0130\u00df",
    *["<skipped>", "<skip", "ped>", "-\n", "&quot;", "&amp;", "&lt;", "&gt;", "&am", "p;", "lt;", "quot;"],
    *["1.5", "1,000", "5-", "-5", "..", ".,", "a.", ".5", "3.", "...", "e.g."],
]
some_text = st.lists(st.sampled_from(PIECES), max_size=15).map("".join) | st.text(max_size=20)
sacrebleu_13a = Tokenizer13a()
sacrebleu_chrf = CHRF(word_order=2)


def test_every_native_tokenizer_has_a_reference_implementation() -> None:
    assert set(BUILTIN) <= set(PYTHON_TWINS)


@pytest.mark.parametrize("name", PYTHON_TWINS)
@given(st.lists(some_text, max_size=5))
def test_equals_its_reference_implementation(name: str, texts: list[str]) -> None:
    assert first_difference(texts, name, PYTHON_TWINS[name]) is None


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Hello, world.", "Hello , world ."),
        ("a..5", "a . .5"),  # rule 2 has consumed the first period
        ("1,000.5 and 5. or .5", "1,000.5 and 5 . or . 5"),
        ("1990-1995 well-known", "1990 - 1995 well-known"),
        ("&amp;lt; &amp;quot;", "< & quot ;"),  # &amp; is unescaped after &quot; and before &lt;
        ("hyphen-\nated new\nline", "hyphenated new line"),
        ("-<skipped>\nx <skip-\nped>", "x < skipped >"),
        ("it's 50% (off)", "it's 50 % ( off )"),
        ("", ""),
        (" \u3000\x1c", ""),
    ],
)
def test_13a_by_hand(text: str, tokens: str) -> None:
    assert tokens_of(tokenize(Strings.of([text]), "13a")) == [tokens.split()]
    assert sacrebleu_13a(text) == tokens


def test_13a_equals_sacrebleu_on_100_000_random_strings() -> None:
    choose = random.Random(13)
    texts = ["".join(choose.choices(PIECES, k=choose.randint(0, 25))) for _ in range(100_000)]
    assert first_difference(texts, "13a", PYTHON_TWINS["13a"]) is None


def test_13a_equals_sacrebleu_on_100_000_real_strings(data: Path) -> None:
    """Every field of all real files: human and generated texts, HTML, numbers, lists."""
    texts = real_fields(data)
    assert len(texts) > 100_000
    for name in ("13a", "whitespace", "diversity"):
        assert first_difference(texts, name, PYTHON_TWINS[name]) is None


@pytest.mark.parametrize("name", ["char", "intl", "zh"])
@given(st.lists(some_text, max_size=5))
def test_borrowed_tokenizers_equal_sacrebleu(name: str, texts: list[str]) -> None:
    from sacrebleu.metrics.bleu import BLEU

    tokenizer = BLEU(tokenize=name).tokenizer
    assert first_difference(texts, name, lambda text: tokenizer(text).split()) is None


def test_ids_are_numbered_by_first_appearance_across_blocks() -> None:
    words = [f"w{i % 5000}" for i in range(300_000)]
    tokens = tokenize(Strings.of(" ".join(words[i : i + 7]) for i in range(0, len(words), 7)), "whitespace")
    assert np.array_equal(tokens.ids, np.arange(300_000) % 5000)
    assert tokens.vocabulary.to_list() == words[:5000]
    assert len(tokens) == -(-300_000 // 7)
    assert tokens.lengths[:-1].tolist() == [7] * (len(tokens) - 1)


@pytest.mark.parametrize("name", PYTHON_TWINS)
def test_a_slice_and_no_texts_at_all(name: str) -> None:
    texts = ["not this one.", "Some, text", "", "here 5. ", "nor this"]
    part = Strings.of(texts).slice(1, 4)
    assert tokens_of(tokenize(part, name)) == [PYTHON_TWINS[name](text) for text in texts[1:4]]
    nothing = tokenize(Strings.of([]), name)
    assert (len(nothing), len(nothing.ids), len(nothing.vocabulary)) == (0, 0, 0)


def test_unknown_names_get_a_suggestion() -> None:
    with pytest.raises(EvaluatorError, match=r"no tokenizer 'whitspace'.*Did you mean 'whitespace'"):
        check_tokenizer("whitspace")
    with pytest.raises(EvaluatorError, match=r"'lowr'.*Did you mean 'lower'"):
        tokenize(Strings.of(["a"]), "lowr+13a")
    assert {"13a", "chars", "diversity", "whitespace", "intl", "zh"} <= set(tokenizer_names())


def test_without_sacrebleu_the_message_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sacrebleu.metrics.bleu", None)
    with pytest.raises(MissingExtra, match=r"pip install 'assay\[tokenizers\]'"):
        tokenize(Strings.of(["a"]), "intl")
    assert tokens_of(tokenize(Strings.of(["a."]), "13a")) == [["a", "."]]


def test_no_model_is_downloaded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("sacrebleu.utils.SACREBLEU_DIR", str(tmp_path))
    with pytest.raises(EvaluatorError, match=r"needs the model .*flores200sacrebleuspm"):
        tokenize(Strings.of(["a"]), "flores200")
    assert not list(tmp_path.iterdir())


def test_the_second_start_compiles_nothing() -> None:
    program = """
from assay.text.strings import Strings
from assay.text.tokenizers import tokenize
from assay.text.mteval import split_13a
from assay.kernels.bytes.intern import _add
tokenize(Strings.of(["Hello, world."]), "13a")
for kernel in (split_13a, _add):
    assert not kernel.stats.cache_misses, kernel.stats
    assert sum(kernel.stats.cache_hits.values()) == 1, kernel.stats
"""
    tokenize(Strings.of(["Hello, world."]), "13a")  # by now the compiled code is on disk
    subprocess.run([sys.executable, "-c", program], check=True)


def tokens_of(tokens: Tokens) -> list[list[str]]:
    vocabulary = tokens.vocabulary.to_list()
    ids, offsets = tokens.ids.tolist(), tokens.offsets.tolist()
    return [[vocabulary[token] for token in ids[start:end]] for start, end in pairwise(offsets)]


def first_difference(texts: list[str], name: str, twin: Callable[[str], list[str]]) -> object:
    column = Strings.of(texts)
    for text, result in zip(column, tokens_of(tokenize(column, name)), strict=True):
        if result != twin(text):
            return text, result, twin(text)
    return None


def real_fields(data: Path) -> list[str]:
    fields: set[str] = set()
    for file in sorted(data.rglob("*.csv")):
        with file.open(encoding="utf-8", newline="") as lines:
            for row in csv.reader(lines):
                fields.update(row)
    return sorted(fields)
