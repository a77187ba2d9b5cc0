"""Entropy of the n-grams of a set (Zhang et al. 2018, Ent-n)."""

import numpy as np

from assay.batch import Batch
from assay.evaluator import Scored, Shape, evaluator
from assay.evaluators.diversity.cautions import POOLED, SIZED
from assay.evaluators.diversity.orders import chosen_orders
from assay.evaluators.response_sets import of_sets
from assay.kernels.overlap import diversity
from assay.scores import Gaps


@evaluator(units=("set", "system"), scale="bits, at least 0", cite="Zhang et al. 2018", cautions=POOLED | SIZED)
def ngram_entropy(*, order: int = 4, tokenizer: str = "diversity") -> Shape:
    """Entropy in bits of the n-grams of one order, pooled over the set. It grows with the set's size."""
    chosen_orders("ngram_entropy", order, None, tokenizer)

    def score(batch: Batch) -> Scored:
        grams, sizes = batch.ngrams(tokenizer, order)
        entropies = diversity.ngram_entropy(
            grams[order - 1],
            int(sizes[order - 1]),
            batch.tokens(tokenizer).offsets,
            batch.members.values,
            batch.members.offsets,
        )
        return Scored(entropies, Gaps.where(len(batch), {f"no {order}-grams": np.isnan(entropies)}))

    return of_sets(score)
