"""Tokenization, n-gram ids and clipped counts, against Python, numpy and sacrebleu."""

import numpy as np
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

from assay.kernels.overlap.clipped import clipped_counts
from assay.kernels.overlap.ngrams import ngram_ids
from assay.kernels.ragged import Ragged
from assay.text.strings import Strings
from assay.text.tokenizers import tokenize
from bench.table import Row, best_cpu
from bench.texts import bank

N_UNITS, N_REFERENCES = 10_000, 5


def rows() -> list[Row]:
    texts = bank(N_UNITS * (1 + N_REFERENCES))
    column = Strings.of(texts)
    tokens = tokenize(column, "whitespace")
    tokenize(column, "13a")
    ngram_ids(tokens.ids, tokens.offsets, 4)
    statistics(texts, "13a")
    size = f"{len(texts):,} texts, {len(tokens.ids):,} tokens"
    result = [
        Row(
            "whitespace tokens",
            "split + dict",
            best_cpu(lambda: split_and_number(texts), 3),
            best_cpu(lambda: tokenize(column, "whitespace")),
            size,
        ),
        Row(
            "13a tokens",
            "sacrebleu + dict",
            best_cpu(lambda: sacrebleu_13a_and_number(texts), 2),
            best_cpu(lambda: tokenize(column, "13a")),
            size,
        ),
        Row(
            "n-gram numbers, orders 1-4",
            "np.unique",
            best_cpu(lambda: unique_ngrams(tokens.ids, 4), 3),
            best_cpu(lambda: ngram_ids(tokens.ids, tokens.offsets, 4)),
            "over the tokens above",
        ),
    ]
    for tokenizer, name in (("none", "whitespace"), ("13a", "13a")):
        result.append(
            Row(
                f"BLEU statistics, {name}",
                "sacrebleu",
                best_cpu(lambda tokenizer=tokenizer: sacrebleu_statistics(texts, tokenizer), 1),
                best_cpu(lambda tokenizer=tokenizer: statistics(texts, tokenizer)),
                f"{N_UNITS:,} x {N_REFERENCES} references, from Python strings",
            )
        )
    return result


def statistics(texts: list[str], tokenizer: str) -> np.ndarray:
    tokens = tokenize(Strings.of(texts), f"rstrip+{tokenizer}")
    candidates = np.arange(N_UNITS)
    references = np.arange(N_UNITS, len(texts)).reshape(N_REFERENCES, N_UNITS).T.ravel()
    offsets = np.arange(N_UNITS + 1) * N_REFERENCES
    return clipped_counts(tokens.ids, tokens.offsets, candidates, Ragged(references, offsets), 4)


def sacrebleu_statistics(texts: list[str], tokenizer: str) -> object:
    references = [texts[start : start + N_UNITS] for start in range(N_UNITS, len(texts), N_UNITS)]
    return BLEU(tokenize=tokenizer).corpus_score(texts[:N_UNITS], references)


def split_and_number(texts: list[str]) -> list[list[int]]:
    numbers: dict[str, int] = {}
    return [[numbers.setdefault(token, len(numbers)) for token in text.split()] for text in texts]


def sacrebleu_13a_and_number(texts: list[str]) -> list[list[int]]:
    Tokenizer13a.__call__.cache_clear()
    tokenizer = Tokenizer13a()
    tokenizer._post_tokenizer.__class__.__call__.cache_clear()
    numbers: dict[str, int] = {}
    return [[numbers.setdefault(token, len(numbers)) for token in tokenizer(text).split()] for text in texts]


def unique_ngrams(ids: np.ndarray, max_order: int) -> list[np.ndarray]:
    """Number n-grams by sorting, ignoring text boundaries."""
    result = [ids.astype(np.int64)]
    for order in range(1, max_order):
        pairs = (result[-1][: len(ids) - order] << 32) | ids[order:]
        result.append(np.unique(pairs, return_inverse=True)[1])
    return result
