"""Mean normalised edit distance between the texts of a set (Levenshtein 1966)."""

from assay.batch import MAX_PAIRS, Batch
from assay.evaluator import Scored, Shape, evaluator
from assay.evaluators.diversity.cautions import POOLED, no_pairs
from assay.evaluators.response_sets import of_sets
from assay.kernels.diversity import edit_distances
from assay.kernels.set_pairs import mean_of_pairs
from assay.text.tokenizers import check_tokenizer


@evaluator(units=("set", "system"), scale="0 (identical) to 1", cite="Levenshtein 1966", cautions=POOLED)
def edit_distance(*, tokenizer: str = "diversity", max_pairs: int = MAX_PAIRS) -> Shape:
    """Mean over pairs of the token edits that turn one text into the other, by the longer length.

    `tokenizer='chars'` counts characters. Above `max_pairs` pairs that many are drawn, the same ones each time.
    """
    check_tokenizer(tokenizer)

    def score(batch: Batch) -> Scored:
        tokens = batch.tokens(tokenizer)
        pairs, groups = batch.pairs(max_pairs)
        distances = edit_distances(tokens.ids, tokens.offsets, pairs.members.values[0::2], pairs.members.values[1::2])
        return Scored(mean_of_pairs(distances, groups.offsets), no_pairs(batch))

    return of_sets(score)
