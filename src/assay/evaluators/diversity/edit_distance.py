"""Mean normalized edit distance of the texts of a set (Levenshtein 1966)."""

import numpy as np

from assay.batch import MAX_PAIRS, Batch
from assay.evaluator import Scored, Shape, evaluator
from assay.evaluators.diversity.cautions import POOLED
from assay.evaluators.response_sets import of_sets
from assay.kernels.overlap.diversity import edit_distances
from assay.kernels.pairs.set_pairs import mean_of_pairs
from assay.scores import Gaps
from assay.text.tokenizers import check_tokenizer

MOST_CELLS = 9e10
"""The most token pairs of two texts: some seconds of work."""
TOO_LONG = "two texts too long to compare: more than 300,000 x 300,000 tokens"


@evaluator(units=("set", "system"), scale="0 (identical) to 1", cite="Levenshtein 1966", cautions=POOLED)
def edit_distance(*, tokenizer: str = "diversity", max_pairs: int = MAX_PAIRS) -> Shape:
    """Mean over pairs of the token edits that turn one text into the other, by the longer length.

    `tokenizer='chars'` counts characters. More than `max_pairs` pairs are sampled with a fixed seed. Two texts of more
    than 300,000 tokens each make their set a gap.
    """
    check_tokenizer(tokenizer)

    def score(batch: Batch) -> Scored:
        tokens = batch.tokens(tokenizer)
        pairs, groups = batch.pairs(max_pairs)
        left, right = pairs.members.values[0::2], pairs.members.values[1::2]
        lengths = tokens.lengths.astype(np.float64)
        usable = lengths[left] * lengths[right] <= MOST_CELLS
        distances = np.full(len(left), np.nan)
        distances[usable] = edit_distances(tokens.ids, tokens.offsets, left[usable], right[usable])
        too_long = np.bincount(groups.row_of, weights=~usable, minlength=len(batch)) > 0
        reasons = {"one response has no pairs": batch.members.lengths < 2, TOO_LONG: too_long}
        return Scored(mean_of_pairs(distances, groups.offsets), Gaps.where(len(batch), reasons))

    return of_sets(score)
