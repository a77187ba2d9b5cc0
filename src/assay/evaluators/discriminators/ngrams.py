"""N-grams as features: counts of those that occur in enough training texts, from the ids shared by all evaluators."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.batch import Batch
from assay.errors import EvaluatorError
from assay.evaluator import State
from assay.evaluators.discriminators.learner import Mask
from assay.kernels.overlap.bags import bag_of_ngrams, document_frequencies
from assay.kernels.ragged import running_offsets
from assay.text.tokenizers import check_tokenizer


@dataclass(frozen=True)
class NGrams:
    """N-grams up to an order, in at least `min_texts` training texts; of more than `max_features` the most frequent."""

    tokenizer: str
    max_order: int
    min_texts: int
    max_features: int | None = None

    def __post_init__(self) -> None:
        check_tokenizer(self.tokenizer)
        for name in ("max_order", "min_texts", "max_features"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise EvaluatorError(f"{name} must be 1 or more, not {value}.")

    def learn(self, train: Batch) -> tuple[State, Any]:
        """The chosen n-grams by spelling, in the order in which the training texts have them; and the counts."""
        grams, sizes = train.ngrams(self.tokenizer, self.max_order)
        offsets, texts = train.tokens(self.tokenizer).offsets, train.candidates
        met = [document_frequencies(grams[n], offsets, texts, int(sizes[n])) for n in range(self.max_order)]
        chosen = self._frequent([frequency for _, frequency in met])
        known = [ids[keep] for (ids, _), keep in zip(met, chosen, strict=True)]
        if not sum(map(len, known)):
            raise EvaluatorError(
                f"no n-gram of the tokenizer {self.tokenizer!r} occurs in {self.min_texts} training texts, so there is "
                "nothing to learn from. For a script without spaces use tokenizer='chars'; for few texts min_texts=1."
            )
        columns = [np.full(int(size), -1, np.int32) for size in sizes]
        first_of_order = running_offsets(np.array([len(ids) for ids in known]))
        for order, ids in enumerate(known):
            columns[order][ids] = first_of_order[order] + np.arange(len(ids))
        spelled = {
            f"ngrams {order}": train.spelled_ngrams(self.tokenizer, order).take(ids)
            for order, ids in enumerate(known, 1)
        }
        return spelled, self._counts(train, columns, int(first_of_order[-1]))

    def rows(self, known: State, batch: Batch) -> tuple[Any, Mask]:
        """The counts of known n-grams, and which texts have none."""
        columns, n_features = [], 0
        batch.ngrams(self.tokenizer, self.max_order)  # all orders at once
        for order in range(1, self.max_order + 1):
            spelled = known[f"ngrams {order}"]
            places = batch.ngram_places(spelled, self.tokenizer, order)
            columns.append(np.where(places >= 0, n_features + places, -1).astype(np.int32))
            n_features += len(spelled)
        rows = self._counts(batch, columns, n_features)
        return rows, np.diff(rows.indptr) == 0

    def names(self, known: State) -> list[str]:
        """The n-grams by column, their tokens separated by spaces."""
        spelled = [known[f"ngrams {order}"].to_list() for order in range(1, self.max_order + 1)]
        return [name.replace("\x1f", " ") for names in spelled for name in names]

    def _frequent(self, frequencies: list[NDArray[np.int64]]) -> list[NDArray[np.int64]]:
        """The positions of the chosen n-grams of each order."""
        every = np.concatenate(frequencies)
        chosen = np.flatnonzero(every >= self.min_texts)
        if self.max_features is not None and len(chosen) > self.max_features:
            chosen = np.sort(chosen[np.argsort(-every[chosen], kind="stable")[: self.max_features]])
        ends = running_offsets(np.array(list(map(len, frequencies))))
        cuts = np.searchsorted(chosen, ends)
        return [chosen[cuts[n] : cuts[n + 1]] - ends[n] for n in range(len(frequencies))]

    def _counts(self, batch: Batch, columns: list[NDArray[np.int32]], n_features: int) -> Any:
        from scipy.sparse import csr_array

        grams, _ = batch.ngrams(self.tokenizer, self.max_order)
        first = running_offsets(np.array(list(map(len, columns))))[:-1]
        ends, found, counts = bag_of_ngrams(
            grams, batch.tokens(self.tokenizer).offsets, batch.candidates, np.concatenate(columns), first
        )
        # scikit-learn's trees take 32-bit offsets alone.
        ends = ends.astype(np.int32) if ends[-1] < np.iinfo(np.int32).max else ends
        return csr_array((counts, found, ends), shape=(len(batch), n_features))
