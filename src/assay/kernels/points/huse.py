"""HUSE: twice the error of a nearest-neighbor classifier of human vs. model outputs (Hashimoto et al. 2019).

HUSE = 2 L(log-probability and judgment), HUSE-Q = 2 L(judgment), HUSE-D = 1 + HUSE - HUSE-Q, where L is the
leave-one-out error of a k-nearest-neighbor vote. The paper has as many human as model outputs; with unequal numbers a
vote is weighted by one over the size of its class and L is the balanced error, which is the same when they are equal.
Arrays have one row per output; `human` is its class.
"""

from __future__ import annotations

from math import comb
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assay.kernels.points.neighbors import PointNeighbors

Floats = NDArray[np.float64]
Labels = NDArray[np.bool_]
VoteTie = Literal["human", "model", "half"]


def spreads(features: Floats, measured: Labels) -> Floats:
    """Population standard deviation of each column over the entries where `measured` is true.

    1 for a constant column, so that it can be divided by. Values are summed in sorted order, so that the order of the
    rows changes no bit.
    """
    scales = np.ones(features.shape[1])
    for column in range(features.shape[1]):
        values = np.sort(features[measured[:, column], column])
        if len(values) and values[0] != values[-1]:  # rounding would give a constant column a tiny spread
            scales[column] = values.std()
    return scales


def human_share(neighbors: PointNeighbors, human: Labels) -> Floats:
    """Class-weighted share of human outputs among the neighbors: an estimate of P(human)."""
    n_human, n_model = _sizes(human)
    for_human, for_model = neighbors.positive * n_model, (neighbors.total - neighbors.positive) * n_human
    return for_human / (for_human + for_model)


def errors(neighbors: PointNeighbors, human: Labels, vote_tie: VoteTie = "human") -> Floats:
    """1 where the majority of the neighbors is of the wrong class; ties go to `vote_tie`."""
    return _wrong(neighbors.positive, neighbors.total - neighbors.positive, human, *_sizes(human), vote_tie)


def random_neighbor_errors(neighbors: PointNeighbors, human: Labels, k: int, vote_tie: VoteTie = "half") -> Floats:
    """Probability of an error when exactly k neighbors vote, those at the k-th distance sampled at random.

    The number of sampled humans is hypergeometric, so this is the exact expectation over all draws.
    """
    sizes = _sizes(human)
    wrong = errors(neighbors, human, vote_tie)
    border, human_border = neighbors.total - neighbors.inner, neighbors.positive - neighbors.inner_positive
    rows = np.flatnonzero(neighbors.total > k)
    cases = np.stack([border, human_border, neighbors.inner, neighbors.inner_positive, human], axis=1)[rows]
    # Many outputs share a case: encode each case as one integer and compute it once.
    keys = np.zeros(len(rows), np.int64)
    for column, size in zip(cases.T, (len(human) + 1, len(human) + 1, k, k, 2), strict=True):
        keys = keys * size + column
    _, first, case_of = np.unique(keys, return_index=True, return_inverse=True)
    chances = np.empty(len(first))
    for case, (n, m, inner, inner_human, is_human) in enumerate(cases[first].tolist()):
        n_drawn = k - inner
        hits = range(max(0, n_drawn - (n - m)), min(m, n_drawn) + 1)
        chance = np.array([comb(m, hit) * comb(n - m, n_drawn - hit) / comb(n, n_drawn) for hit in hits])
        positive = inner_human + np.array(hits)
        label = np.full(len(positive), bool(is_human))
        chances[case] = (chance * _wrong(positive, k - positive, label, *sizes, vote_tie)).sum()
    wrong[rows] = chances[case_of]
    return wrong


def twice_mean(wrong: Floats, human: Labels) -> float:
    """2 L: twice the balanced error rate."""
    n_human, n_model = _sizes(human)
    of_human, of_model = float(wrong[human].sum()), float(wrong[~human].sum())
    return (of_human * n_model + of_model * n_human) / (n_human * n_model)


def _wrong(
    positive: NDArray[np.int64],
    negative: NDArray[np.int64],
    human: Labels,
    n_human: int,
    n_model: int,
    vote_tie: VoteTie,
) -> Floats:
    margin = positive * n_model - negative * n_human  # integers: rounding cannot decide a vote
    if vote_tie == "half":
        return np.where(margin == 0, 0.5, (margin > 0) != human)
    says_human = margin >= 0 if vote_tie == "human" else margin > 0
    return (says_human != human).astype(np.float64)


def _sizes(human: Labels) -> tuple[int, int]:
    n_human = int(np.count_nonzero(human))
    return n_human, len(human) - n_human
