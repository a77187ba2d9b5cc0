"""chrF from n-gram counts (Popovic 2015, 2017), with sacrebleu's two treatments of missing orders.

A statistics row holds, for every order, [n-grams of the candidate, of the reference, shared]; character
orders come first, then word orders. Rows add up to corpus statistics.
"""

import numpy as np
from numpy.typing import NDArray


def chrf_statistics(
    matches: NDArray[np.int64], candidate_lengths: NDArray[np.int64], reference_lengths: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return `[pair, 3 * order]` from shared counts `[pair, order]` and the lengths in tokens.

    As in sacrebleu, the candidate's n-grams are not counted where the reference is too short to have any.
    """
    orders = np.arange(matches.shape[1])
    of_reference = np.maximum(reference_lengths[:, None] - orders, 0)
    of_candidate = np.where(of_reference > 0, np.maximum(candidate_lengths[:, None] - orders, 0), 0)
    return np.stack([of_candidate, of_reference, matches], axis=2).reshape(len(matches), 3 * matches.shape[1])


def chrf_scores(statistics: NDArray[np.float64], beta: float, eps_smoothing: bool) -> NDArray[np.float64]:
    """F-score of each statistics row, 0 to 100.

    P and R are averaged over the orders present on both sides, then F = (1 + b^2) P R / (b^2 P + R). With
    `eps_smoothing` an F per order, 1e-16 where undefined, is averaged instead.
    """
    eps = 1e-16
    counts = np.asarray(statistics, np.float64).reshape(len(statistics), statistics.shape[1] // 3, 3)
    n_candidate, n_reference, n_match = counts[:, :, 0], counts[:, :, 1], counts[:, :, 2]
    factor = beta**2
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = np.where(n_candidate > 0, n_match / n_candidate, eps)
        recall = np.where(n_reference > 0, n_match / n_reference, eps)
        if eps_smoothing:
            below = factor * precision + recall
            score = np.where(below > 0, (1 + factor) * precision * recall / below, eps)
            return np.asarray(100 * _sum_in_order(score) / counts.shape[1])
        on_both_sides = (n_candidate > 0) & (n_reference > 0)
        n_effective = np.maximum(on_both_sides.sum(axis=1), 1)
        mean_precision = _sum_in_order(np.where(on_both_sides, precision, 0.0)) / n_effective
        mean_recall = _sum_in_order(np.where(on_both_sides, recall, 0.0)) / n_effective
        score = (1 + factor) * mean_precision * mean_recall / (factor * mean_precision + mean_recall)
    return np.asarray(np.where(mean_precision + mean_recall > 0, 100 * score, 0.0))


def _sum_in_order(columns: NDArray[np.float64]) -> NDArray[np.float64]:
    """Add columns left to right, as the reference implementation does, so that equal references stay exactly tied."""
    total = np.zeros(len(columns))
    for order in range(columns.shape[1]):
        total += columns[:, order]
    return total
