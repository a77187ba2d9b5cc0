"""The ranking variant of the diversity tests: pairs of sets instead of single ones (Tevet and Berant 2021, Table 5).

Humans find it easier to say which of two sets is more diverse than how diverse one is. Metrics are tested likewise:
Spearman's rho of their difference with the target's difference, and how often they order a pair correctly. A tie is a
miss.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.kernels.pairs.set_pairs import pairs_within
from assay.kernels.statistics.correlation import spearman
from assay.kernels.statistics.intervals import NO_INTERVAL
from assay.kernels.statistics.shares import share_interval
from assay.metaeval.questions.inquiry import Inquiry
from assay.metaeval.questions.oriented import oriented
from assay.metaeval.sets.set_study import context_groups, made_by, why_no_bounds
from assay.part import Number
from assay.scores import Column

Ints = NDArray[np.int64]
MAX_PAIRS = 100_000


@dataclass(frozen=True)
class OrderedPairs:
    """One metric over pairs of sets; `low` and `high` are the interval of the accuracy, `reason` why it is missing."""

    candidate: str
    target: str
    rho: float
    accuracy: float
    low: float
    high: float
    n: int
    reason: str
    signature: str

    def number(self) -> Number:
        """The accuracy as a number."""
        return Number.of("accuracy over pairs", self, "accuracy")


def ordered_pairs(study: Inquiry) -> list[OrderedPairs]:
    """Test how every metric orders pairs of sets with different targets.

    Pairs are sets of one context; where no context has two sets with different targets, sets are paired at random.
    rho is over both orders of each pair, so it does not depend on which comes first.
    """
    rng = np.random.default_rng(study.resampling.seed)
    left, right = comparable_pairs(study.target.values, study.sample.codes("contexts"), rng)
    return [_ordered(study, column, left, right) for column in study.candidates]


def _ordered(study: Inquiry, column: Column, left: Ints, right: Ints) -> OrderedPairs:
    scores, target = oriented(column), study.target.values
    scored = ~np.isnan(scores[left]) & ~np.isnan(scores[right])
    a, b = left[scored], right[scored]
    gained, wanted = scores[a] - scores[b], target[a] - target[b]
    correct = (np.sign(gained) == np.sign(wanted)).astype(np.float64)
    mask = np.zeros(len(study.table), bool)
    mask[a] = True
    cases = study.cases([column], mask, study.statistics[0], "set", "pooled")
    reason = why_no_bounds(study, cases) if len(a) else "no two sets with scores differ in the target"
    interval = NO_INTERVAL
    if not reason:
        interval = share_interval(correct, *context_groups(study, a), study.resampling.confidence)
    return OrderedPairs(
        candidate=column.name,
        target=study.target.name,
        rho=spearman(np.concatenate([gained, -gained]), np.concatenate([wanted, -wanted])),
        accuracy=float(correct.mean()) if len(a) else np.nan,
        low=interval.low,
        high=interval.high,
        n=len(a),
        reason=reason,
        signature=made_by(study, "ordered_pairs", column),
    )


def comparable_pairs(target: NDArray[np.float64], clusters: Ints, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """The pairs of sets that differ in the target: within contexts, or else drawn across them."""
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
