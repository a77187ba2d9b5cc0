"""Answers to questions as SQuAD reads them (Rajpurkar et al. 2016): no case, punctuation or articles."""

import re
import string

from assay.text.plain import split_at_white_space
from assay.text.strings import Strings
from assay.text.tokens import Tokens, split_with

ARTICLES = re.compile(r"\b(a|an|the)\b")
PUNCTUATION = str.maketrans("", "", string.punctuation)


def without_articles(text: str) -> str:
    """Replace lowercase articles by spaces."""
    return ARTICLES.sub(" ", text)


def without_punctuation(text: str) -> str:
    """Delete ASCII punctuation."""
    return text.translate(PUNCTUATION)


def squad(texts: Strings) -> Tokens:
    """Lowercase, delete ASCII punctuation, then articles, and split at white space."""
    return split_with(
        texts,
        split_at_white_space,
        lambda block: Strings.of(without_articles(without_punctuation(text.lower())) for text in block),
    )
