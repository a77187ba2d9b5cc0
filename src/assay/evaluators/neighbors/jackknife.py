"""Prediction intervals: jackknife+ (Barber, Candès, Ramdas & Tibshirani 2021).

With R_i the leave-one-out error of training text i and m_i(x) the estimate for x without text i, the interval
runs from the floor(alpha (n + 1))-th smallest of m_i(x) - R_i to the ceil((1 - alpha) (n + 1))-th smallest of
m_i(x) + R_i. For exchangeable texts it holds the true quality with probability at least 1 - 2 alpha, and in
practice about 1 - alpha. Leaving text i out changes the estimate only if i is a neighbor of x.
"""

from __future__ import annotations

from math import ceil, floor

import numpy as np
from numpy.typing import NDArray

from assay.evaluators.neighbors.rule import Rule, neighbor_weights
from assay.kernels.pairs.sparse_rows import SparseRows

Vector = NDArray[np.float64]


def jackknife_plus(
    rows: SparseRows,
    estimates: Vector,
    quality: Vector,
    errors: Vector,
    rule: Rule,
    alpha: float = 0.1,
    *,
    own: NDArray[np.int64] | None = None,
) -> tuple[Vector, Vector]:
    """Return the lower and upper ends for the texts in `rows`, whose entries are their neighbors.

    `errors[i]` is the absolute leave-one-out error of training text i, NaN without an estimate; `own[x]` is the
    training text that row x itself is, whose error it may not use. An end is infinite if there are too few errors for
    this alpha, and NaN without an estimate.
    """
    low, high = np.full(len(estimates), np.nan), np.full(len(estimates), np.nan)
    known = np.flatnonzero(~np.isnan(errors))
    order = known[np.argsort(errors[known], kind="stable")]
    place = np.full(len(errors), -1)
    place[order] = np.arange(len(order))
    rising, falling = errors[order], -errors[order[::-1]]
    for row in np.flatnonzero(~np.isnan(estimates)):
        entries = slice(rows.offsets[row], rows.offsets[row + 1])
        neighbors, shares = rows.columns[entries], neighbor_weights(rows.values[entries], rule)
        if len(neighbors) > 1:
            parts = shares * quality[neighbors]
            shift = (parts.sum() - parts) / (shares.sum() - shares) - estimates[row]
        else:
            shift = np.zeros(len(neighbors))
        calibrated = place[neighbors] >= 0
        gone, shift, error = place[neighbors][calibrated], shift[calibrated], errors[neighbors[calibrated]]
        if own is not None and place[own[row]] >= 0:
            gone = np.append(gone, place[own[row]])
        n = len(order) - len(gone) + len(shift)
        lower, upper = floor(alpha * (n + 1) + 1e-9) - 1, ceil((1 - alpha) * (n + 1) - 1e-9) - 1
        below = _smallest(falling, len(order) - 1 - gone, shift - error, lower) if lower >= 0 else -np.inf
        above = _smallest(rising, gone, shift + error, upper) if upper < n else np.inf
        low[row], high[row] = estimates[row] + below, estimates[row] + above
    return low, high


def _smallest(ordered: Vector, gone: NDArray[np.int64], added: Vector, k: int) -> float:
    """The k-th smallest (from 0) of `ordered` without the positions `gone` and with `added`.

    It lies within max(len(gone), len(added)) of position k, so the cost does not grow with the training texts.
    """
    reach = max(len(gone), len(added))
    first = max(0, k - reach)
    present = np.ones(min(len(ordered), k + reach + 1) - first, bool)
    inside = (gone >= first) & (gone < first + len(present))
    present[gone[inside] - first] = False
    n_before = first - int((gone < first).sum())
    candidates = np.concatenate([ordered[first : first + len(present)][present], added])
    return float(np.partition(candidates, k - n_before)[k - n_before])
