"""Where a generator is behind the others: paired tests over items, corrected for all of them at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, stdtr, stdtrit

from assay.kernels.statistics.significance import holm

FEWEST_ITEMS = 3

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Behind:
    """A generator against the mean of the others on the items that it shares with them.

    `difference` is positive where it is better; its interval has a confidence of 95%. `p` is corrected (Holm).
    """

    system: int
    own: float
    others: float
    difference: float
    low: float
    high: float
    effect: float
    n: int
    p: float


def against_others(scores: Floats, sign: float) -> list[Behind]:
    """Test each column of a matrix of items by systems; NaN is a gap. `p` is not corrected yet."""
    tested = []
    for system in range(scores.shape[1]):
        rest = np.delete(scores, system, axis=1)
        known = ~np.isnan(scores[:, system]) & ~np.isnan(rest).all(axis=1)
        own, others = scores[known, system], _means(rest[known])
        apart, n = sign * (own - others), int(known.sum())
        spread = float(apart.std(ddof=1)) if n >= FEWEST_ITEMS else nan
        mean = float(apart.mean()) if n else nan
        error = spread / np.sqrt(n) if n else nan
        chance = _error_of_chance(scores[known]) if error > 0 else nan
        # The t test is too sure where scores are skewed, so the same scores dealt out at random must agree with it.
        p = float(2 * max(stdtr(n - 1, -abs(mean / error)), ndtr(-abs(mean / chance)))) if chance > 0 else nan
        half = float(stdtrit(n - 1, 0.975)) * error if chance > 0 else nan
        means = (float(own.mean()), float(others.mean())) if n else (nan, nan)
        effect = mean / spread if spread > 0 else nan
        tested.append(Behind(system, *means, mean, mean - half, mean + half, effect, n, p))
    return tested


def _error_of_chance(scores: Floats) -> float:
    """The standard error of the difference if the scores of every item were dealt out to its systems at random."""
    given = ~np.isnan(scores)
    k = given.sum(axis=1)
    centered = np.where(given, scores - _means(scores)[:, None], 0.0)
    variance = (centered**2).sum(axis=1) / k * (k / (k - 1)) ** 2
    return float(np.sqrt(variance.sum()) / len(scores))


def _means(scores: Floats) -> Floats:
    given = ~np.isnan(scores)
    return np.asarray(np.where(given, scores, 0.0).sum(axis=1) / given.sum(axis=1))


def corrected(families: Sequence[Sequence[Behind]]) -> list[list[Behind]]:
    """Correct p for all tests of all evaluators together; what could not be tested keeps a NaN."""
    flat = [row for family in families for row in family]
    p = np.array([row.p for row in flat])
    known = ~np.isnan(p)
    adjusted = np.full(len(p), nan)
    adjusted[known] = holm(p[known])
    numbered = iter(adjusted.tolist())
    return [[Behind(*(*_but_p(row), next(numbered))) for row in family] for family in families]


def _but_p(row: Behind) -> tuple[float, ...]:
    return (row.system, row.own, row.others, row.difference, row.low, row.high, row.effect, row.n)
