"""The ranking variant of the diversity tests: pairs of sets instead of single ones (Tevet and Berant 2021, Table 5).

Which of two sets is more diverse is an easier question for people than how diverse one set is. A metric is
asked the same: Spearman's rho of its difference with the target's difference, and how often it puts the two in
the right order. A tie is a miss.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.kernels.pairs.set_pairs import pairs_within
from assay.kernels.statistics.correlation import spearman
from assay.metaeval.questions.oriented import oriented
from assay.metaeval.questions.question import USUAL, Resampling
from assay.metaeval.sets.clustered import share_interval
from assay.scores import ScoreTable

Ints = NDArray[np.int64]
MAX_PAIRS = 100_000


@dataclass(frozen=True)
class RankingRow:
    """One metric over pairs of sets; `low` and `high` are the 95% interval of the accuracy."""

    evaluator: str
    rho: float
    accuracy: float
    low: float
    high: float
    n_pairs: int


def rank_pairs(
    table: ScoreTable,
    target: NDArray[np.float64],
    clusters: Ints,
    *,
    how: Resampling = USUAL,
) -> list[RankingRow]:
    """Ask every column to order pairs of sets whose targets differ.

    Pairs are the sets of one context; where no context has two sets with different targets, sets are paired
    at random from the seed. rho is taken over both orders of each pair, so it does not depend on which comes
    first.
    """
    left, right = comparable_pairs(target, clusters, np.random.default_rng(how.seed))
    rows = []
    for name, column in table.columns.items():
        values = oriented(column)
        scored = ~np.isnan(values[left]) & ~np.isnan(values[right])
        a, b = left[scored], right[scored]
        gained, wanted = values[a] - values[b], target[a] - target[b]
        correct = (np.sign(gained) == np.sign(wanted)).astype(np.float64)
        found = share_interval(correct, clusters[a], how)
        both = np.concatenate([gained, -gained]), np.concatenate([wanted, -wanted])
        rows.append(
            RankingRow(
                name, spearman(*both), float(correct.mean()) if len(a) else np.nan, found.low, found.high, len(a)
            )
        )
    return rows


def comparable_pairs(target: NDArray[np.float64], clusters: Ints, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Return the pairs of sets that differ in the target: within contexts, or else drawn across them."""
    order = np.argsort(clusters, kind="stable")
    order = order[~np.isnan(target[order])]
    offsets = np.append(np.flatnonzero(np.diff(clusters[order], prepend=-1)), len(order))
    left, right, _ = pairs_within(order, offsets.astype(np.int64), MAX_PAIRS, rng)
    differ = target[left] != target[right]
    if differ.any():
        return left[differ], right[differ]
    shuffled = rng.permutation(order)
    left, right = shuffled, np.roll(shuffled, 1)
    differ = target[left] != target[right]
    return left[differ], right[differ]
