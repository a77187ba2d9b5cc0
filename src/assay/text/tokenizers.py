"""Tokenizers by name. To add one, write a function `Strings -> Tokens` and add a line to `BUILTIN`.

A name may have normalizers as prefixes: `lower+13a`, `rstrip+13a`, `lower+rstrip+13a`.
"""

from collections.abc import Callable

from assay.errors import EvaluatorError, did_you_mean
from assay.named import load_named
from assay.text import borrowed, normalizers
from assay.text.strings import Strings
from assay.text.tokens import Tokens, blocks

BUILTIN = {
    "13a": "assay.text.mteval:mteval_13a",
    "chars": "assay.text.plain:chars",
    "chrf": "assay.text.of_metrics:chrf",
    "diversity": "assay.text.plain:diversity",
    "letters": "assay.text.of_metrics:letters",
    "none": "assay.text.plain:whitespace",  # sacrebleu's name for pretokenized text
    "rouge": "assay.text.of_metrics:rouge",
    "spaces": "assay.text.of_metrics:spaces",
    "squad": "assay.text.answers:squad",
    "whitespace": "assay.text.plain:whitespace",
}

NORMALIZERS: dict[str, Callable[[Strings], Strings]] = {
    "lower": normalizers.lower,
    "rstrip": normalizers.rstrip,
}


def tokenize(texts: Strings, name: str) -> Tokens:
    """Turn texts into integer tokens with the named tokenizer."""
    *steps, tokenizer = name.split("+")
    check_tokenizer(name)
    if steps:
        texts = Strings.concatenate([_normalized(block, steps) for block in blocks(texts)])
    if tokenizer in borrowed.NAMES:
        return borrowed.tokenize_with_sacrebleu(texts, tokenizer)
    result: Tokens = load_named(BUILTIN[tokenizer])(texts)
    return result


def _normalized(block: Strings, steps: list[str]) -> Strings:
    for step in steps:
        block = NORMALIZERS[step](block)
    return block


def tokenizer_names() -> list[str]:
    """Return the names of all tokenizers, including those that need sacrebleu."""
    return sorted([*BUILTIN, *borrowed.NAMES])


def check_tokenizer(name: str) -> None:
    """Raise EvaluatorError if there is no tokenizer of that name."""
    *steps, tokenizer = name.split("+")
    for step in steps:
        if step not in NORMALIZERS:
            raise EvaluatorError(
                f"There is no normalizer {step!r} to apply before a tokenizer.{did_you_mean(step, NORMALIZERS)}"
            )
    if tokenizer not in tokenizer_names():
        raise EvaluatorError(f"There is no tokenizer {tokenizer!r}.{did_you_mean(tokenizer, tokenizer_names())}")
