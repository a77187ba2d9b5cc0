"""BLEU from its sufficient statistics, in the three variants in common use (Papineni et al. 2002).

A row of statistics is [matches 1..N, n-grams 1..N, candidate length, reference length] of one text, or a sum of
such rows. All three multiply the geometric mean of the precisions by exp(1 - r / c) where c < r. They differ in
how they treat an order without a match, and texts too short to have n-grams of some order.
"""

import sys
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Smoothing = Literal["exp", "floor", "add-k", "none"]
SMOOTH_VALUE = {"floor": 0.1, "add-k": 1.0}

# pycocoevalcap adds these to numerators and denominators to avoid division by zero.
COCO_TINY, COCO_SMALL = 1e-15, 1e-9


def sacrebleu_scores(
    counts: NDArray[np.float64], smoothing: Smoothing, value: float, effective: bool
) -> NDArray[np.float64]:
    """BLEU as computed by sacrebleu (Post 2018), 0 to 100.

    Smoothing replaces a zero match count: `exp` by 1/2, 1/4, ... in turn, `floor` by `value`; `add-k` adds `value` to
    the matches and n-grams of every order above 1. With `effective`, orders the text is too short for are left out
    of the mean; otherwise they make the score 0.
    """
    max_order = _max_order(counts)
    matches, totals = counts[:, :max_order], counts[:, max_order : 2 * max_order]
    candidate, reference = counts[:, -2], counts[:, -1]
    numerators = matches
    if smoothing == "add-k":
        added = np.where(np.arange(max_order) > 0, value, 0.0)
        numerators, totals = matches + added, totals + added
    # An order is reached if the text is long enough for it; smoothing stops at the first that is not.
    reached = np.cumprod(totals > 0, axis=1).astype(bool)
    unmatched = reached & (numerators == 0)
    halvings = np.cumsum(unmatched, axis=1)
    smoothed = {"exp": 0.5**halvings, "floor": np.full(numerators.shape, value)}.get(
        smoothing, np.zeros(numerators.shape)
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = np.where(unmatched, smoothed, numerators) / totals
        logs = np.where(reached, np.log(precision), -np.inf)
        orders = reached.sum(axis=1) if effective else np.full(len(counts), max_order)
        counted = np.arange(max_order) < orders[:, None]
        mean_log = np.where(counted, logs, 0.0).sum(axis=1) / np.maximum(orders, 1)
        brevity = np.where(candidate < reference, np.exp(1 - reference / candidate), 1.0)
    return np.where((matches > 0).any(axis=1), 100 * brevity * np.exp(mean_log), 0.0)


def coco_scores(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """BLEU as in COCO caption evaluation (Chen et al. 2015), 0 to 100: (m + 1e-15) / (t + 1e-9) for each order."""
    max_order = _max_order(counts)
    matches, totals = counts[:, :max_order], counts[:, max_order : 2 * max_order]
    ratio = (counts[:, -2] + COCO_TINY) / (counts[:, -1] + COCO_SMALL)
    precision = np.prod((matches + COCO_TINY) / (totals + COCO_SMALL), axis=1) ** (1 / max_order)
    return np.asarray(100 * precision * np.exp(np.minimum(0.0, 1 - 1 / ratio)))


def nltk_scores(counts: NDArray[np.float64], smoothing: Smoothing, value: float) -> NDArray[np.float64]:
    """BLEU as in nltk's `sentence_bleu` and `corpus_bleu`, scaled from 0-1 to 0-100.

    Every text counts as having at least one n-gram of each order. `floor`, `add-k` and `exp` are nltk's methods
    1, 2 and 3 (Chen & Cherry 2014); `none` is its method 0, where a zero match count leaves a score close to 0.
    """
    max_order = _max_order(counts)
    matches, totals = counts[:, :max_order], counts[:, max_order : 2 * max_order]
    candidate, reference = counts[:, -2], counts[:, -1]
    unmatched = matches == 0
    with np.errstate(divide="ignore", invalid="ignore"):
        if smoothing == "add-k":
            added = np.where(np.arange(max_order) > 0, value, 0.0)
            precision = (matches + added) / (totals + added)
        elif smoothing == "exp":
            precision = np.where(unmatched, 0.5 ** np.cumsum(unmatched, axis=1), matches) / totals
        elif smoothing == "floor":
            precision = np.where(unmatched, value, matches) / totals
        else:
            precision = np.where(unmatched, sys.float_info.min, matches / totals)
        # nltk drops an order with precision 0 from the mean instead of making the score 0.
        logs = np.where(precision > 0, np.log(precision), 0.0)
        brevity = np.where(candidate > reference, 1.0, np.exp(1 - reference / candidate))
        scores = 100 * brevity * np.exp(logs.sum(axis=1) / max_order)
    return np.where((matches[:, 0] == 0) | (candidate == 0), 0.0, scores)


def at_least_one(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Raise the n-gram totals of single-text rows to at least 1 per order, as nltk counts them."""
    counts = counts.copy()
    max_order = _max_order(counts)
    np.maximum(counts[:, max_order : 2 * max_order], 1.0, out=counts[:, max_order : 2 * max_order])
    return counts


def _max_order(counts: NDArray[np.float64]) -> int:
    return (counts.shape[1] - 2) // 2
