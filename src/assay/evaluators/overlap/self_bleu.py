"""Self-BLEU (Zhu et al. 2018): how much the texts of a set or a system repeat each other."""

import numpy as np
from numpy.typing import NDArray

from assay.batch import Batch
from assay.errors import EvaluatorError
from assay.evaluator import Scored, Shape, evaluator
from assay.evaluators.diversity.cautions import SIZED
from assay.evaluators.overlap.smoothing import smoothing_value
from assay.evaluators.response_sets import of_sets
from assay.kernels.overlap.bleu import Smoothing, at_least_one, nltk_scores
from assay.kernels.overlap.ngrams import count_ngrams
from assay.kernels.overlap.self_bleu import clipped_among_others, closest_other_lengths
from assay.scores import Gaps
from assay.text.tokenizers import check_tokenizer


@evaluator(
    units=("set", "system"),
    higher_is_better=False,
    scale="0 (nothing shared) to 100 (copies)",
    cite="Zhu et al. 2018",
    cautions=SIZED,
)
def self_bleu(
    *,
    max_order: int = 4,
    smoothing: Smoothing = "floor",
    smooth_value: float | None = None,
    tokenizer: str = "13a",
    lowercase: bool = False,
) -> Shape:
    """Mean BLEU of each text of a set or a system against all its other texts.

    BLEU is nltk's with that smoothing (`floor` is its method 1). High means little diversity. It grows with the number
    of texts: compare groups of equal size.
    """
    if max_order < 1:
        raise EvaluatorError(f"the parameter 'max_order' of self_bleu must be at least 1. Got {max_order} instead.")
    check_tokenizer(tokenizer)
    prepared = f"lower+{tokenizer}" if lowercase else tokenizer
    value = smoothing_value("self_bleu", smoothing, smooth_value)

    def score(batch: Batch) -> Scored:
        scores = nltk_scores(_counts(batch, prepared, max_order), smoothing, value)
        sums = np.bincount(batch.members.row_of, scores, len(batch))
        alone = batch.members.lengths < 2
        means = np.divide(sums, batch.members.lengths, out=np.full(len(batch), np.nan), where=~alone)
        return Scored(means, Gaps.where(len(batch), {"fewer than 2 texts": alone}))

    return of_sets(score)


def _counts(batch: Batch, tokenizer: str, max_order: int) -> NDArray[np.float64]:
    """BLEU's statistics of every member against the other members of its unit."""
    tokens = batch.tokens(tokenizer)
    grams, sizes = batch.ngrams(tokenizer, max_order)
    members, bounds = batch.members.values, batch.members.offsets
    lengths = tokens.lengths[members]
    counts = np.empty((len(members), 2 * max_order + 2))
    for order in range(max_order):
        counted = count_ngrams(grams[order], tokens.offsets)
        counts[:, order] = clipped_among_others(*counted, members, bounds, int(sizes[order]))
        counts[:, max_order + order] = np.maximum(lengths - order, 0)
    counts[:, -2] = lengths
    counts[:, -1] = closest_other_lengths(lengths, bounds)
    return at_least_one(counts)
