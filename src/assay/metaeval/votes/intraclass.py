"""Intraclass correlations of the ratings of a criterion, with intervals over units or items."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from assay.kernels.votes.intraclass import of_mean, one_way, two_way
from assay.metaeval.estimate import Estimate
from assay.metaeval.questions.question import Resampling
from assay.metaeval.votes.vote_draws import Draws, Link, resample
from assay.metaeval.votes.votes import Votes

CROSSED = "ICC(2,.) and ICC(3,.) need annotators who judged every unit"


def intraclass(votes: Votes, used: NDArray[np.bool_], resampling: Resampling, no_interval: str) -> dict[str, Estimate]:
    """ICC(1,1) to ICC(3,k) on the units `used`, which all have as many votes.

    Intervals draw units or items, with the annotators as they are.
    """
    n, k = int(used.sum()), int(votes.per_unit[used].max(initial=0))
    reason = _why_undefined(votes, n, k)
    if reason:
        return {f"ICC({form},{size})": Estimate.undefined(n, reason) for form in "123" for size in "1k"}
    ratings, crossed = _ratings(votes, used, k)

    def all_of(draws: Draws) -> NDArray[np.float64]:
        weights = draws.units[:, used].astype(np.float64)
        two = two_way(ratings, weights) if crossed else (np.full(len(weights), np.nan),) * 2
        return np.stack([one_way(ratings, weights), *two], axis=1)

    if "annotators" in resampling.factors:
        no_interval = "intraclass correlations have no interval over annotators: --resample items or units"
    link = Link(lambda r: _z(r, k), lambda z: _from_z(z, k))
    resampled = resample(votes, resampling, all_of)
    estimates = {}
    for index, form in enumerate("123"):
        why = "the ratings do not vary" if form == "1" or crossed else CROSSED
        single = resampled.estimate((index,), n, why, link=link, no_interval=no_interval, votes=k)
        estimates[f"ICC({form},1)"] = single
        estimates[f"ICC({form},k)"] = _of_mean(single, k)
    return estimates


def _z(r: NDArray[np.float64], k: int) -> NDArray[np.float64]:
    """Fisher's z of an intraclass correlation of k ratings, which lies between -1 / (k - 1) and 1."""
    inside = (r > -1 / (k - 1)) & (r < 1)
    r = np.where(inside, r, np.nan)
    z: NDArray[np.float64] = 0.5 * np.log((1 + (k - 1) * r) / (1 - r))
    return z


def _from_z(z: NDArray[np.float64], k: int) -> NDArray[np.float64]:
    odds = np.exp(np.minimum(2 * z, 700.0))
    r: NDArray[np.float64] = (odds - 1) / (odds + k - 1)
    return r


def _of_mean(single: Estimate, k: int) -> Estimate:
    value, low, high = of_mean(np.array([single.value, single.low, single.high]), k).tolist()
    return Estimate(value, low, high, single.n, single.reason, single.about)


def _why_undefined(votes: Votes, n: int, k: int) -> str:
    if votes.nothing_to_compare:
        return votes.nothing_to_compare
    if not votes.numeric:
        return "answers are names, not numbers"
    return "no two units have that many votes" if n < 2 or k < 2 else ""


def _ratings(votes: Votes, used: NDArray[np.bool_], k: int) -> tuple[NDArray[np.float64], bool]:
    """The ratings by unit and annotator, and whether the same annotators judged all units.

    If not, the annotators of a unit stand in no order that means anything.
    """
    rows = np.flatnonzero(used[votes.unit])
    rows = rows[np.lexsort((votes.annotator[rows], votes.unit[rows]))]
    annotators = votes.annotator[rows].reshape(-1, k)
    return votes.answers[rows].reshape(-1, k), bool((annotators == annotators[0]).all())
