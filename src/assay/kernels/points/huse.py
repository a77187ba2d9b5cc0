"""HUSE: twice the error of telling human from model outputs by their neighbors (Hashimoto et al., 2019).

HUSE = 2 L(log-probability and judgment), HUSE-Q = 2 L(judgment), HUSE-D = 1 + HUSE - HUSE-Q, where L is the
leave-one-out error of a k-nearest-neighbor vote. The paper has as many human as model outputs; with unequal
numbers a vote counts as one over the size of its class and L is the mean of the two classes' errors, which is
the same when they are equal. Arrays hold one row per output; `human` says of which class it is.
"""

from __future__ import annotations

from math import comb
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assay.kernels.points.neighbors import Neighbors

Floats = NDArray[np.float64]
Labels = NDArray[np.bool_]
VoteTie = Literal["human", "model", "half"]


def spreads(features: Floats, measured: Labels) -> Floats:
    """Return, for each column, the population standard deviation of the entries where `measured` is true.

    A column whose measured entries are constant has 1: it is not to be divided. Values are summed in sorted order,
    so that the order of the rows changes no bit.
    """
    found = np.ones(features.shape[1])
    for column in range(features.shape[1]):
        values = np.sort(features[measured[:, column], column])
        if len(values) and values[0] != values[-1]:  # rounding would leave a constant a tiny spread of its own
            found[column] = values.std()
    return found


def human_share(found: Neighbors, human: Labels) -> Floats:
    """Return the share of human votes among the neighbors: how likely an output here is human."""
    n_human, n_model = _sizes(human)
    for_human, for_model = found.positive * n_model, (found.total - found.positive) * n_human
    return for_human / (for_human + for_model)


def errors(found: Neighbors, human: Labels, vote_tie: VoteTie = "human") -> Floats:
    """Return 1 where the neighbors' majority names the wrong class; a tied vote goes to the class named."""
    return _wrong(found.positive, found.total - found.positive, human, *_sizes(human), vote_tie)


def random_neighbor_errors(found: Neighbors, human: Labels, k: int, vote_tie: VoteTie = "half") -> Floats:
    """Return the chance of an error when just k neighbors vote, those at the k-th distance drawn at random.

    How many of those drawn are human is hypergeometric, so this is the exact mean over all draws.
    """
    sizes = _sizes(human)
    wrong = errors(found, human, vote_tie)
    border, human_border = found.total - found.inner, found.positive - found.inner_positive
    rows = np.flatnonzero(found.total > k)
    cases = np.stack([border, human_border, found.inner, found.inner_positive, human], axis=1)[rows]
    # Many outputs share a case: number the cases by one whole number each and work them out once.
    keys = np.zeros(len(rows), np.int64)
    for column, size in zip(cases.T, (len(human) + 1, len(human) + 1, k, k, 2), strict=True):
        keys = keys * size + column
    _, first, case_of = np.unique(keys, return_index=True, return_inverse=True)
    chances = np.empty(len(first))
    for case, (n, m, inner, inner_human, is_human) in enumerate(cases[first].tolist()):
        drawn = k - inner
        hits = range(max(0, drawn - (n - m)), min(m, drawn) + 1)
        chance = np.array([comb(m, hit) * comb(n - m, drawn - hit) / comb(n, drawn) for hit in hits])
        positive = inner_human + np.array(hits)
        label = np.full(len(positive), bool(is_human))
        chances[case] = (chance * _wrong(positive, k - positive, label, *sizes, vote_tie)).sum()
    wrong[rows] = chances[case_of]
    return wrong


def twice_mean(wrong: Floats, human: Labels) -> float:
    """Return 2 L: twice the mean of the two classes' error rates."""
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
    margin = positive * n_model - negative * n_human  # whole numbers: no rounding decides a vote
    if vote_tie == "half":
        return np.where(margin == 0, 0.5, (margin > 0) != human)
    says_human = margin >= 0 if vote_tie == "human" else margin > 0
    return (says_human != human).astype(np.float64)


def _sizes(human: Labels) -> tuple[int, int]:
    n_human = int(np.count_nonzero(human))
    return n_human, len(human) - n_human
