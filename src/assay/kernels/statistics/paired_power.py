"""Sample sizes for paired designs: two dependent correlations, two paired proportions, win rates.

Functions return the exact real number; round it up for whole units.
"""

from math import atanh, floor, nan, sqrt

import numpy as np
from scipy.special import bdtr, bdtrc, bdtrik, gammaln, ndtr, ndtri


def dependent_correlations_n(r_a: float, r_b: float, r_ab: float, *, alpha: float, sides: int, power: float) -> float:
    """Units needed to detect a difference between two correlations with one variable (Steiger 1980, equation 14).

    n = ((z_a s0 + z_b s) / (atanh r_a - atanh r_b))^2 + 3; s^2 is n - 3 times the variance of the difference of
    Fisher's z, and s0^2 the same with both correlations replaced by their mean, as in the test. NaN if they are equal.
    """
    if r_a == r_b:
        return nan
    null, alternative = _z_spreads(r_a, r_b, r_ab)
    needed = ndtri(1.0 - alpha / sides) * null + ndtri(power) * alternative
    return float((needed / (atanh(r_a) - atanh(r_b))) ** 2 + 3.0)


def dependent_correlations_power(r_a: float, r_b: float, r_ab: float, n: float, *, alpha: float, sides: int) -> float:
    """Power of the test of `dependent_correlations_n` with n units; the far tail is neglected."""
    if r_a == r_b or n <= 3.0:
        return nan
    null, alternative = _z_spreads(r_a, r_b, r_ab)
    gap = sqrt(n - 3.0) * abs(atanh(r_a) - atanh(r_b))
    return float(ndtr((gap - ndtri(1.0 - alpha / sides) * null) / alternative))


def discordant_n(wins: float, losses: float, *, alpha: float, sides: int, power: float) -> float:
    """Pairs needed to detect that one side wins more often than it loses (McNemar's test; Connor 1987).

    `wins` and `losses` are shares of all pairs, the rest are ties:
    n = (z_a sqrt(w + l) + z_b sqrt(w + l - (w - l)^2))^2 / (w - l)^2. NaN when they are equal.
    """
    if wins == losses:
        return nan
    either, gap = wins + losses, wins - losses
    return float(((ndtri(1.0 - alpha / sides) * sqrt(either) + ndtri(power) * sqrt(either - gap * gap)) / gap) ** 2)


def discordant_power(wins: float, losses: float, n: float, *, alpha: float, sides: int) -> float:
    """Power of McNemar's test with n pairs; the far tail is neglected."""
    if wins == losses:
        return nan
    either, gap = wins + losses, abs(wins - losses)
    spread = sqrt(either - gap * gap)
    ahead = sqrt(n) * gap - ndtri(1.0 - alpha / sides) * sqrt(either)
    return float(ndtr(ahead / spread)) if spread > 0.0 else float(ahead > 0.0)


def sign_test_power(wins: float, losses: float, n: int, *, alpha: float, sides: int) -> float:
    """Power of the exact sign test of n pairs (binomial, ties dropped), by enumeration."""
    either = wins + losses
    share = max(wins, losses) / either
    sizes = np.arange(n + 1, dtype=np.float64)
    with np.errstate(divide="ignore"):
        tied = np.where(n - sizes > 0, (n - sizes) * np.log(1.0 - either) if either < 1.0 else -np.inf, 0.0)
    logs = gammaln(n + 1) - gammaln(sizes + 1) - gammaln(n - sizes + 1) + sizes * np.log(either) + tied
    power = 0.0
    for size in np.flatnonzero(logs > -40.0).tolist():
        # The critical value: `few` or fewer wins on one side have probability at most alpha / sides.
        few = floor(float(bdtrik(alpha / sides, size, 0.5)) + 1e-9) if size and 0.5**size <= alpha / sides else -1
        if few < 0:
            continue
        rejected = float(bdtrc(size - few - 1, size, share)) + (float(bdtr(few, size, share)) if sides == 2 else 0.0)
        power += float(np.exp(logs[size])) * rejected
    return power


def _z_spreads(r_a: float, r_b: float, r_ab: float) -> tuple[float, float]:
    mean = (r_a + r_b) / 2.0
    return sqrt(_z_variance(mean, mean, r_ab)), sqrt(_z_variance(r_a, r_b, r_ab))


def _z_variance(r_a: float, r_b: float, r_ab: float) -> float:
    """(n - 3) times the variance of atanh r_a - atanh r_b (Dunn and Clark 1969)."""
    left = 1.0 - r_a * r_a - r_b * r_b
    shared = r_ab * left - r_a * r_b * (left - r_ab * r_ab) / 2.0
    return 2.0 - 2.0 * shared / ((1.0 - r_a * r_a) * (1.0 - r_b * r_b))
