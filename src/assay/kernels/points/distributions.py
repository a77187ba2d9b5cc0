"""How alike two samples of vectors are: divergence frontier, kernel distance, and overlap of supports."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MIXTURES = np.linspace(1e-6, 1 - 1e-6, 25)
BLOCK = 1024


def frontier_area(human: Floats, model: Floats, scaling: float) -> float:
    """MAUVE of two histograms (Pillutla et al. 2021): the area under exp(-scaling KL) of both to their mixtures."""
    curve = [(1.0, 0.0)]
    for weight in MIXTURES:
        mixture = weight * human + (1 - weight) * model
        curve.append((np.exp(-scaling * _kl(model, mixture)), np.exp(-scaling * _kl(human, mixture))))
    x, y = np.array([*curve, (0.0, 1.0)]).T
    return 0.5 * (_area(x, y) + _area(y, x))


def squared_mmd(left: Floats, right: Floats, bandwidth: float | None) -> float:
    """The unbiased squared maximum mean discrepancy with a Gaussian kernel (Gretton et al. 2012).

    By default the bandwidth is the median distance between two different vectors of both samples.
    """
    width = median_distance(np.concatenate([left, right])) if bandwidth is None else bandwidth
    if not width > 0:
        return 0.0 if np.array_equal(np.unique(left, axis=0), np.unique(right, axis=0)) else np.nan
    n, m = len(left), len(right)
    within = (_kernel_sum(left, left, width) - n) / (n * (n - 1)) + (_kernel_sum(right, right, width) - m) / (
        m * (m - 1)
    )
    return float(within - 2 * _kernel_sum(left, right, width) / (n * m))


def share_in_support(points: Floats, support: Floats, k: int) -> float:
    """The share of points as near to a vector of `support` as its k-th neighbor there (Kynkaanniemi et al. 2019).

    Distances are compared to 10 decimals, so that copies of a text lie at one place.
    """
    radii = np.concatenate([np.sort(block, axis=1)[:, k] for block in _squared_blocks(support, support)]).round(10)
    inside = [(block.round(10) <= radii).any(axis=1) for block in _squared_blocks(points, support)]
    return float(np.mean(np.concatenate(inside)))


def median_distance(vectors: Floats) -> float:
    """The median distance over the pairs of different positions, of at most 1,000 evenly spaced vectors."""
    few = vectors[np.linspace(0, len(vectors) - 1, min(len(vectors), 1000)).astype(np.int64)]
    above = np.triu_indices(len(few), 1)
    return float(np.sqrt(np.median(np.concatenate(list(_squared_blocks(few, few)))[above])))


def _kl(p: Floats, q: Floats) -> float:
    """Kullback-Leibler divergence; q is 0 only where p is."""
    some = p > 0
    return float(np.sum(p[some] * np.log(p[some] / q[some])))


def _area(x: Floats, y: Floats) -> float:
    order = np.argsort(x)
    return float(np.trapezoid(y[order], x[order]))


def _kernel_sum(left: Floats, right: Floats, width: float) -> float:
    return float(sum(np.exp(block / (-2 * width**2)).sum() for block in _squared_blocks(left, right)))


def _squared_blocks(left: Floats, right: Floats) -> list[Floats]:
    """Squared distances, some rows of `left` at a time."""
    norms = (right * right).sum(axis=1)
    blocks = []
    for start in range(0, len(left), BLOCK):
        rows = left[start : start + BLOCK]
        squared = (rows * rows).sum(axis=1)[:, None] + norms - 2 * rows @ right.T
        blocks.append(np.maximum(squared, 0.0))
    return blocks
