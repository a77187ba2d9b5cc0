"""k-means on the leading principal components."""

import warnings

import numpy as np
from numpy.typing import NDArray

EXPLAINED = 0.9
STARTS = 5
MOST_STEPS = 500


def cluster_labels(vectors: NDArray[np.float64], n_clusters: int, seed: int) -> NDArray[np.int64]:
    """Number the clusters, on the components that explain 90% of the variance; the best of five starts."""
    from scipy.cluster.vq import kmeans2

    _, scales, axes = np.linalg.svd(vectors - vectors.mean(axis=0), full_matrices=False)
    explained = np.cumsum(scales**2)
    n_components = int(np.searchsorted(explained, EXPLAINED * explained[-1])) + 1
    reduced = vectors @ axes[:n_components].T
    rng = np.random.default_rng(seed)
    best, labels = np.inf, np.zeros(len(vectors), np.int64)
    for _ in range(STARTS):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an empty cluster is as good as any
            centers, assigned = kmeans2(reduced, n_clusters, iter=MOST_STEPS, minit="++", rng=rng)
        spread = float(((reduced - centers[assigned]) ** 2).sum())
        if spread < best:
            best, labels = spread, assigned.astype(np.int64)
    return labels
