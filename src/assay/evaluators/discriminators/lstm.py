"""An LSTM on words."""

from __future__ import annotations

from assay.evaluator import Shape, evaluator
from assay.evaluators.discriminators.discriminator import discriminator
from assay.evaluators.discriminators.network import on_words
from assay.evaluators.discriminators.sequences import Words


@evaluator(scale="probability that a human wrote the text", cite="Garbacea et al. 2019")
def lstm(
    *, tokenizer: str = "13a", min_texts: int = 2, max_tokens: int = 128, epochs: int = 12, search: int = 1
) -> Shape:
    """An LSTM on words: the probability that a human wrote the text."""
    return discriminator(Words(tokenizer, min_texts, max_tokens), on_words("lstm", epochs), search)
