"""Tests and corrections: bootstrap p, Williams, Steiger, Holm, Benjamini-Hochberg and -Yekutieli, clusters."""

from collections.abc import Sequence
from math import atanh, nan, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, stdtr


def bootstrap_p(differences: NDArray[Any]) -> float:
    """Two-sided p: twice the share, (hits + 1) / (n + 1), of differences on the rarer side of 0."""
    defined = differences[~np.isnan(differences)]
    if not len(defined):
        return nan
    hits = min(np.count_nonzero(defined <= 0), np.count_nonzero(defined >= 0))
    return min(1.0, 2 * (hits + 1) / (len(defined) + 1))


def williams(r_a: float, r_b: float, r_ab: float, n: int) -> float:
    """Two-sided p for two correlations that share a variable (Williams 1959, as given by Steiger 1980).

    r_a and r_b are the correlations of a and b with the shared variable, r_ab that of a with b. t has n - 3
    degrees of freedom. NaN when n < 4, or when a and b are the same variable up to scale.
    """
    if n < 4 or any(np.isnan([r_a, r_b, r_ab])):
        return nan
    determinant = 1 - r_a**2 - r_b**2 - r_ab**2 + 2 * r_a * r_b * r_ab
    spread = 2 * determinant * (n - 1) / (n - 3) + (r_a + r_b) ** 2 / 4 * (1 - r_ab) ** 3
    if spread <= 0:
        return nan
    t = (r_a - r_b) * sqrt((n - 1) * (1 + r_ab) / spread)
    return float(2 * stdtr(n - 3, -abs(t)))


def steiger(r_a: float, r_b: float, r_ab: float, n: int) -> float:
    """The same test on Fisher's z with the pooled correlation (Steiger 1980, equation 14)."""
    if n < 4 or any(np.isnan([r_a, r_b, r_ab])) or max(abs(r_a), abs(r_b)) >= 1:
        return nan
    mean = (r_a + r_b) / 2
    psi = r_ab * (1 - 2 * mean**2) - mean**2 * (1 - 2 * mean**2 - r_ab**2) / 2
    spread = 2 - 2 * psi / (1 - mean**2) ** 2
    if spread <= 0:
        return nan
    return float(2 * ndtr(-abs((atanh(r_a) - atanh(r_b)) * sqrt((n - 3) / spread))))


def holm(p_values: NDArray[Any]) -> NDArray[np.float64]:
    """Adjusted p-values that control the familywise error rate (Holm 1979).

    NaN stays NaN and is not counted.
    """
    return _adjust(p_values, lambda p: np.maximum.accumulate(p * np.arange(len(p), 0, -1)))


def benjamini_hochberg(p_values: NDArray[Any]) -> NDArray[np.float64]:
    """Adjusted p-values that control the false discovery rate (Benjamini and Hochberg 1995)."""
    return _adjust(p_values, lambda p: np.minimum.accumulate((p * len(p) / np.arange(1, len(p) + 1))[::-1])[::-1])


def benjamini_yekutieli(p_values: NDArray[Any]) -> NDArray[np.float64]:
    """Adjusted p-values that do so whatever the dependence of the tests (Benjamini and Yekutieli 2001)."""
    n = np.count_nonzero(~np.isnan(np.asarray(p_values, np.float64)))
    return np.minimum(benjamini_hochberg(p_values) * (1.0 / np.arange(1, n + 1)).sum(), 1.0)


def clusters(order: Sequence[int], different: NDArray[np.bool_]) -> list[list[int]]:
    """Cut a ranking, best first, wherever the next member differs from any member of the current cluster.

    The procedure of the WMT metrics tasks (Freitag et al. 2022). `different[i, j]` is whether i and j differ.
    """
    ranked_clusters: list[list[int]] = []
    for member in order:
        if not ranked_clusters or different[member, ranked_clusters[-1]].any():
            ranked_clusters.append([])
        ranked_clusters[-1].append(member)
    return ranked_clusters


def _adjust(p_values: NDArray[Any], step: Any) -> NDArray[np.float64]:
    p_values = np.asarray(p_values, np.float64)
    adjusted = np.full(len(p_values), np.nan)
    rows = np.flatnonzero(~np.isnan(p_values))
    order = rows[np.argsort(p_values[rows], kind="stable")]
    adjusted[order] = np.minimum(step(p_values[order]), 1.0)
    return adjusted
