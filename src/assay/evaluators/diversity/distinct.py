"""Distinct-n (Li et al. 2016), averaged over n as by Tevet and Berant (2021)."""

import numpy as np
from numpy.typing import NDArray

from assay.batch import Batch
from assay.evaluator import Shape, evaluator
from assay.evaluators.diversity.cautions import POOLED, SIZED
from assay.evaluators.diversity.orders import chosen_orders
from assay.evaluators.response_sets import of_sets
from assay.kernels.overlap.diversity import distinct_ratio


@evaluator(
    units=("set", "system"), scale="0 to 1", cite="Li et al. 2016; Tevet and Berant 2021", cautions=POOLED | SIZED
)
def distinct(*, max_order: int = 5, order: int | None = None, tokenizer: str = "diversity") -> Shape:
    """Distinct n-grams among all n-grams of a set: one `order`, or the mean over n = 1 to `max_order`.

    The ratio of an order without n-grams is 0, as in the authors' code; so a set of empty texts scores 0.
    """
    orders = chosen_orders("distinct", max_order, order, tokenizer)

    def score(batch: Batch) -> NDArray[np.float64]:
        grams, sizes = batch.ngrams(tokenizer, max(orders))
        offsets = batch.tokens(tokenizer).offsets
        members = batch.members
        ratios = [
            distinct_ratio(grams[n - 1], int(sizes[n - 1]), offsets, members.values, members.offsets) for n in orders
        ]
        return np.asarray(np.mean(ratios, axis=0))

    return of_sets(score)
