"""Type-token ratio: distinct tokens among all tokens."""

from assay.batch import Batch
from assay.evaluator import Scored, Shape, evaluator
from assay.evaluators.diversity.cautions import POOLED, SIZED
from assay.evaluators.response_sets import of_sets
from assay.kernels.overlap.diversity import distinct_ratio
from assay.scores import Gaps
from assay.text.tokenizers import check_tokenizer


@evaluator(units=("set", "system"), scale="0 to 1", cite="Johnson 1944", cautions=POOLED | SIZED)
def type_token_ratio(*, tokenizer: str = "diversity") -> Shape:
    """Distinct tokens divided by all tokens of a set. It falls as the set grows: compare equal sizes."""
    check_tokenizer(tokenizer)

    def score(batch: Batch) -> Scored:
        tokens = batch.tokens(tokenizer)
        n_types = int(tokens.ids.max(initial=-1)) + 1
        ratios = distinct_ratio(tokens.ids, n_types, tokens.offsets, batch.members.values, batch.members.offsets)
        return Scored(ratios, Gaps.where(len(batch), {"no tokens": ratios == 0}))

    return of_sets(score)
