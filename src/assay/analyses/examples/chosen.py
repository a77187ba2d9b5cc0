"""Which outputs of each system to show: its best, its worst, and the one that opinions differ most about."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from assay.records import Dataset

Floats = NDArray[np.float64]

BEST, WORST, DISPUTED = "best", "worst", "disputed"


class Chosen(NamedTuple):
    """An output and why it is shown."""

    output: int
    why: str


def chosen_of(rows: NDArray[np.int64], score: Floats, dispute: Floats, each: int) -> Iterator[Chosen]:
    """The outputs of one system to show, none twice; `score` is higher for better, NaN is a gap."""
    shown: set[int] = set()
    for why, key in ((BEST, -score[rows]), (WORST, score[rows]), (DISPUTED, -dispute[rows])):
        left = [row for row in rows[np.argsort(key, kind="stable")].tolist() if row not in shown]
        known = [row for row in left if not np.isnan((dispute if why == DISPUTED else score)[row])]
        # Where all agree nothing is disputed.
        picked = [row for row in known if why != DISPUTED or dispute[row] > 0][:each]
        shown.update(picked)
        yield from (Chosen(row, why) for row in picked)


def disagreement(dataset: Dataset, criterion: str) -> Floats:
    """The standard deviation of the judgments of each output; NaN with fewer than two."""
    judged = dataset.judgments.about("output").of(criterion)
    given = ~np.isnan(judged.value)
    unit, value = judged.unit[given], judged.value[given]
    n = np.bincount(unit, minlength=len(dataset))
    total = np.bincount(unit, value, minlength=len(dataset))
    mean = np.divide(total, n, out=np.zeros(len(dataset)), where=n > 0)
    squares = np.bincount(unit, (value - mean[unit]) ** 2, minlength=len(dataset))
    return np.sqrt(np.divide(squares, n - 1, out=np.full(len(dataset), np.nan), where=n > 1))


def rank_distance(one: Floats, two: Floats) -> Floats:
    """How far apart two evaluators place each output, as a share of all outputs; NaN where one has a gap."""
    both = ~np.isnan(one) & ~np.isnan(two)
    apart = np.full(len(one), np.nan)
    if both.any():
        apart[both] = np.abs(rankdata(one[both]) - rankdata(two[both])) / both.sum()
    return apart
