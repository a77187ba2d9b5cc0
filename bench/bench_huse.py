"""Leave-one-out neighbors of HUSE against scikit-learn: speed, scaling and memory."""

import resource

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors

from assay.kernels.points.huse import errors, twice_mean
from assay.kernels.points.neighbors import leave_one_out
from bench.table import Row, best_cpu

K = 16
SIZES = (10_000, 100_000, 1_000_000)


def rows() -> list[Row]:
    ours(gaussian(1000))
    ours(gaussian(1000)[:, :1])
    result = []
    for n in SIZES:
        seconds = best_cpu(lambda n=n: ours(gaussian(n)), 2)
        per_point = 1e9 * seconds / (n * np.log2(n))
        peer = best_cpu(lambda n=n: sklearn_votes(gaussian(n)), 1)
        note = f"k = {K}, Gaussian; ours {per_point:.0f} ns per n log2 n"
        result.append(Row(f"leave-one-out vote in 2-D, {n:,}", "sklearn", peer, seconds, note))
    n = SIZES[-1]
    for work, points in (("2-D, 20 raters x 0..5", ratings(n)), ("1-D, 20 raters x 0..5", ratings(n)[:, 1:])):
        seconds = best_cpu(lambda points=points: ours(points), 2)
        result.append(Row(f"leave-one-out vote in {work}, {n:,}", "", float("nan"), seconds, "every tie kept"))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    result[-1] = Row(
        result[-1].work,
        "",
        float("nan"),
        result[-1].ours_seconds,
        f"every tie kept; peak {peak:.2f} GB, peers included",
    )
    return result


def ours(points: NDArray[np.float64]) -> float:
    human = np.arange(len(points)) % 2 == 0
    return twice_mean(errors(leave_one_out(points, human, K), human), human)


def sklearn_votes(points: NDArray[np.float64]) -> float:
    human = np.arange(len(points)) % 2 == 0
    neighbors = NearestNeighbors(n_neighbors=K).fit(points).kneighbors(return_distance=False)
    return 2 * float(((human[neighbors].sum(axis=1) >= K / 2) != human).mean())


def gaussian(n: int) -> NDArray[np.float64]:
    return np.random.default_rng(0).normal(size=(n, 2))


def ratings(n: int) -> NDArray[np.float64]:
    rng = np.random.default_rng(0)
    judged = rng.binomial(5, rng.beta(2, 1, n)[:, None], (n, 20)).mean(axis=1)
    points = np.column_stack([rng.normal(size=n), judged])
    return points / points.std(axis=0)
