"""BLEU (Papineni et al. 2002) as sacrebleu, the COCO caption evaluation and nltk compute it."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assay.batch import Batch
from assay.errors import EvaluatorError
from assay.evaluator import Shape, additive, evaluator
from assay.evaluators.overlap.smoothing import smoothing_value
from assay.kernels.overlap.bleu import Smoothing, at_least_one, coco_scores, nltk_scores, sacrebleu_scores
from assay.kernels.overlap.clipped import clipped_counts
from assay.references import References, given
from assay.text.tokenizers import check_tokenizer

Variant = Literal["sacrebleu", "coco", "nltk"]

# The defaults of each variant.
TOKENIZER = {"sacrebleu": "13a", "coco": "whitespace", "nltk": "whitespace"}
SMOOTHING: dict[str, Smoothing] = {"sacrebleu": "exp", "coco": "none", "nltk": "none"}


@evaluator(needs=("references",), scale="0 to 100", cite="Papineni et al. 2002; Post 2018")
def bleu(
    *,
    max_order: int = 4,
    smoothing: Smoothing | None = None,
    smooth_value: float | None = None,
    effective_order: bool | None = None,
    tokenizer: str | None = None,
    lowercase: bool = False,
    variant: Variant = "sacrebleu",
    references: References = given(),  # noqa: B008 (a value, never changed)
) -> Shape:
    """Clipped n-gram precision against references, times a penalty for short texts.

    BLEU = 100 * BP * exp(mean over n of log p_n), p_n the clipped precision of order n, BP = exp(1 - r / c) where
    the candidates' length c is below the closest references' length r, else 1. None is the default of the
    variant. `effective_order` leaves out orders for which a text is too short; None does so for single texts but not
    for systems, as sacrebleu does.
    """
    if max_order < 1:
        raise EvaluatorError(f"the parameter 'max_order' of bleu must be at least 1. Got {max_order} instead.")
    if variant == "coco" and smoothing not in (None, "none"):
        raise EvaluatorError("bleu(variant='coco') has no smoothing: leave it out, or choose another variant.")
    if variant != "sacrebleu" and effective_order is not None:
        raise EvaluatorError(f"bleu(variant={variant!r}) has no effective order: leave it out.")
    smoothing = smoothing or SMOOTHING[variant]
    tokenizer = tokenizer or TOKENIZER[variant]
    check_tokenizer(tokenizer)
    value = smoothing_value("bleu", smoothing, smooth_value)
    # sacrebleu strips the end of a text before it tokenizes
    stripped = f"rstrip+{tokenizer}" if variant == "sacrebleu" else tokenizer
    prepared = f"lower+{stripped}" if lowercase else stripped

    def statistics(batch: Batch) -> NDArray[np.float64]:
        tokens = batch.tokens(prepared)
        counts = clipped_counts(tokens.ids, tokens.offsets, batch.candidates, batch.references, max_order)
        sums = counts.astype(np.float64)
        return at_least_one(sums) if variant == "nltk" else sums

    def finish(counts: NDArray[np.float64], effective: bool) -> NDArray[np.float64]:
        match variant:
            case "coco":
                return coco_scores(counts)
            case "nltk":
                return nltk_scores(counts, smoothing, value)
        return sacrebleu_scores(counts, smoothing, value, effective)

    return additive(
        statistics,
        lambda counts: finish(counts, effective_order is not False),
        pooled=lambda counts: finish(counts, effective_order is True),
        settled={"smoothing": smoothing, "tokenizer": tokenizer},
        reads=("text", "references"),
    )
