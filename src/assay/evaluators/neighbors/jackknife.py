"""A prediction interval for every estimate: jackknife+ (Barber, Candès, Ramdas & Tibshirani 2021).

With R_i the leave-one-out error of training text i and m_i(x) the estimate for x without text i, the interval
runs from the floor(alpha (n + 1))-th smallest of m_i(x) - R_i to the ceil((1 - alpha) (n + 1))-th smallest of
m_i(x) + R_i. For exchangeable texts it holds the true quality with probability at least 1 - 2 alpha, and in
practice about 1 - alpha. Leaving text i out changes the estimate only if i is a neighbour of x.
"""

from __future__ import annotations

from math import ceil, floor

import numpy as np
from numpy.typing import NDArray

from assay.evaluators.neighbors.rule import Rule, neighbor_weights
from assay.kernels.sparse_rows import SparseRows

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
    """Return the lower and upper ends for the texts in `rows`, whose entries are their neighbours.

    `errors[i]` is the absolute leave-one-out error of training text i, NaN where it has no estimate; `own[x]` is
    the training text that row x itself is, whose error it may not use. An end is infinite if there are too few
    errors for this alpha, and NaN where there is no estimate.
    """
    low, high = np.full(len(estimates), np.nan), np.full(len(estimates), np.nan)
    known = ~np.isnan(errors)
    for row in np.flatnonzero(~np.isnan(estimates)):
        entries = slice(rows.offsets[row], rows.offsets[row + 1])
        neighbors, shares = rows.columns[entries], neighbor_weights(rows.values[entries], rule)
        without = np.full(len(errors), estimates[row])
        if len(neighbors) > 1:
            parts = shares * quality[neighbors]
            without[neighbors] = (parts.sum() - parts) / (shares.sum() - shares)
        usable = known
        if own is not None:
            usable = known.copy()
            usable[own[row]] = False
        low[row], high[row] = _ends(without[usable], errors[usable], alpha)
    return low, high


def _ends(without: Vector, errors: Vector, alpha: float) -> tuple[float, float]:
    n = len(errors)
    lower, upper = floor(alpha * (n + 1) + 1e-9) - 1, ceil((1 - alpha) * (n + 1) - 1e-9) - 1
    low = np.partition(without - errors, lower)[lower] if lower >= 0 else -np.inf
    high = np.partition(without + errors, upper)[upper] if upper < n else np.inf
    return float(low), float(high)
