"""BLEU (Papineni et al., 2002), equal to sacrebleu's (Post, 2018)."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assay.batch import Batch
from assay.evaluator import Shape, additive, evaluator
from assay.kernels.clipped import clipped_counts
from assay.references import References, given
from assay.text.tokenizers import check_tokenizer

Smoothing = Literal["exp", "floor", "add-k", "none"]
SMOOTH_VALUE = {"floor": 0.1, "add-k": 1.0}


@evaluator(needs=("references",), scale="0 to 100", cite="Papineni et al. 2002; Post 2018")
def bleu(
    *,
    max_order: int = 4,
    smoothing: Smoothing = "exp",
    smooth_value: float | None = None,
    effective_order: bool | None = None,
    tokenizer: str = "13a",
    lowercase: bool = False,
    references: References = given(),  # noqa: B008 (a value, never changed)
) -> Shape:
    """Clipped n-gram precision against references, times a penalty for short texts.

    BLEU = 100 * BP * exp(mean over n of log p_n), p_n the clipped precision of order n, BP = exp(1 - r / c) where
    the candidates' length c is below the closest references' length r, else 1. `effective_order` leaves out orders
    for which a text is too short; None does so for one text and not for a system, as sacrebleu does.
    """
    check_tokenizer(tokenizer)
    # sacrebleu strips the end of a text before it tokenizes
    prepared = f"{'lower+' if lowercase else ''}rstrip+{tokenizer}"
    value = SMOOTH_VALUE.get(smoothing, 0.0) if smooth_value is None else smooth_value

    def statistics(batch: Batch) -> NDArray[np.float64]:
        tokens = batch.tokens(prepared)
        counts = clipped_counts(tokens.ids, tokens.offsets, batch.candidates, batch.references, max_order)
        return counts.astype(np.float64)

    def finish(counts: NDArray[np.float64], effective: bool) -> NDArray[np.float64]:
        return bleu_from_counts(counts, max_order, smoothing, value, effective)

    return additive(
        statistics,
        lambda counts: finish(counts, effective_order is not False),
        pooled=lambda counts: finish(counts, effective_order is True),
    )


def bleu_from_counts(
    counts: NDArray[np.float64], max_order: int, smoothing: Smoothing, value: float, effective: bool
) -> NDArray[np.float64]:
    """Turn rows [matches 1..N, totals 1..N, candidate length, reference length] into scores."""
    matches, totals = counts[:, :max_order], counts[:, max_order : 2 * max_order]
    candidate, reference = counts[:, -2], counts[:, -1]
    # An order is reached where the texts are long enough; smoothing stops at the first that is not.
    reached = np.cumprod(totals > 0, axis=1).astype(bool)
    found = matches
    if smoothing == "add-k":
        added = np.where(np.arange(max_order) > 0, value, 0.0)
        found, totals = matches + added, totals + added
        reached = np.cumprod(totals > 0, axis=1).astype(bool)
    unmatched = reached & (found == 0)
    halvings = np.cumsum(unmatched, axis=1)
    smoothed = {"exp": 0.5**halvings, "floor": np.full(found.shape, value)}.get(smoothing, np.zeros(found.shape))
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = np.where(unmatched, smoothed, found) / totals
        logs = np.where(reached, np.log(precision), -np.inf)
        orders = reached.sum(axis=1) if effective else np.full(len(counts), max_order)
        counted = np.arange(max_order) < orders[:, None]
        mean_log = np.where(counted, logs, 0.0).sum(axis=1) / np.maximum(orders, 1)
        brevity = np.where(candidate < reference, np.exp(1 - reference / candidate), 1.0)
    return np.where((matches > 0).any(axis=1), 100 * brevity * np.exp(mean_log), 0.0)
