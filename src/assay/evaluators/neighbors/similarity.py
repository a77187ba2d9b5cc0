"""Similarity kernels: the texts of a bank that are similar to each candidate.

`bleu` is BLEU*, `rouge_l` the F1 of the longest common subsequence, `cosine` that of sentence embeddings and
`bertscore` the greedy match of token embeddings. Any evaluator with references (`meteor`, `chrf`, ...) serves too; a
scale of 0 to 100 is divided by 100.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.backends.bertscore import token_vectors
from assay.backends.embeddings import load_encoder
from assay.batch import Batch, TextBank
from assay.errors import EvaluatorError
from assay.evaluator import Evaluator, Fitted, PerRequest
from assay.io.model_folders import named_by_content
from assay.kernels.pairs.bleu_pairs import bleu_rows, pair_index
from assay.kernels.pairs.dense_pairs import Block, dense_rows, greedy_f1_block, rouge_l_block
from assay.kernels.pairs.sparse_rows import SparseRows
from assay.kernels.ragged import Ragged
from assay.records import Dataset
from assay.registry import parse
from assay.text.strings import Strings
from assay.text.tokenizers import check_tokenizer, tokenize
from assay.units import Units

TAU = {"bleu": 0.08, "rouge_l": 0.06, "meteor": 0.18, "bertscore": 0.10, "chrf": 0.2, "cosine": 0.08}
"""Thresholds: those of the paper for the first four, the others chosen by its rule on its data."""

TOKENIZER = {"bleu": "chars", "rouge_l": "whitespace"}
ORDERS = {"bleu": (2, 3, 4)}
ENCODER = {"cosine": "minilm", "bertscore": "minilm"}

Rows = Iterator[tuple[int, SparseRows]]
ENTRIES = 1 << 18  # pairs per block of dense similarities


@dataclass(frozen=True)
class Similarity:
    """How texts are compared. Defaults are filled in; parameters that the kernel does not use are refused.

    `tokenizer` is for `bleu` and `rouge_l`, `orders` for `bleu`, `encoder` for `cosine` and `bertscore`.
    """

    kernel: str = "bleu"
    tokenizer: str | None = None
    orders: tuple[int, ...] | None = None
    encoder: str | None = None

    def __post_init__(self) -> None:
        if self.kernel not in KERNELS:
            _pair_evaluator(self.kernel)
        for name, defaults in (("tokenizer", TOKENIZER), ("orders", ORDERS), ("encoder", ENCODER)):
            if getattr(self, name) is None:
                object.__setattr__(self, name, defaults.get(self.kernel))
            elif self.kernel not in defaults:
                raise EvaluatorError(
                    f"the kernel {self.kernel!r} has no {name}: that is for {' and '.join(defaults)}. Leave it out."
                )
        if self.tokenizer is not None:
            check_tokenizer(self.tokenizer)
        if self.orders is not None and (not self.orders or min(self.orders) < 1):
            raise EvaluatorError(f"orders must be n-gram lengths from 1 up. Got {self.orders}.")
        if self.encoder is not None:
            object.__setattr__(self, "encoder", named_by_content(self.encoder))

    @property
    def signature(self) -> str:
        """The name of the kernel, or the signature of the evaluator that serves as one."""
        return self.kernel if self.kernel in KERNELS else _pair_evaluator(self.kernel).signature

    @property
    def tau(self) -> float:
        """The default threshold."""
        if self.kernel not in TAU:
            raise EvaluatorError(f"the kernel {self.kernel!r} has no default threshold: give tau.")
        return TAU[self.kernel]

    def rows(self, candidates: Strings, bank: Strings | None, threshold: float, workers: int = 1) -> Rows:
        """Yield (first row, rows) per block of candidates; without a bank they are compared with each other."""
        return KERNELS.get(self.kernel, _evaluator_rows)(self, candidates, bank, threshold, workers)


def _bleu(how: Similarity, candidates: Strings, bank: Strings | None, threshold: float, workers: int) -> Rows:
    tokens = tokenize(_together(candidates, bank), how.tokenizer or "")
    index = pair_index(tokens.ids, tokens.offsets, None if bank is None else len(candidates), how.orders or ())
    return bleu_rows(index, threshold, workers=workers)


def _rouge_l(how: Similarity, candidates: Strings, bank: Strings | None, threshold: float, workers: int) -> Rows:
    tokens = tokenize(_together(candidates, bank), how.tokenizer or "")
    columns = _columns(candidates, bank)

    def block(start: int, stop: int) -> NDArray[np.float64]:
        return rouge_l_block(tokens.ids, tokens.offsets, np.arange(start, stop), columns)

    return _dense(block, candidates, columns, threshold, workers)


def _cosine(how: Similarity, candidates: Strings, bank: Strings | None, threshold: float, workers: int) -> Rows:
    encoder = load_encoder(how.encoder)
    vectors = encoder.embed(_together(candidates, bank).to_list()).astype(np.float64)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    columns = _columns(candidates, bank)
    of_bank = vectors[columns].T

    def block(start: int, stop: int) -> NDArray[np.float64]:
        return np.asarray(vectors[start:stop] @ of_bank)

    return _dense(block, candidates, columns, threshold, workers)


def _bertscore(how: Similarity, candidates: Strings, bank: Strings | None, threshold: float, workers: int) -> Rows:
    assert how.encoder is not None
    states, bounds, weights = token_vectors(_together(candidates, bank).to_list(), how.encoder)
    columns = _columns(candidates, bank)

    def block(start: int, stop: int) -> NDArray[np.float64]:
        return greedy_f1_block(states, bounds, weights, np.arange(start, stop), columns)

    return _dense(block, candidates, columns, threshold, workers)


KERNELS: Mapping[str, Callable[[Similarity, Strings, Strings | None, float, int], Rows]] = {
    "bleu": _bleu,
    "rouge_l": _rouge_l,
    "cosine": _cosine,
    "bertscore": _bertscore,
}


def _evaluator_rows(how: Similarity, candidates: Strings, bank: Strings | None, threshold: float, workers: int) -> Rows:
    """Score all pairs with an evaluator: the text of the bank is the only reference."""
    scorer = _pair_evaluator(how.kernel)
    scale = 100.0 if scorer.about.scale.startswith("0 to 100") else 1.0
    texts = _together(candidates, bank)
    dataset = _dataset(texts)
    text_bank = TextBank(dataset, np.arange(len(texts)))
    columns = _columns(candidates, bank)

    def block(start: int, stop: int) -> NDArray[np.float64]:
        left = np.repeat(np.arange(start, stop), len(columns))
        right = np.tile(columns, stop - start)
        members = Ragged.pairs(left, right)
        units = Units("pair", dataset, members)
        pairs = Batch(units, np.arange(len(left)), text_bank, members, members, Ragged.singles(right))
        return scorer.score(pairs).values.reshape(stop - start, len(columns)) / scale

    return _dense(block, candidates, columns, threshold, workers=1)


def _pair_evaluator(name: str) -> Evaluator:
    known = ", ".join([*KERNELS, "meteor", "chrf"])
    try:
        scorer = parse(name)
    except EvaluatorError as error:
        raise EvaluatorError(f"no kernel {name!r}: {error} Kernels: {known}, or a metric with references.") from error
    if scorer.references is None or not scorer.about.higher_is_better:
        raise EvaluatorError(f"{name!r} is no similarity of two texts, so it cannot be a kernel. Kernels: {known}.")
    if isinstance(scorer.shape, Fitted | PerRequest) or scorer.shape.uses:
        raise EvaluatorError(
            f"a kernel compares all pairs of texts by itself, and {name!r} learns, calls a service or uses other "
            f"evaluators. Kernels: {known}."
        )
    return scorer


def _dataset(texts: Strings) -> Dataset:
    records: list[dict[str, Any]] = [{"id": str(i), "item": "all", "text": text} for i, text in enumerate(texts)]
    return Dataset.from_records(records)


def _dense(block: Block, candidates: Strings, columns: NDArray[np.int64], threshold: float, workers: int) -> Rows:
    return dense_rows(block, len(candidates), len(columns), threshold, entries=ENTRIES, workers=workers)


def _together(candidates: Strings, bank: Strings | None) -> Strings:
    return candidates if bank is None else Strings.concatenate([candidates, bank])


def _columns(candidates: Strings, bank: Strings | None) -> NDArray[np.int64]:
    """The positions of the bank in `_together`."""
    return np.arange(len(candidates)) if bank is None else len(candidates) + np.arange(len(bank))
