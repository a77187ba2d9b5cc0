"""Minus the mean cosine of n-gram count vectors (Tevet and Berant 2021)."""

import numpy as np

from assay.batch import Batch
from assay.evaluator import Scored, Shape, evaluator
from assay.evaluators.diversity.cautions import POOLED, no_pairs
from assay.evaluators.diversity.orders import chosen_orders
from assay.evaluators.response_sets import of_sets
from assay.kernels.overlap.diversity import mean_count_cosine
from assay.kernels.overlap.ngrams import count_ngrams


@evaluator(units=("set", "system"), scale="-1 (identical) to 0", cite="Tevet and Berant 2021", cautions=POOLED)
def cos_sim(*, max_order: int = 5, order: int | None = None, tokenizer: str = "diversity") -> Shape:
    """Minus the mean cosine over pairs of n-gram counts: one `order`, or the mean over n = 1 to `max_order`.

    A text without n-grams of an order has cosine 0 with every other.
    """
    orders = chosen_orders("cos_sim", max_order, order, tokenizer)

    def score(batch: Batch) -> Scored:
        grams, sizes = batch.ngrams(tokenizer, max(orders))
        offsets = batch.tokens(tokenizer).offsets
        members = batch.members
        cosines = [
            mean_count_cosine(*count_ngrams(grams[n - 1], offsets), int(sizes[n - 1]), members.values, members.offsets)
            for n in orders
        ]
        return Scored(0.0 - np.mean(cosines, axis=0), no_pairs(batch))

    return of_sets(score)
