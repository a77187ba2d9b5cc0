"""How much a set of texts repeats itself: what no discriminator of single texts can see."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from assay.batch import Batch
from assay.errors import EvaluatorError
from assay.evaluator import Scored, Shape, State, evaluator, with_gaps
from assay.evaluators.discriminators.discriminator import discriminator
from assay.evaluators.discriminators.learner import Floats, Mask
from assay.evaluators.discriminators.logistic import ORDER, TOKENIZER, LogisticRegression
from assay.evaluators.discriminators.standard import learn_standard, standard
from assay.evaluators.response_sets import speaking
from assay.kernels.ragged import Ragged
from assay.text.tokenizers import check_tokenizer

ALONE = "one text alone repeats nothing"


@dataclass(frozen=True)
class Repeated:
    """The share of different texts in a set, and of different n-grams of each order; standardized, with squares."""

    tokenizer: str
    max_order: int

    def learn(self, train: Batch) -> tuple[State, Floats]:
        """Means and standard deviations of the training sets, and their rows."""
        return learn_standard(self._shares(train))

    def rows(self, known: State, batch: Batch) -> tuple[Floats, Mask]:
        """The rows of other sets. One text alone repeats nothing that could be compared."""
        return standard(known, self._shares(batch)), batch.members.lengths < 2

    def _shares(self, batch: Batch) -> Floats:
        codes = batch.texts.codes()[batch.members.values]
        grams, _ = batch.ngrams(self.tokenizer, self.max_order)
        offsets = batch.tokens(self.tokenizer).offsets
        shares = [_share_of_different(batch.members.row_of, codes, len(batch))]
        for order in range(self.max_order):
            of_texts = Ragged(grams[order], offsets).take(batch.members.values)
            complete = of_texts.values >= 0
            unit = batch.members.row_of[of_texts.row_of[complete]]
            shares.append(_share_of_different(unit, of_texts.values[complete], len(batch)))
        return np.column_stack(shares)


def _share_of_different(unit: np.ndarray, codes: np.ndarray, n_units: int) -> Floats:
    """The different codes of each unit, over all of them; 1 where there are none."""
    n = np.bincount(unit, minlength=n_units)
    different = np.unique(np.column_stack([unit, codes]), axis=0)[:, 0]
    return np.where(n > 0, np.bincount(different, minlength=n_units) / np.maximum(n, 1), 1.0)


@evaluator(units=("set",), scale="probability that people wrote the set")
def repetition(*, tokenizer: str = TOKENIZER, max_order: int = ORDER, search: int = 2) -> Shape:
    """How far the texts of a set repeat each other: the probability that people wrote the set.

    A generator that says the same again and again may write texts that look human one by one; a discriminator that
    reads several of its texts together sees it (PacGAN: Lin et al. 2018).
    """
    check_tokenizer(tokenizer)
    if max_order < 1:
        raise EvaluatorError(f"max_order must be 1 or more, not {max_order}.")
    shape = discriminator(Repeated(tokenizer, max_order), LogisticRegression(1.0), search, unknown_because=ALONE)

    def score(state: State, batch: Batch) -> Scored:
        return with_gaps(speaking(partial(shape.score, state))(batch))

    return replace(shape, score=score)
