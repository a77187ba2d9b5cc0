"""Dispersion of the vectors of a set. Set s is rows `offsets[s]` to `offsets[s + 1]`."""

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.floating]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
MAX_STEPS = 100


def by_set(measure: Callable[[Floats], float], vectors: Vectors, offsets: Ints) -> Floats:
    """Apply `measure` to the vectors of each set, in float64."""
    return np.array(
        [measure(vectors[a:b].astype(np.float64)) for a, b in pairwise(offsets)],
        np.float64,
    )


def mean_pair_cosine(vectors: Floats) -> float:
    """Mean cosine over the unordered pairs; NaN for fewer than two. A zero vector has cosine 0 with all.

    With u the normalized vectors: (|sum of u|^2 - sum of |u|^2) / (n (n - 1)), linear in n instead of quadratic.
    Rounded to 12 decimals, so that the order of a set does not change its value.
    """
    n = len(vectors)
    if n < 2:
        return np.nan
    u = unit(vectors)
    total = u.sum(axis=0)
    return float(np.round((total @ total - np.sum(u * u)) / (n * (n - 1)), 12))


def inertia(vectors: Floats, n_clusters: int) -> float:
    """Mean squared distance to the nearest of `n_clusters` centers of k-means (after Du and Black 2019).

    The first center is the vector farthest from the mean, each next one the vector farthest from the centers so far;
    then Lloyd's iterations until convergence. Deterministic. NaN unless there are more vectors than clusters.
    """
    if len(vectors) <= n_clusters:
        return np.nan
    far = np.argmax(_squared(vectors, vectors.mean(axis=0, keepdims=True))[:, 0])
    centers = vectors[[far]]
    while len(centers) < n_clusters:
        far = np.argmax(_squared(vectors, centers).min(axis=1))
        centers = np.concatenate([centers, vectors[[far]]])
    nearest = np.full(len(vectors), -1)
    distances = _squared(vectors, centers)
    for _ in range(MAX_STEPS):
        assigned = distances.argmin(axis=1)
        if np.array_equal(assigned, nearest):
            break
        nearest = assigned
        for c in np.unique(nearest):
            centers[c] = vectors[nearest == c].mean(axis=0)
        distances = _squared(vectors, centers)
    return float(np.maximum(distances.min(axis=1), 0).mean())


def volume(vectors: Floats) -> float:
    """Geometric mean over the axes of the standard deviation (Lai et al. 2020); NaN for one vector.

    Axes without variance are left out, because encoders have unused axes; 0 if no other axis is left.
    """
    if len(vectors) < 2:
        return np.nan
    deviations = vectors.std(axis=0)
    varying = deviations[deviations > 1e-6]
    return float(np.exp(np.log(varying).mean())) if len(varying) else 0.0


def homogeneity(vectors: Floats) -> float:
    """How evenly the vectors are spread: entropy of a random walk over its maximum (Lai et al. 2020).

    The walk goes from i to j with probability proportional to (Euclidean distance)^(log of the dimension); its
    stationary distribution is proportional to the sum of i's weights. 1 when all distances are equal. NaN for fewer
    than three vectors, and for identical ones.
    """
    n = len(vectors)
    if n < 3:
        return np.nan
    distances = np.sqrt(np.maximum(_squared(vectors, vectors), 0))
    np.fill_diagonal(distances, 0)
    largest = distances.max()
    if largest < 1e-6:
        return np.nan
    weights = (distances / largest) ** np.log(vectors.shape[1])
    sums = weights.sum(axis=1, keepdims=True)
    steps = np.divide(weights, sums, out=np.zeros_like(weights), where=sums > 0)
    entropies = -np.sum(steps * np.log(np.where(steps > 0, steps, 1)), axis=1)
    return float(entropies @ sums[:, 0] / sums.sum() / np.log(n - 1))


def vendi(vectors: Floats) -> float:
    """Vendi score (Friedman and Dieng 2023): exp of the entropy of the eigenvalues of K / n, K the cosine matrix.

    The effective number of distinct texts: 1 for identical vectors, n for orthogonal ones. Computed from the smaller
    of the two Gram matrices. NaN without vectors.
    """
    n = len(vectors)
    if not n:
        return np.nan
    u = unit(vectors)
    # A zero vector (an empty embedding) is similar to nothing but itself: it keeps its 1 on the diagonal.
    zeros = int(n - np.count_nonzero(np.einsum("ij,ij->i", u, u)))
    gram = u @ u.T if n <= u.shape[1] else u.T @ u
    eigenvalues = np.concatenate([np.linalg.eigvalsh(gram), np.ones(zeros)]) / n
    positive = eigenvalues[eigenvalues > 1e-12]
    return float(np.exp(-np.sum(positive * np.log(positive))))


def without_direction(vectors: Floats, direction: Floats, least: float = 0.0) -> Floats:
    """Subtract from each vector its projection on `direction`; return unit vectors with one extra axis.

    A residual of relative length `least` or more is normalized. A shorter one gets length (its own) / `least`, and the
    extra axis, which stands for "along the direction and nothing else", makes up the difference: two such vectors are
    similar instead of differing by the noise in their residuals. With `least` 0 every residual is normalized, and an
    empty one is the zero vector.
    """
    u = unit(vectors)
    length = np.linalg.norm(direction)
    axis = direction / length if length >= 1e-12 else np.zeros(vectors.shape[1])
    residual = u - np.outer(u @ axis, axis)
    if least <= 0:
        return np.pad(unit(residual), ((0, 0), (0, 1)))
    share = np.minimum(np.linalg.norm(residual, axis=1) / least, 1.0)
    nothing_else = np.where(np.any(u != 0, axis=1), np.sqrt(1 - share**2), 0.0)
    return np.column_stack([unit(residual) * share[:, None], nothing_else])


def unit(vectors: Floats) -> Floats:
    """Normalize each vector to unit length; a vector shorter than 1e-6 becomes zero."""
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.where(norms > 1e-6, vectors / np.maximum(norms, 1e-6), 0.0)


def _squared(a: Floats, b: Floats) -> Floats:
    return np.sum(a * a, axis=1)[:, None] - 2 * a @ b.T + np.sum(b * b, axis=1)[None, :]
