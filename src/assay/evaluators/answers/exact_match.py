"""Exact match, as question answering and lm-evaluation-harness count it."""

from __future__ import annotations

import string

from assay.batch import Batch
from assay.evaluator import Scored, Shape, batched, evaluator
from assay.evaluators.answers.equal import equal_to_any
from assay.references import References, given
from assay.text.answers import without_articles, without_punctuation

DIGITS = str.maketrans("", "", string.digits)


@evaluator(needs=("references",), scale="0 or 1", cite="Rajpurkar et al. 2016")
def exact_match(
    *,
    ignore_case: bool = False,
    ignore_punctuation: bool = False,
    ignore_numbers: bool = False,
    ignore_articles: bool = False,
    ignore_spacing: bool = False,
    references: References = given(),  # noqa: B008 (a value, never changed)
) -> Shape:
    """Whether the text equals one of its references.

    The first three options are those of lm-evaluation-harness. SQuAD ignores all but numbers: case, ASCII
    punctuation, the articles a, an and the, and how words are spaced.
    """

    def key(text: str) -> str:
        text = text.lower() if ignore_case else text
        text = without_punctuation(text) if ignore_punctuation else text
        text = text.translate(DIGITS) if ignore_numbers else text
        text = without_articles(text) if ignore_articles else text
        return " ".join(text.split()) if ignore_spacing else text

    def score(batch: Batch) -> Scored:
        return equal_to_any(batch, key, "no reference")

    return batched(score, reads=("text", "references"))
