"""A leaderboard from pairwise tests: which pairs are shown, clusters, and intervals of ranks.

Holm's correction bounds the chance that any significant difference is false, and so the error of all conclusions drawn
from them together: counting the systems that are better and worse gives an interval of a rank, and the intervals of all
systems hold simultaneously (Al Mohamad, van Zwet, Solari and Goeman 2022; Mogstad, Romano, Shaikh and Wilhelm 2024).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import comb, isnan, nan

import numpy as np
from numpy.typing import NDArray

from assay.kernels.statistics.rank import average_ranks
from assay.kernels.statistics.significance import clusters
from assay.kernels.statistics.student import skewed_interval
from assay.metaeval.questions.oriented import orientation
from assay.metaeval.systems.pairs import Sides
from assay.scores import Column

MOST_PAIRS = 2000
"""More pairs than this are not all shown."""
FEWEST_FOR_SCORE = 8
"""From fewer items a system's score has no interval: its skewness cannot be estimated."""


@dataclass(frozen=True)
class SystemRank:
    """One system by one evaluator: its score with an interval over items, and its rank, 1 being the best.

    `rank_low` and `rank_high` hold for all systems at once; NaN where nothing was tested. `reason` says why the score
    has no interval. `n` counts units.
    """

    evaluator: str
    system: str
    score: float
    low: float
    high: float
    rank: float
    rank_low: float
    rank_high: float
    n: int
    n_items: int
    reason: str


@dataclass(frozen=True)
class SystemClusters:
    """Systems by one evaluator, best first, cut where one differs from any before it in its cluster.

    `n_tested` of `n_pairs` pairs were tested; p is adjusted for all of them.
    """

    evaluator: str
    alpha: float
    correction: str
    clusters: tuple[tuple[str, ...], ...]
    ranks: tuple[SystemRank, ...]
    n_pairs: int
    n_tested: int


def shown_pairs(names: Sequence[str], ranked: Sequence[str], against: Sequence[str] = ()) -> list[tuple[str, str]]:
    """Every two systems; of many, each with the best one, the next in rank and those of `against`.

    All pairs of 1,000 systems are 499,500, which nobody reads.
    """
    if comb(len(names), 2) <= MOST_PAIRS:
        return list(combinations(names, 2))
    place = {name: number for number, name in enumerate(ranked)}
    places = set(pairwise(range(len(ranked))))
    for fixed in (0, *(place[name] for name in against)):
        places |= {(min(fixed, other), max(fixed, other)) for other in range(len(ranked)) if other != fixed}
    return [(ranked[above], ranked[below]) for above, below in sorted(places)]


def best_first(column: Column, scores: dict[str, float]) -> list[str]:
    """Systems with a score, best first."""
    sign = orientation(column)
    return sorted((name for name in scores if not isnan(scores[name])), key=lambda name: -sign * scores[name])


def cut(ranked: Sequence[str], better: NDArray[np.bool_]) -> tuple[tuple[str, ...], ...]:
    """Cut a ranking into clusters of systems without significant differences."""
    return tuple(tuple(ranked[i] for i in cluster) for cluster in clusters(range(len(ranked)), better | better.T))


def leaderboard(
    sides: Sides, ranked: Sequence[str], scores: dict[str, float], better: NDArray[np.bool_] | None, confidence: float
) -> tuple[SystemRank, ...]:
    """The systems, best first, with intervals of scores and, where `better` is given, of ranks."""
    sign = orientation(sides.column)
    places = average_ranks(np.array([-sign * scores[name] for name in ranked])) if ranked else np.zeros(0)
    above, below = (np.full(len(ranked), nan) if better is None else better.sum(axis=axis) for axis in (0, 1))
    ranks = []
    for at, name in enumerate(ranked):
        side = sides[name]
        low, high, reason = _interval(sides, name, scores[name], confidence)
        ranks.append(
            SystemRank(
                sides.column.name,
                name,
                scores[name],
                low,
                high,
                float(places[at]),
                float(1 + above[at]),
                float(len(ranked) - below[at]),
                int(side.units.sum()),
                len(side.items),
                reason,
            )
        )
    return tuple(ranks)


def _interval(sides: Sides, name: str, score: float, confidence: float) -> tuple[float, float, str]:
    side = sides[name]
    if len(side.items) < FEWEST_FOR_SCORE:
        return nan, nan, f"too few items for an interval ({len(side.items)} < {FEWEST_FOR_SCORE})"
    interval = skewed_interval(score, sides.score(side.total - side.sums), abs(score), confidence)
    if not isnan(interval.low):
        return interval.low, interval.high, ""
    alike = len(np.unique(side.means)) == 1
    why = "all items have the same score" if alike else "the score is undefined when one of the items is left out"
    return nan, nan, f"{why}, so it has no interval"
